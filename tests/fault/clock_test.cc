// Stories of nodes whose wall clock is stepped, with the clock guard (rule D4) and without it.

#include <chrono>
#include <string>

#include "crowd.h"
#include "holders.h"
#include "live/live.h"
#include "stepped.h"

namespace redlock::fault {
namespace {

using namespace live;

options guarded(const masters& nodes) {
  options o = nodes.options();
  o.clock_guard = true;
  return o;
}

// Without the guard against restarts: these servers have just been started.
client_plan holders(masters& nodes, bool guard, std::int64_t ttl_ms) {
  client_plan plan = holder(nodes, ttl_ms);
  plan.restart_guard = false;
  plan.clock_guard = guard;
  return plan;
}

TEST(one_clock_of_three_that_is_set_ahead, costs_no_lock) {
  masters nodes(3, stepped());
  lock_manager locks(guarded(nodes));
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::every(100ms)});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
  signal_log signal(*held);
  nodes[0].step_clock(1h);
  EXPECT_TRUE(throughout(3s, [&] { return held->held(); }));
  EXPECT_EQ(signal.count(), 0);
  EXPECT_TRUE(eventually([&] { return nodes.get(0, key_of("r")) == held->token(); }));
  EXPECT_TRUE(succeeded(held->release()));
}

// The lease has a minute left by its own clock when its keys expire on two of three nodes.
TEST(two_clocks_of_three_that_are_set_ahead, end_the_lease_with_a_signal) {
  masters nodes(3, stepped());
  lock_manager locks(guarded(nodes));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
  signal_log signal(*held);
  for (std::size_t i = 0; i < 2; ++i) nodes[i].step_clock(1h);
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  EXPECT_FALSE(held->held());
  ASSERT_TRUE(held->failure());
  EXPECT_EQ(held->failure()->code(), errc::lost);
}

// And no other client that has watched the nodes gets in before. One that comes afterwards sees two
// clocks that agree, and a third that is behind: that is outside of what the guard can tell.
TEST(two_clocks_of_three_that_are_set_ahead, let_nobody_in_while_the_first_believes) {
  masters nodes(3, stepped());
  crowd clients;
  client& first = clients.add(holders(nodes, true, 3000));
  ASSERT_TRUE(is_granted_everywhere(first));
  client& second = clients.add(holders(nodes, true, 3000));
  ASSERT_TRUE(eventually([&] { return second.written().failures > 0; }));  // it has asked them
  for (std::size_t i = 0; i < 2; ++i) nodes[i].step_clock(1h);
  EXPECT_TRUE(is_granted(second));
  EXPECT_GT(first.written().losses, 0U);
  EXPECT_TRUE(overlaps(clients.written()).empty());
}

TEST(two_clocks_of_three_that_are_set_ahead, let_a_second_owner_in_without_the_guard) {
  masters nodes(3, stepped());
  crowd clients;
  ASSERT_TRUE(is_granted_everywhere(clients.add(holders(nodes, false, 60'000))));
  for (std::size_t i = 0; i < 2; ++i) nodes[i].step_clock(1h);
  EXPECT_TRUE(is_granted(clients.add(holders(nodes, false, 60'000))));
  EXPECT_TRUE(eventually([&] { return !overlaps(clients.written()).empty(); }));
}

// Its peers tell, or, if it has none, the client's own wall clock.
TEST(a_clock_that_is_ahead_at_first_contact, costs_its_node_its_vote) {
  masters nodes(3, stepped());
  nodes[2].step_clock(1h);
  lock_manager locks(guarded(nodes));
  ASSERT_TRUE(all_up(locks));
  EXPECT_TRUE(eventually([&] { return locks.nodes()[2].guard == node_guard::clock_stepped; }));
  EXPECT_EQ(locks.nodes()[0].guard, node_guard::none);
  EXPECT_EQ(locks.nodes()[1].guard, node_guard::none);
  options single = guarded(nodes);
  single.nodes = {nodes[2].uri()};
  lock_manager alone(single);
  ASSERT_TRUE(all_up(alone));
  EXPECT_TRUE(failed_with(errc::no_quorum, alone.acquire("r")));
  EXPECT_EQ(alone.nodes()[0].guard, node_guard::clock_stepped);
}

// The reply that carries the vote is the first that shows the step.
TEST(a_clock_that_is_set_ahead, costs_its_node_the_vote_on_the_very_reply_that_shows_it) {
  masters nodes(1, stepped());
  for (int i = 0; i < 20; ++i) {
    lock_manager locks(guarded(nodes));
    ASSERT_TRUE(all_up(locks));
    nodes[0].step_clock(10s);
    const result<lease> r = locks.acquire("r" + std::to_string(i), {.ttl = 5s});
    ASSERT_TRUE(failed_with(errc::no_quorum, r));
    EXPECT_EQ(count(r.error(), answer::guarded), 1U) << r.error().message();
    nodes[0].step_clock(-10s);
  }
}

TEST(clocks_that_are_set_back, cost_no_lock) {
  masters nodes(3, stepped());
  lock_manager locks(guarded(nodes));
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::every(100ms)});
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.step_clock(-10s);
  EXPECT_TRUE(throughout(1s, [&] { return held->held(); }));
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::fault
