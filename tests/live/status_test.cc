// What a lock_manager tells about nodes and holders.

#include <string>

#include "fake_server.h"
#include "live.h"

namespace redlock::live {
namespace {

TEST(the_nodes, are_reported_in_their_order_with_state_and_latency) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  { const result<lease> held = locks.acquire("r"); }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(eventually([&] { return locks.nodes()[i].latency > 0ns; }));
    EXPECT_TRUE(eventually([&] { return locks.nodes()[i].pending == 0; }));
    const node_status n = locks.nodes()[i];
    EXPECT_EQ(n.node, nodes[i].name());
    EXPECT_EQ(n.state, node_state::up);
    EXPECT_EQ(n.connects, 1U);
    EXPECT_LT(n.latency, 2s);
  }
}

TEST(a_node, is_reported_down_when_it_is_and_up_when_it_is_back) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes[1].kill();
  EXPECT_TRUE(eventually([&] { return locks.nodes()[1].state != node_state::up; }));
  EXPECT_TRUE(eventually([&] { return !locks.nodes()[1].last_error.empty(); }));
  EXPECT_EQ(locks.nodes()[0].state, node_state::up);
  nodes[1].start();
  EXPECT_TRUE(all_up(locks));
  EXPECT_GE(locks.nodes()[1].connects, 2U);
}

TEST(a_node, is_reported_connecting_while_it_is_and_down_when_that_failed) {
  const black_hole hole;
  masters nodes(2);
  options o = nodes.options();
  o.nodes.emplace_back(hole.uri());
  o.connect_timeout = 200ms;
  lock_manager locks(std::move(o));
  EXPECT_TRUE(eventually([&] { return locks.nodes()[2].state == node_state::connecting; }));
  EXPECT_TRUE(eventually([&] { return locks.nodes()[2].state == node_state::down; }));
  EXPECT_EQ(locks.nodes()[2].last_error, "the connection was not made in time");
  EXPECT_TRUE(eventually([&] { return locks.nodes()[2].state == node_state::connecting; }));
}

TEST(a_hung_node, shows_what_it_has_not_answered) {
  masters nodes(3);
  options o = nodes.options();
  o.hung_timeout = 60s;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes[0].stop();
  const result<lease> held = locks.acquire("r");
  EXPECT_TRUE(eventually([&] { return locks.nodes()[0].pending > 0; }));
  nodes[0].cont();
  EXPECT_TRUE(eventually([&] { return locks.nodes()[0].pending == 0; }));
}

TEST(the_state_of_the_nodes, is_told_at_once_even_if_none_answers) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (redis_server& node : nodes) node.stop();
  const auto start = clock::now();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(locks.nodes().size(), 3U);
  EXPECT_LT(clock::now() - start, 2s);
}

TEST(an_inspection, tells_who_holds_a_resource_where_and_for_how_long) {
  masters nodes(5);
  options named = nodes.options();
  named.client_name = "holder-1";
  lock_manager holder(std::move(named));
  lock_manager other(nodes.options());
  ASSERT_TRUE(all_up(holder) && all_up(other));
  const result<lease> held = holder.acquire("r", {.ttl = 10s});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  const result<holdings> seen = other.inspect("r");
  ASSERT_TRUE(succeeded(seen));
  EXPECT_TRUE(seen->held());
  EXPECT_TRUE(seen->known);
  EXPECT_EQ(seen->token, held->token());
  EXPECT_EQ(seen->holder(), "holder-1");
  EXPECT_GE(seen->votes, 3U);
  EXPECT_EQ(seen->quorum, 3U);
  ASSERT_EQ(seen->nodes.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    const node_holding& n = seen->nodes[i];
    EXPECT_EQ(n.node, nodes[i].name());
    EXPECT_EQ(n.answer, answer::granted);
    EXPECT_EQ(n.token, held->token());
    EXPECT_GT(n.ttl, 0ms);
    EXPECT_LE(n.ttl, 10s);
  }
}

TEST(an_inspection, of_a_free_resource_says_that_it_is_free) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<holdings> seen = locks.inspect("r");
  ASSERT_TRUE(succeeded(seen));
  EXPECT_FALSE(seen->held());
  EXPECT_TRUE(seen->known);
  EXPECT_EQ(seen->holder(), "");
  for (const node_holding& n : seen->nodes) EXPECT_EQ(n.answer, answer::absent);
  EXPECT_EQ(nodes.keys(), 0U);
}

TEST(an_inspection, tells_foreign_keys_from_locks) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"RPUSH", key_of("r"), "x"});
  nodes[1].command({"SET", key_of("r"), "without expiry"});
  nodes.set(2, key_of("r"), "a token", 60s);
  const result<holdings> seen = locks.inspect("r");
  ASSERT_TRUE(succeeded(seen));
  EXPECT_FALSE(seen->held());
  EXPECT_EQ(seen->nodes[0].answer, answer::foreign);
  EXPECT_EQ(seen->nodes[1].answer, answer::foreign);
  EXPECT_EQ(seen->nodes[2].answer, answer::granted);
  EXPECT_EQ(seen->nodes[2].token, "a token");
  EXPECT_EQ(seen->votes, 1U);
}

TEST(an_inspection, with_a_minority_dead_still_knows) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  nodes[0].kill();
  nodes[1].kill();
  const result<holdings> seen = locks.inspect("r");
  ASSERT_TRUE(succeeded(seen));
  EXPECT_TRUE(seen->held());
  EXPECT_TRUE(seen->known);
}

TEST(an_inspection, with_a_majority_dead_admits_that_it_does_not_know) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 300ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes[i].kill();
  const result<holdings> seen = locks.inspect("r");
  ASSERT_TRUE(succeeded(seen));
  EXPECT_FALSE(seen->held());
  EXPECT_FALSE(seen->known);
}

TEST(an_inspection, takes_no_longer_than_one_node_timeout) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (redis_server& node : nodes) node.stop();
  const auto start = clock::now();
  const result<holdings> seen = locks.inspect("r");
  EXPECT_LT(clock::now() - start, 2s);
  ASSERT_TRUE(succeeded(seen));
  EXPECT_FALSE(seen->known);
}

TEST(queries, of_a_lease_never_wait_for_a_node) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r", {.ttl = 30s});
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.stop();
  const auto start = clock::now();
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(held->held());
    ASSERT_GT(held->remaining(), 0s);
  }
  EXPECT_LT(clock::now() - start, 3s);
  for (redis_server& node : nodes) node.cont();
}

}  // namespace
}  // namespace redlock::live
