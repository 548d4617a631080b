// Networks that delay, lose, cut, and deliver late.

#include <random>
#include <string>
#include <vector>

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

// Replies later than the time-out do not count, and what they stand for is undone (rule G3).
TEST(replies_that_come_too_late, grant_nothing_and_leave_no_key) {
  masters nodes(3);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 100ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (proxy& way : ways) way.hold(direction::replies);
  const result<lease> refused = locks.acquire("r", {.ttl = 60s});
  EXPECT_TRUE(failed_with(errc::no_quorum, refused));
  for (proxy& way : ways) way.pass(direction::replies);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = 10s})));
}

// The node ran the acquire, its reply was lost, and the attempt failed because of others.
TEST(a_node_whose_reply_was_lost, is_rolled_back_too) {
  masters nodes(3);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  nodes.set(0, key_of("r"), "other", 60s);
  nodes.set(1, key_of("r"), "other", 60s);
  ways[2].swallow(direction::replies);
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", {.ttl = 60s})));
  ways[2].pass(direction::replies);  // which resets the connection
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 2; }));
  EXPECT_TRUE(throughout(100ms, [&] { return nodes.count(key_of("r")) == 2; }));
}

// Rule R4: an acquire on a dead connection arrives after its release on the next one.
TEST(an_acquire_that_arrives_after_its_release, leaves_no_key_until_its_ttl) {
  masters nodes(1);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 300ms;
  o.hung_timeout = 100ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  ways[0].strand();
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("r", {.ttl = 60s})));
  ASSERT_TRUE(eventually([&] { return ways[0].accepted() >= 2; }));
  ASSERT_TRUE(all_up(locks));
  ways[0].thaw();
  EXPECT_TRUE(eventually([&] { return ways[0].held(direction::requests) == 0; }));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(throughout(300ms, [&] { return nodes.keys() == 0; }));
}

TEST(an_acquire_still_on_its_way, is_undone_by_a_release_right_after_the_grant) {
  masters nodes(3);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  ways[2].hold(direction::requests);
  result<lease> held = locks.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return ways[2].held(direction::requests) > 0; }));
  EXPECT_TRUE(succeeded(held->release()));
  ways[2].pass(direction::requests);
  EXPECT_TRUE(eventually(
      [&] { return locks.nodes()[2].pending == 0 && ways[2].held(direction::requests) == 0; }));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// Rule R5.
TEST(a_release, does_not_wait_for_a_renewal_under_way_and_ends_after_it_on_each_node) {
  masters nodes(3);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 500ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  for (proxy& way : ways) way.hold(direction::replies);
  pending<void> renewing(held->renew_async());
  const auto start = clock::now();
  EXPECT_FALSE(held->release());  // unconfirmed
  EXPECT_LT(clock::now() - start, 5s);
  EXPECT_FALSE(renewing.take());
  for (proxy& way : ways) way.pass(direction::replies);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(throughout(200ms, [&] { return nodes.keys() == 0; }));
}

// The renewal succeeds after the handle has ceased to be held, and before its release is sent:
// which is when stop callbacks run.
TEST(a_release, succeeds_although_a_renewal_does_too_at_the_same_moment) {
  masters nodes(3);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
  for (proxy& way : ways) way.hold(direction::replies);
  pending<void> renewing(held->renew_async());
  for (proxy& way : ways) {
    ASSERT_TRUE(eventually([&] { return way.held(direction::replies) > 0; }));
  }
  signal_log signal(*held, [&] {
    for (proxy& way : ways) way.pass(direction::replies);
    EXPECT_TRUE(eventually([&] { return renewing.ended(); }));
  });
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_EQ(signal.count(), 1);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// Rule N3.
TEST(renewals_that_fail_for_a_part_of_the_ttl, harm_nothing) {
  masters nodes(3);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 200ms;
  o.hung_timeout = 400ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 4s, .renewal = renewal::every(100ms)});
  ASSERT_TRUE(succeeded(held));
  const std::string token(held->token());
  signal_log signal(*held);
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  for (std::size_t i = 0; i < 2; ++i) ways[i].swallow(direction::requests);
  EXPECT_TRUE(throughout(1s, [&] { return nodes.count(key_of("r"), token) == 3; }));
  for (std::size_t i = 0; i < 2; ++i) ways[i].pass(direction::requests);
  const auto healed = held->expires_at();
  EXPECT_TRUE(eventually([&] { return held->expires_at() > healed; }));
  EXPECT_TRUE(held->held());
  EXPECT_EQ(signal.count(), 0);
}

TEST(connections_cut_again_and_again, do_not_end_a_lease) {
  masters nodes(3);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 20s, .renewal = renewal::every(20ms)});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  for (int i = 0; i < 10; ++i) {
    for (proxy& way : ways) way.cut();
    ASSERT_TRUE(all_up(locks));
  }
  const auto healed = held->expires_at();
  EXPECT_TRUE(eventually([&] { return held->expires_at() > healed; }));
  EXPECT_EQ(signal.count(), 0);
}

TEST(connections_cut_at_any_moment, leave_no_key_and_no_call_without_an_end) {
  masters nodes(3);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  std::mt19937 random(7);
  int granted = 0;
  for (int i = 0; i < 60; ++i) {
    pending<lease> op(locks.acquire_async("r" + std::to_string(i), {.ttl = 60s}));
    const auto cut_at = clock::now() + std::chrono::microseconds(random() % 1000);
    EXPECT_TRUE(eventually([&] { return clock::now() >= cut_at; }));
    ways[random() % 3].cut();
    ways[random() % 3].cut();
    granted += op.take().has_value() ? 1 : 0;
  }
  EXPECT_TRUE(all_up(locks));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; })) << nodes.keys();
  EXPECT_TRUE(succeeded(locks.acquire("last", {.wait = 10s})));
}

// All nodes are asked at once; one after the other would take five delays.
TEST(an_acquire, takes_one_round_trip_and_not_one_per_node) {
  masters nodes(5);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  for (proxy& way : ways) way.delay(direction::replies, 300ms);
  const auto start = clock::now();
  const result<lease> held = locks.acquire("r");
  const auto took = clock::now() - start;
  ASSERT_TRUE(succeeded(held));
  EXPECT_GE(took, 300ms);
  EXPECT_LT(took, 900ms);
}

TEST(a_node_that_refuses_connections, is_not_stormed) {
  masters nodes(3);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  const std::size_t before = ways[0].accepted();
  nodes[0].kill();  // the proxy accepts, and resets
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(succeeded(locks.acquire("r" + std::to_string(i))));
  }
  EXPECT_TRUE(throughout(1s, [&] { return ways[0].accepted() - before < 100; }));
  nodes[0].start();
  EXPECT_TRUE(all_up(locks));
}

}  // namespace
}  // namespace redlock::live
