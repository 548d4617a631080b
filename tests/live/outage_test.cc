// Nodes that die, hang and come back.

#include <filesystem>
#include <string>
#include <tuple>

#include "live.h"

namespace redlock::live {
namespace {

enum class outage { killed, stopped };

void strike(redis_server& node, outage how) {
  if (how == outage::killed) {
    node.kill();
  } else {
    node.stop();
  }
}

void heal(redis_server& node, outage how) {
  if (how == outage::killed) {
    node.start();
  } else {
    node.cont();
  }
}

class with : public testing::TestWithParam<std::tuple<outage, std::size_t>> {
 protected:
  [[nodiscard]] outage how() const { return std::get<0>(GetParam()); }
  [[nodiscard]] std::size_t struck() const { return std::get<1>(GetParam()); }
  void strike_some(masters& nodes) const {
    for (std::size_t i = 0; i < struck(); ++i) strike(nodes[i], how());
  }
  void heal_some(masters& nodes) const {
    for (std::size_t i = 0; i < struck(); ++i) heal(nodes[i], how());
  }
};

// A node time-out far beyond the limit shows that nobody waits for the dead (rule G4); with
// fairness, for that long, a grant waits for its lead (G3).
TEST_P(with, up_to_two_of_five_nodes_gone_a_lock_is_granted_and_released_promptly) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 30s;
  o.hung_timeout = 60s;
  o.fairness = false;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  strike_some(nodes);
  const auto start = clock::now();
  result<lease> held = locks.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  EXPECT_EQ(nodes.count(key_of("r"), held->token()), 5 - struck());
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_LT(clock::now() - start, 15s);
  heal_some(nodes);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST_P(with, up_to_two_of_five_nodes_gone_from_the_beginning_a_lock_is_granted) {
  masters nodes(5);
  strike_some(nodes);
  options o = nodes.options();
  o.connect_timeout = 1s;
  lock_manager locks(std::move(o));
  const auto start = clock::now();
  const result<lease> held = locks.acquire("r");
  EXPECT_LT(clock::now() - start, 5s);
  EXPECT_TRUE(succeeded(held));
}

TEST_P(with, up_to_two_of_five_nodes_gone_a_lease_stands) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 600ms});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  strike_some(nodes);
  EXPECT_TRUE(throughout(1800ms, [&] { return held->held(); }));
  EXPECT_EQ(signal.count(), 0);
  EXPECT_EQ(held->nodes_held(), 5 - struck());
}

TEST_P(with, up_to_two_of_five_nodes_back_a_lease_is_on_all_five_again) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 20s, .renewal = renewal::every(100ms)});
  ASSERT_TRUE(succeeded(held));
  strike_some(nodes);
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 5 - struck(); }));
  heal_some(nodes);
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 5; }));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 5; }));
  EXPECT_TRUE(all_up(locks));
}

std::string outage_name(const testing::TestParamInfo<with::ParamType>& test) {
  const auto [how, struck] = test.param;
  return std::to_string(struck) + (how == outage::killed ? "_killed" : "_stopped");
}

INSTANTIATE_TEST_SUITE_P(one_or_two, with,
                         testing::Combine(testing::Values(outage::killed, outage::stopped),
                                          testing::Values(1U, 2U)),
                         outage_name);

TEST(without_a_majority, no_lock_is_granted_and_no_key_is_left) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 300ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes[i].kill();
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_GE(refused.error().votes().faults, 3);
  EXPECT_GE(count(refused.error(), answer::unreachable) + count(refused.error(), answer::timed_out),
            3U);
  EXPECT_NE(refused.error().message().find(nodes[0].name()), std::string::npos);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// Rules R1 and R2: what a hung node took in, it is told to undo.
TEST(without_a_majority, that_only_hangs_no_key_is_left_when_it_goes_on) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes[i].stop();
  const result<lease> refused = locks.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_GE(count(refused.error(), answer::timed_out), 3U);
  for (std::size_t i = 0; i < 3; ++i) nodes[i].cont();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(throughout(200ms, [&] { return nodes.keys() == 0; }));
}

TEST(a_wait, outlasts_an_outage_of_the_majority) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes[0].kill();
  nodes[1].kill();
  pending<lease> waiting(locks.acquire_async("r", {.ttl = 60s, .wait = wait_forever}));
  EXPECT_TRUE(throughout(300ms, [&] { return !waiting.ended(); }));
  nodes[1].start();
  const result<lease> held = waiting.take();
  EXPECT_TRUE(succeeded(held));
}

TEST(one_dead_node_and_a_held_lock, is_told_as_a_held_lock) {
  masters nodes(5);
  lock_manager holder(nodes.options());
  lock_manager other(nodes.options());
  ASSERT_TRUE(all_up(holder) && all_up(other));
  const result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  nodes[0].kill();
  EXPECT_TRUE(failed_with(errc::held_by_other, other.acquire("r")));
}

TEST(a_restarted_node, is_used_again) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes[0].restart();
  EXPECT_TRUE(eventually([&] { return locks.nodes()[0].connects == 2; }));
  ASSERT_TRUE(all_up(locks));
  nodes[1].stop();  // so that the restarted one is needed
  const result<lease> held = locks.acquire("r");
  EXPECT_TRUE(succeeded(held));
  EXPECT_EQ(nodes.count(key_of("r")), 2U);
}

TEST(nodes_restarted_one_after_the_other, do_not_end_a_lease) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 20s, .renewal = renewal::every(50ms)});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  for (redis_server& node : nodes) {
    ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
    ASSERT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
    node.restart();
  }
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
  EXPECT_TRUE(held->held());
  EXPECT_EQ(signal.count(), 0);
}

TEST(nodes_that_come_up_later, are_connected_to_by_themselves) {
  masters nodes(3);
  for (redis_server& node : nodes) node.kill();
  lock_manager locks(nodes.options());
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("r")));
  for (redis_server& node : nodes) node.start();
  EXPECT_TRUE(all_up(locks));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(a_node_that_hangs_for_long, is_reconnected_to_without_a_leak_and_used_again) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 50ms;
  o.connect_timeout = 100ms;
  o.hung_timeout = 100ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = descriptors();
  nodes[0].stop();
  const auto end = clock::now() + 1500ms;
  for (int i = 0; clock::now() < end; ++i) {
    EXPECT_TRUE(succeeded(locks.acquire("r" + std::to_string(i), {.wait = 5s})));
    EXPECT_LE(descriptors(), before + 1);
  }
  EXPECT_NE(locks.nodes()[0].state, node_state::up);
  nodes[0].cont();
  EXPECT_TRUE(all_up(locks));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_EQ(descriptors(), before);
}

// A pause of all commands looks like a network that delivers late.
TEST(an_acquire, that_paused_servers_run_later_leaves_no_key) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 100ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (redis_server& node : nodes) node.command({"CLIENT", "PAUSE", "600", "ALL"});
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("r", {.ttl = 60s})));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(eventually([&] { return locks.nodes()[i].pending == 0; }));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::live
