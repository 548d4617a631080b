// Stories of nodes that restart, with the restart guard (rule D3) and without it.

#include <chrono>
#include <string>

#include "crowd.h"
#include "holders.h"
#include "live/live.h"

namespace redlock::fault {
namespace {

using namespace live;

client_plan holders(masters& nodes, bool guard, std::int64_t ttl_ms) {
  client_plan plan = holder(nodes, ttl_ms);
  plan.restart_guard = guard;
  return plan;
}

// Two of the three nodes that have the first one's key restart empty, while it believes in it.
TEST(nodes_that_restart_empty, let_a_second_owner_in_without_the_guard) {
  masters nodes(3);
  crowd clients;
  ASSERT_TRUE(is_granted_everywhere(clients.add(holders(nodes, false, 60'000))));
  for (std::size_t i = 0; i < 2; ++i) nodes[i].restart();
  EXPECT_TRUE(is_granted(clients.add(holders(nodes, false, 60'000))));
  EXPECT_TRUE(eventually([&] { return !overlaps(clients.written()).empty(); }));
}

TEST(nodes_that_restart_empty, let_nobody_in_with_the_guard_until_all_they_forgot_has_ended) {
  masters nodes(3);
  crowd clients;
  client& first = clients.add(holders(nodes, true, 3000));
  ASSERT_TRUE(is_granted_everywhere(first));
  for (std::size_t i = 0; i < 2; ++i) nodes[i].restart();
  client& second = clients.add(holders(nodes, true, 3000));
  EXPECT_TRUE(is_granted(second));
  EXPECT_GT(first.written().losses, 0U);
  EXPECT_TRUE(overlaps(clients.written()).empty());
}

TEST(nodes_that_restart_empty, say_that_they_are_guarded_and_vote_again_later) {
  masters nodes(3);
  options o = nodes.options();
  o.restart_guard = true;
  o.max_ttl = 3s;
  lock_manager locks(std::move(o));
  result<lease> held = locks.acquire("r", {.ttl = 3s, .wait = patience});
  ASSERT_TRUE(succeeded(held));
  for (std::size_t i = 0; i < 2; ++i) nodes[i].restart();
  ASSERT_TRUE(all_up(locks));
  const result<lease> refused = locks.acquire("s", {.ttl = 3s});
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_EQ(count(refused.error(), answer::guarded), 2U) << refused.error().message();
  EXPECT_TRUE(succeeded(locks.acquire("s", {.ttl = 3s, .wait = patience})));
}

TEST(nodes_that_restart_with_all_they_had, vote_at_once_where_the_operator_said_so) {
  masters nodes(3, {.arguments = {}, .password = {}, .keeps_data = true});
  options o = nodes.options();
  o.restart_guard = true;
  for (endpoint& node : o.nodes) node.durable = true;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.restart();
  ASSERT_TRUE(all_up(locks));
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", {.ttl = 60s})));
  EXPECT_TRUE(succeeded(locks.acquire("s", {.ttl = 60s})));
  EXPECT_TRUE(held->held());
}

}  // namespace
}  // namespace redlock::fault
