// Which of the machine's clocks decides about a lease, and what becomes of it when others step.

#include "clocks.h"
#include "live.h"

namespace redlock::live {
namespace {

lock_options for_a_minute() { return {.ttl = 60s, .renewal = renewal::manual()}; }

// The wall clock: set by people and by NTP, in either direction.
class a_step_of_the_wall_clock : public testing::TestWithParam<std::chrono::hours> {};

TEST_P(a_step_of_the_wall_clock, changes_nothing_for_a_lease_that_is_held) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::every(50ms)});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  const shifted_clock stepped(CLOCK_REALTIME, GetParam());
  EXPECT_TRUE(held->held());
  EXPECT_GT(held->remaining(), 0s);
  EXPECT_LT(held->remaining(), 60s);
  const auto before = held->expires_at();
  EXPECT_TRUE(eventually([&] { return held->expires_at() > before + 200ms; }));
  EXPECT_LT(held->remaining(), 60s);
  EXPECT_EQ(signal.count(), 0);
}

TEST_P(a_step_of_the_wall_clock, changes_no_expiry_on_the_nodes) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const shifted_clock stepped(CLOCK_REALTIME, GetParam());
  const auto expect_its_ttl_everywhere = [&] {
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(eventually([&] { return nodes.pttl(i, key_of("r")) > 0ms; }));
      EXPECT_LE(nodes.pttl(i, key_of("r")), 60s);
    }
  };
  result<lease> held = locks.acquire("r", for_a_minute());
  ASSERT_TRUE(succeeded(held));
  EXPECT_LT(held->remaining(), 60s);
  expect_its_ttl_everywhere();
  ASSERT_TRUE(succeeded(held->renew()));
  expect_its_ttl_everywhere();
  nodes.del(0, key_of("r"));
  ASSERT_TRUE(succeeded(held->renew()));  // which fills the node up again
  expect_its_ttl_everywhere();
}

INSTANTIATE_TEST_SUITE_P(hours, a_step_of_the_wall_clock,
                         testing::Values(std::chrono::hours{-1}, std::chrono::hours{1}));

// CLOCK_MONOTONIC stands still while the machine sleeps: whatever it says, it is not asked.
TEST(a_lease, is_not_judged_by_the_clock_that_stands_still_in_suspend) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", for_a_minute());
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  const shifted_clock stepped(CLOCK_MONOTONIC, 1h);
  EXPECT_TRUE(held->held());
  EXPECT_GT(held->remaining(), 0s);
  EXPECT_TRUE(succeeded(held->renew()));  // the loop has looked at the time, too
  EXPECT_EQ(signal.count(), 0);
  EXPECT_TRUE(succeeded(held->release()));
}

// As after a suspend of an hour: CLOCK_BOOTTIME went on, the others did not.
TEST(a_lease, is_over_after_a_suspend_that_outlasted_it) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", for_a_minute());
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  const shifted_clock resumed(CLOCK_BOOTTIME, 1h);
  EXPECT_FALSE(held->held());
  EXPECT_EQ(held->remaining(), 0s);
  EXPECT_TRUE(failed_with(errc::lost, held->renew()));
  EXPECT_TRUE(succeeded(locks.inspect("other")));  // whatever turns the loop
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  // After a real one the keys have expired by themselves, so no release need reach the nodes.
}

// What runs out while the machine sleeps is seen before anything that the loop finds to do.
TEST(a_renewal, that_was_answered_during_a_suspend_does_not_bring_the_lease_back) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", for_a_minute());
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  for (redis_server& node : nodes) node.stop();
  pending<void> renewing(held->renew_async());
  ASSERT_TRUE(eventually([&] { return locks.nodes()[2].pending > 0; }));
  const shifted_clock resumed(CLOCK_BOOTTIME, 1h);
  for (redis_server& node : nodes) node.cont();
  EXPECT_FALSE(renewing.take());
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
}

}  // namespace
}  // namespace redlock::live
