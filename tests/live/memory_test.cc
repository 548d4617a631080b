// Memory that runs out, and memory and descriptors that must not be left behind.

#include <filesystem>
#include <new>

#include "allocations.h"
#include "fake_server.h"
#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

std::size_t descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Calls f with its first allocation failing, then with its second, and so on until none fails. How
// many did. Whatever f makes is destroyed with memory again.
template <class F>
std::size_t with_each_allocation_failing(F f) {
  for (std::size_t n = 0;; ++n) {
    try {
      const auto made = [&] {
        const failing_allocation one(n);
        return f();
      }();
      if (!failing_allocation::has_failed()) return n;
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(failing_allocation::has_failed());
    }
  }
}

TEST(memory_that_runs_out, while_a_lock_manager_is_made_is_thrown_and_leaves_nothing) {
  masters nodes(1);
  const options o = nodes.options();
  { const lock_manager first{options(o)}; }  // what is made once for the process
  const std::size_t before = descriptors();
  const std::int64_t allocated = allocations();
  const std::size_t failures =
      with_each_allocation_failing([&] { return std::make_unique<lock_manager>(options(o)); });
  EXPECT_GT(failures, 10U);
  EXPECT_TRUE(eventually([&] { return descriptors() == before; }));
  EXPECT_TRUE(eventually([&] { return allocations() <= allocated; })) << allocations() - allocated;
}

TEST(memory_that_runs_out, while_an_operation_is_made_is_thrown_and_starts_nothing) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const std::string resource(100, 'r');
  const lock_options o = {.ttl = 60s};
  const std::int64_t allocated = allocations();
  const std::size_t failures =
      with_each_allocation_failing([&] { return locks.acquire_async(resource, o); });
  EXPECT_GE(failures, 2U);
  EXPECT_TRUE(eventually([&] { return allocations() <= allocated; })) << allocations() - allocated;
  EXPECT_EQ(nodes.keys(), 0U);
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

// An address that refuses, one that speaks no Redis, one that answers and goes, and a master whose
// connections are cut with commands under way.
TEST(connections_that_fail, leave_neither_memory_nor_descriptors_behind) {
  const reserved_port refusing;
  fake_server stranger([](std::string_view) { return "HTTP/1.1 400 Bad Request\r\n\r\n"; });
  fake_server mute(&fake_server::nothing);
  masters nodes(1);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 100ms;
  lock_manager locks{options(o)};
  o.nodes = {endpoint("redis://127.0.0.1:" + std::to_string(refusing.number())),
             endpoint(stranger.uri()), endpoint(mute.uri())};
  o.connect_timeout = 100ms;
  const lock_manager in_vain(std::move(o));
  const auto cut_again_and_again = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ASSERT_TRUE(eventually([&] { return locks.nodes()[0].state == node_state::up; }));
      // One that is answered, since a connection that never gives an answer is made ever later.
      ASSERT_TRUE(eventually([&] { return locks.acquire("q", {.ttl = 50ms}).has_value(); }));
      pending<lease> one(locks.acquire_async("r" + std::to_string(i), {.ttl = 50ms}));
      ways[0].cut();
      const result<lease> cut_short = one.take();  // granted, perhaps
    }
  };
  const auto is_quiet = [&] {
    return ways[0].connections() == 1 && locks.nodes()[0].state == node_state::up &&
           locks.nodes()[0].pending == 0;
  };
  cut_again_and_again(50);
  ASSERT_TRUE(eventually(is_quiet));
  const std::size_t before = descriptors();
  const std::int64_t allocated = allocations();
  cut_again_and_again(200);
  ASSERT_TRUE(eventually(is_quiet));
  // A fraction of what one thing left behind by each failure would make.
  EXPECT_TRUE(eventually([&] { return descriptors() <= before + 10; })) << descriptors() - before;
  EXPECT_TRUE(eventually([&] { return allocations() <= allocated + 100; }))
      << allocations() - allocated;
}

}  // namespace
}  // namespace redlock::live
