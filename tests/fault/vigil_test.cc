// The vigil: it must see what is wrong, and nothing where nothing is.

#include "vigil.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "ground.h"
#include "live/eventually.h"
#include "live/sockets.h"
#include "vitals.h"

namespace redlock::fault {
namespace {

using live::eventually;
using namespace std::chrono_literals;

constexpr std::int64_t max_ttl_ms = 1000;

class a_vigil : public testing::Test {
 protected:
  // Looks again and again until it has seen something.
  [[nodiscard]] bool sees_something(tolerance most) {
    vigil watching(ground_, std::chrono::milliseconds(max_ttl_ms), most);
    return eventually([&] {
      watching.look([](std::size_t) { return false; }, [](std::size_t) { return false; });
      return watching.violations() > 0;
    });
  }
  [[nodiscard]] bool sees_nothing() {
    vigil watching(ground_, std::chrono::milliseconds(max_ttl_ms));
    return live::throughout(1s, [&] {
      watching.look([](std::size_t) { return false; }, [](std::size_t) { return false; });
      return watching.violations() == 0;
    });
  }

  ground ground_{client_plan{.max_ttl_ms = max_ttl_ms}};
};

TEST_F(a_vigil, sees_nothing_where_nothing_is_wrong) { EXPECT_TRUE(sees_nothing()); }

TEST_F(a_vigil, sees_a_client_that_ended) {
  ::kill(ground_.clients[3].pid(), SIGTERM);
  EXPECT_TRUE(sees_something({}));
}

// Stopped behind the back of the bench: that is what a hang looks like from outside.
TEST_F(a_vigil, sees_a_client_that_hangs_in_a_call) {
  client& one = ground_.clients[0];
  ASSERT_TRUE(eventually([&] {
    ::kill(one.pid(), SIGSTOP);
    if (one.written().under_way != static_cast<std::uint32_t>(call::none)) return true;
    ::kill(one.pid(), SIGCONT);
    return false;
  }));
  EXPECT_TRUE(sees_something({.late = 100ms}));
}

TEST_F(a_vigil, sees_no_hang_in_a_client_that_the_bench_has_stopped) {
  for (client& each : ground_.clients) each.stop();
  EXPECT_TRUE(eventually([&] {
    return ticks() > std::chrono::nanoseconds(2s).count() + ground_.clients[7].written().limit;
  }));
  for (client& each : ground_.clients) EXPECT_EQ(each.overdue(), 0ns);
}

TEST_F(a_vigil, sees_what_a_client_uses) {
  EXPECT_TRUE(sees_something({.descriptors = 1, .warm_after = 100ms}));
  EXPECT_TRUE(sees_something({.threads = 1, .warm_after = 100ms}));
  EXPECT_TRUE(!judges_memory || sees_something({.memory_kb = -1, .warm_after = 100ms}));
}

TEST_F(a_vigil, sees_a_key_without_a_time_to_live_and_one_with_too_much) {
  ground_.nodes[2].command({"SET", live::key_of("k"), "x"});
  EXPECT_TRUE(sees_something({}));
  ground_.nodes[2].command({"SET", live::key_of("k"), "x", "PX", "5000"});
  EXPECT_TRUE(sees_something({}));
  ground_.past[2].set_back = 10s;  // it would be right then
  EXPECT_TRUE(sees_nothing());
}

TEST(vitals, follow_what_a_process_does) {
  const std::optional<vitals> before = vitals_of(::getpid());
  ASSERT_TRUE(before);
  std::vector<live::bell> opened(10);
  std::vector<char> used(10 << 20, 'x');
  const auto end = std::chrono::steady_clock::now() + 50ms;
  while (std::chrono::steady_clock::now() < end) ++used[0];
  EXPECT_TRUE(eventually([&] { return vitals_of(::getpid())->cpu > before->cpu; }));
  const std::optional<vitals> after = vitals_of(::getpid());
  EXPECT_EQ(after->descriptors, before->descriptors + 10);
  EXPECT_GE(after->memory_kb, before->memory_kb + (9 << 10));
  EXPECT_GE(after->threads, 1);
}

TEST(vitals, of_a_process_that_is_no_more_are_none) { EXPECT_FALSE(vitals_of(0)); }

}  // namespace
}  // namespace redlock::fault
