// The user's code inside the library's calls: it may do there whatever it may do elsewhere.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "live.h"

namespace redlock::live {
namespace {

lock_options watchful() {
  lock_options o;
  o.ttl = 10s;
  o.renewal = renewal::every(50ms);
  return o;
}

void flush_until(masters& nodes, const std::function<bool()>& done) {
  EXPECT_TRUE(eventually([&] {
    for (redis_server& node : nodes) node.command({"FLUSHALL"});
    return done();
  }));
}

TEST(a_stop_callback, may_ask_release_and_renew_the_lease_that_was_lost) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  std::atomic<bool> done = false;
  signal_log signal(*held, [&] {
    EXPECT_FALSE(held->held());
    EXPECT_EQ(held->remaining(), 0s);
    EXPECT_TRUE(held->failure().has_value());
    EXPECT_TRUE(failed_with(errc::lost, held->renew()));
    EXPECT_TRUE(failed_with(errc::lost, held->release()));
    done = true;
  });
  flush_until(nodes, [&] { return done.load(); });
  EXPECT_EQ(signal.count(), 1);
}

TEST(a_stop_callback, may_acquire_and_inspect) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  std::atomic<int> done = 0;
  signal_log signal(*held, [&] {
    EXPECT_TRUE(succeeded(locks.inspect("r")));
    EXPECT_TRUE(succeeded(locks.acquire("another", {.wait = 10s})));
    EXPECT_EQ(locks.nodes().size(), 3U);
    ++done;
  });
  flush_until(nodes, [&] { return signal.count() > 0; });
  EXPECT_TRUE(eventually([&] { return done == 1; }));
}

TEST(a_stop_callback, may_destroy_the_lease) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> granted = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(granted));
  auto owned = std::make_unique<lease>(std::move(*granted));
  std::atomic<bool> done = false;
  signal_log signal(*owned, [&] {
    owned.reset();
    done = true;
  });
  flush_until(nodes, [&] { return done.load(); });
  EXPECT_EQ(owned, nullptr);
}

TEST(a_stop_callback, may_destroy_the_lock_manager) {
  masters nodes(3);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  const result<lease> held = locks->acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  std::atomic<bool> done = false;
  signal_log signal(*held, [&] {
    locks.reset();
    done = true;
  });
  flush_until(nodes, [&] { return done.load(); });
  EXPECT_FALSE(held->held());
}

TEST(a_stop_callback, at_an_explicit_release_runs_on_the_thread_that_releases) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  std::atomic<std::thread::id> where;
  signal_log signal(*held, [&] {
    where = std::this_thread::get_id();
    EXPECT_FALSE(held->held());
  });
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_EQ(signal.count(), 1);
  EXPECT_EQ(where.load(), std::this_thread::get_id());
}

TEST(a_stop_callback, that_takes_its_time_delays_no_renewal_of_others) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> doomed =
      locks.acquire("doomed", {.ttl = 200ms, .renewal = renewal::manual()});
  const result<lease> other = locks.acquire("other", {.ttl = 600ms});
  ASSERT_TRUE(succeeded(doomed) && succeeded(other));
  std::atomic<bool> done = false;
  signal_log signal(*doomed, [&] {
    EXPECT_TRUE(throughout(1500ms, [&] { return other->held(); }));
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(a_completion, that_takes_its_time_delays_no_renewal_and_no_signal) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> doomed =
      locks.acquire("doomed", {.ttl = 500ms, .renewal = renewal::manual()});
  const result<lease> other = locks.acquire("other", {.ttl = 600ms});
  ASSERT_TRUE(succeeded(doomed) && succeeded(other));
  signal_log signal(*doomed);
  std::atomic<bool> done = false;
  locks.acquire_async("third").then([&](result<lease> r) {
    EXPECT_TRUE(succeeded(r));
    EXPECT_TRUE(throughout(1500ms, [&] { return other->held(); }));
    EXPECT_EQ(signal.count(), 1);
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(a_completion, may_block_in_any_call) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  std::atomic<bool> done = false;
  locks.acquire_async("r").then([&](result<lease> r) {
    EXPECT_TRUE(succeeded(r));
    EXPECT_TRUE(succeeded(r->renew()));
    EXPECT_TRUE(succeeded(locks.acquire("s")));
    EXPECT_TRUE(succeeded(locks.inspect("r")));
    EXPECT_TRUE(succeeded(r->release()));
    EXPECT_TRUE(failed_with(errc::not_held, r->release()));
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// Each starts the next from its callback, never inside the call that started it (rule H1).
TEST(a_completion, may_start_the_next_operation_thousands_of_times) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  constexpr int rounds = 2000;
  std::atomic<int> done = 0;
  std::atomic<int> depth = 0;
  std::atomic<bool> nested = false;
  std::function<void()> next = [&] {
    locks.acquire_async("r", {.wait = 10s}).then([&](result<lease> r) {
      if (++depth > 1) nested = true;
      EXPECT_TRUE(succeeded(r));
      r->release_async().then([&](result<void> released) {
        if (++depth > 1) nested = true;
        EXPECT_TRUE(succeeded(released));
        if (++done < rounds) next();
        --depth;
      });
      --depth;
    });
  };
  next();
  EXPECT_TRUE(eventually([&] { return done == rounds; }));
  EXPECT_FALSE(nested);
}

TEST(an_operation, that_is_dropped_never_starts) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  { const operation<lease> dropped = locks.acquire_async("r"); }
  EXPECT_TRUE(throughout(50ms, [&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(an_operation, may_be_consumed_on_another_thread) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  operation<lease> op = locks.acquire_async("r");
  std::jthread([&] { EXPECT_TRUE(succeeded(std::move(op).get())); }).join();
}

}  // namespace
}  // namespace redlock::live
