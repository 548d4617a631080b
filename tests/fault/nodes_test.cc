// Stories of nodes in trouble.

#include <string>

#include "live/live.h"

namespace redlock::fault {
namespace {

using namespace live;

node_status status(const lock_manager& locks, std::size_t i) { return locks.nodes().at(i); }

bool becomes(const lock_manager& locks, std::size_t i, node_state s) {
  return eventually([&] { return status(locks, i).state == s; });
}

TEST(a_node_whose_password_was_changed, is_missed_by_nobody_and_comes_back_with_the_old_one) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::every(50ms)});
  ASSERT_TRUE(succeeded(held));
  nodes[0].set_password("another");
  nodes[0].command({"CLIENT", "KILL", "TYPE", "normal"});
  EXPECT_TRUE(becomes(locks, 0, node_state::denied));
  EXPECT_TRUE(succeeded(locks.acquire("s", {.ttl = 60s})));
  EXPECT_TRUE(succeeded(held->renew()));
  nodes[0].set_password("");
  EXPECT_TRUE(becomes(locks, 0, node_state::up));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(nodes_whose_password_was_changed, stop_renewals_and_the_lease_ends_when_it_said_it_would) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 2s, .renewal = renewal::every(50ms)});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  for (std::size_t i = 0; i < 2; ++i) {
    nodes[i].set_password("another");
    nodes[i].command({"CLIENT", "KILL", "TYPE", "normal"});
  }
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  EXPECT_FALSE(held->held());
  EXPECT_EQ(held->failure()->code(), errc::lost);
}

TEST(a_node_that_is_loading, has_no_vote_and_is_waited_for_by_nobody) {
  masters nodes(
      std::vector<server_options>{{}, {}, {.arguments = {}, .password = {}, .keeps_data = true}});
  nodes[2].fill();
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
  nodes[2].kill();
  nodes[2].start_loading();
  result<lease> other = locks.acquire("s", {.ttl = 60s});
  EXPECT_TRUE(succeeded(other));
  EXPECT_TRUE(succeeded(held->renew()));
  EXPECT_TRUE(becomes(locks, 2, node_state::up));
  EXPECT_EQ(nodes.get(2, key_of("r")), held->token());
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(succeeded(other->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(nodes_that_are_loading, give_no_quorum_until_they_are_done) {
  masters nodes(3, {.arguments = {}, .password = {}, .keeps_data = true});
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 2; ++i) {
    nodes[i].fill();
    nodes[i].kill();
  }
  for (std::size_t i = 0; i < 2; ++i) nodes[i].start_loading();
  // Whether both are still loading when they are asked is up to the machine.
  const result<lease> early = locks.acquire("r", {.ttl = 60s});
  EXPECT_TRUE(early || failed_with(errc::no_quorum, early));
  EXPECT_TRUE(eventually([&] {
    const result<lease> late = locks.acquire("s", {.ttl = 60s});
    return late.has_value();
  }));
}

}  // namespace
}  // namespace redlock::fault
