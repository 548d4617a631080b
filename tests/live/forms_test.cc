// The forms of asking for a lock that wrap acquire: future() and with().

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "live.h"

namespace redlock::live {
namespace {

// A lease that notices at once, and would stand long if it did not.
lock_options watchful() {
  lock_options o;
  o.ttl = 10s;
  o.renewal = renewal::every(50ms);
  return o;
}

// A renewal between two deletions fills a node up again; so until none does.
[[nodiscard]] bool lose(masters& nodes, const std::stop_token& stop) {
  return eventually([&] {
    for (std::size_t i = 0; i < nodes.size() / 2 + 1; ++i) nodes.del(i, key_of("r"));
    return stop.stop_requested();
  });
}

TEST(a_future, gets_the_lease) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  std::future<result<lease>> later = locks.acquire_async("r").future();
  ASSERT_EQ(later.wait_for(patience), std::future_status::ready);
  result<lease> held = later.get();
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(held->held());
  EXPECT_TRUE(succeeded(held->release_async().future().get()));
}

// The second one asks in the same order on the same connections: it is granted only if the first
// one's lease was released.
TEST(a_future, that_is_dropped_unread_releases_the_lease) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (int i = 0; i < 50; ++i) {
    static_cast<void>(locks.acquire_async("r", {.ttl = 60s}).future());
    const result<lease> next = locks.acquire("r", {.ttl = 60s, .wait = patience});
    ASSERT_TRUE(succeeded(next));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_future, that_is_dropped_when_it_is_ready_releases_the_lease) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  {
    const auto later = locks.acquire_async("r", {.ttl = 60s}).future();
    ASSERT_EQ(later.wait_for(patience), std::future_status::ready);
    EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_future, outlives_its_manager) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  auto later = locks->acquire_async("r", {.wait = wait_forever}).future();
  locks.reset();
  EXPECT_TRUE(failed_with(errc::shut_down, later.get()));
}

TEST(with, holds_the_lock_while_the_function_runs_and_no_longer) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const auto r = locks.with("r", {.ttl = 60s}, [&](std::stop_token stop) {
    EXPECT_GE(nodes.count(key_of("r")), 2U);
    EXPECT_FALSE(stop.stop_requested());
    EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r")));
    return std::make_unique<int>(7);
  });
  ASSERT_TRUE(succeeded(r));
  EXPECT_EQ(**r, 7);
  EXPECT_TRUE(succeeded(locks.with("r", {}, [](const lease& l) { EXPECT_TRUE(l.held()); })));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(with, runs_the_function_on_the_thread_that_calls) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  const auto where =
      locks.with("r", {}, [](std::stop_token) { return std::this_thread::get_id(); });
  ASSERT_TRUE(succeeded(where));
  EXPECT_EQ(*where, std::this_thread::get_id());
}

TEST(with, calls_nothing_while_another_has_the_lock) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  lock_manager locks(nodes.options());
  const auto never = [](std::stop_token) { ADD_FAILURE() << "called"; };
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.with("r", {}, never)));
}

TEST(with, releases_and_lets_through_what_the_function_throws) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const auto f = [](std::stop_token) -> int { throw std::runtime_error("mine"); };
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(static_cast<void>(locks.with("r", {.ttl = 60s, .wait = patience}, f)),
                 std::runtime_error);
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(with, passes_a_failure_of_the_function_on) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const auto r = locks.with(
      "r", {}, [](std::stop_token) -> result<int> { return failure(errc::overloaded, "mine"); });
  ASSERT_TRUE(failed_with(errc::overloaded, r));
  EXPECT_EQ(r.error().message(), failure(errc::overloaded, "mine").message());
}

TEST(with, says_lost_if_the_lock_was_lost_although_the_function_returned) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const auto value = std::make_shared<int>(7);
  const auto r = locks.with("r", watchful(), [&](std::stop_token stop) {
    EXPECT_TRUE(lose(nodes, stop));
    return value;
  });
  EXPECT_TRUE(failed_with(errc::lost, r));
  EXPECT_EQ(value.use_count(), 1) << "nobody takes it for the value of protected work";
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// By the clock alone: no node says anything.
TEST(with, says_lost_if_the_lease_ran_out_while_the_function_ran) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const auto r = locks.with("r", {.ttl = 200ms, .renewal = renewal::manual()}, [](const lease& l) {
    EXPECT_TRUE(eventually([&] { return !l.held(); }));
  });
  EXPECT_TRUE(failed_with(errc::lost, r));
}

TEST(with, says_shut_down_if_the_manager_was_closed_meanwhile) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const auto r = locks.with("r", {}, [&](std::stop_token stop) {
    EXPECT_TRUE(succeeded(locks.close().get()));
    EXPECT_TRUE(stop.stop_requested());
  });
  EXPECT_TRUE(failed_with(errc::shut_down, r));
}

}  // namespace
}  // namespace redlock::live
