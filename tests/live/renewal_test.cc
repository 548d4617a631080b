// Keeping a lock: automatically, by hand, and for no longer than was agreed.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "live.h"

namespace redlock::live {
namespace {

TEST(a_lease, is_held_over_many_ttls) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 300ms});
  ASSERT_TRUE(succeeded(held));
  const std::string token(held->token());
  signal_log signal(*held);
  EXPECT_TRUE(throughout(3300ms, [&] { return held->held(); }));
  EXPECT_EQ(signal.count(), 0);
  EXPECT_FALSE(held->failure().has_value());
  EXPECT_EQ(nodes.count(key_of("r"), token), 5U);
  EXPECT_GT(nodes.pttl(0, key_of("r")), 0ms);
  EXPECT_LE(nodes.pttl(0, key_of("r")), 300ms);
}

TEST(a_renewal, at_an_interval_of_ones_own_extends_the_lease) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r", {.ttl = 30s, .renewal = renewal::every(50ms)});
  ASSERT_TRUE(succeeded(held));
  for (int i = 0; i < 5; ++i) {
    const auto before = held->expires_at();
    EXPECT_TRUE(eventually([&] { return held->expires_at() > before; }));
  }
}

// Rule N2.
TEST(a_renewal, fills_the_nodes_up_that_lost_the_key) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 10s, .renewal = renewal::every(100ms)});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  signal_log signal(*held);
  nodes.del(0, key_of("r"));
  nodes.del(4, key_of("r"));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 5; }));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 5; }));
  EXPECT_GT(nodes.pttl(0, key_of("r")), 0ms);
  EXPECT_GT(nodes.pttl(4, key_of("r")), 0ms);
  EXPECT_TRUE(held->held());
  EXPECT_EQ(signal.count(), 0);
}

TEST(a_renewal, takes_the_nodes_that_another_client_let_go) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes.set(3, key_of("r"), "other", 300ms);
  nodes.set(4, key_of("r"), "other", 300ms);
  const result<lease> held = locks.acquire("r", {.ttl = 10s, .renewal = renewal::every(100ms)});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 5; }));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 5; }));
}

TEST(manual_renewal, lets_the_lease_end_unless_renewed) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r", {.ttl = 300ms, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  const auto end = held->expires_at();
  signal_log signal(*held);
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  EXPECT_GE(signal.at(), end);
  EXPECT_FALSE(held->held());
  ASSERT_TRUE(held->failure().has_value());
  EXPECT_EQ(held->failure()->code(), errc::lost);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(manual_renewal, starts_the_ttl_anew_when_asked_to) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 5s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.pttl(0, key_of("r")) < 4900ms; }));
  const auto before = held->expires_at();
  ASSERT_TRUE(succeeded(held->renew()));
  EXPECT_GT(held->expires_at(), before);
  EXPECT_LE(held->expires_at(), clock::now() + 5s - 52ms);
  EXPECT_TRUE(eventually([&] { return nodes.pttl(0, key_of("r")) > 4900ms - 500ms; }));
}

TEST(manual_renewal, keeps_a_lease_for_as_long_as_one_likes) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r", {.ttl = 500ms, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  const auto end = clock::now() + 1200ms;
  while (clock::now() < end) ASSERT_TRUE(succeeded(held->renew()));
  EXPECT_TRUE(held->held());
}

TEST(renewals, asked_for_from_many_threads_at_once_all_succeed) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r", {.ttl = 10s});
  ASSERT_TRUE(succeeded(held));
  std::atomic<int> renewed = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) renewed += held->renew().has_value() ? 1 : 0;
    });
  }
  threads.clear();
  EXPECT_EQ(renewed, 160);
}

TEST(a_renewal, of_what_is_not_held_says_so) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  lease empty;
  EXPECT_TRUE(failed_with(errc::not_held, empty.renew()));
  result<lease> held = locks.acquire("r", {.ttl = 300ms, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  lease moved = std::move(*held);
  EXPECT_TRUE(failed_with(errc::not_held, held->renew()));
  EXPECT_TRUE(eventually([&] { return !moved.held(); }));
  EXPECT_TRUE(failed_with(errc::lost, moved.renew()));
  result<lease> again = locks.acquire("r", {.wait = 10s});
  ASSERT_TRUE(succeeded(again));
  ASSERT_TRUE(succeeded(again->release()));
  EXPECT_TRUE(failed_with(errc::not_held, again->renew()));
}

// Rule N7.
TEST(max_hold, ends_a_lease_that_would_be_renewed_for_ever) {
  masters nodes(3);
  lock_manager holder(nodes.options());
  lock_manager waiter(nodes.options());
  const auto start = clock::now();
  const result<lease> held = holder.acquire("r", {.ttl = 300ms, .max_hold = 900ms});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  const result<lease> next = waiter.acquire("r", {.wait = 15s});
  const auto granted = clock::now();
  ASSERT_TRUE(succeeded(next));
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  EXPECT_LT(signal.at(), granted + 1s);
  EXPECT_GE(granted - start, 600ms);  // it was renewed at least once
  ASSERT_TRUE(held->failure().has_value());
  EXPECT_EQ(held->failure()->code(), errc::lost);
}

// Rule N5.
TEST(the_stop_margin, signals_while_the_lease_is_still_held) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const lock_options o{.ttl = 3s, .renewal = renewal::manual(), .stop_margin = 2500ms};
  const result<lease> held = locks.acquire("r", o);
  ASSERT_TRUE(succeeded(held));
  const auto end = held->expires_at();
  std::atomic<bool> held_at_signal = false;
  signal_log signal(*held, [&] { held_at_signal = held->held(); });
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  EXPECT_GE(signal.at(), end - 2500ms);
  EXPECT_LT(signal.at(), end);
  EXPECT_TRUE(eventually([&] { return held_at_signal.load(); }));
}

TEST(a_renewal, in_time_for_the_stop_margin_prevents_the_signal) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const lock_options o{.ttl = 1s, .renewal = renewal::every(50ms), .stop_margin = 300ms};
  const result<lease> held = locks.acquire("r", o);
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  EXPECT_TRUE(throughout(1500ms, [&] { return held->held() && signal.count() == 0; }));
}

TEST(a_lease_within_its_stop_margin, is_no_longer_renewed_but_can_be_released) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const lock_options o{.ttl = 20s, .renewal = renewal::manual(), .stop_margin = 19700ms};
  result<lease> held = locks.acquire("r", o);
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  ASSERT_TRUE(eventually([&] { return signal.count() == 1; }));
  ASSERT_TRUE(held->held());
  EXPECT_TRUE(failed_with(errc::too_slow, held->renew()));
  EXPECT_FALSE(held->failure().has_value());
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_EQ(signal.count(), 1);
}

TEST(a_stop_token, that_is_asked_for_late_is_stopped_if_the_signal_was_due) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r", {.ttl = 300ms, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return !held->held(); }));
  EXPECT_TRUE(eventually([&] { return held->stop_token().stop_requested(); }));
  const lease empty;
  EXPECT_FALSE(empty.stop_token().stop_possible());
}

}  // namespace
}  // namespace redlock::live
