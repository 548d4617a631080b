// The simulator: what it finds in worlds as they are, and what its checks are worth: worlds in
// which no lock of this kind can work must be found out, and soon.

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "sim/shrink.h"
#include "sim/world.h"

namespace redlock::sim {
namespace {

constexpr std::uint64_t seeds = 2'000;

climate turned(climate c, const std::string& knobs_to_turn) {
  std::istringstream words(knobs_to_turn);
  for (std::string word; words >> word;) EXPECT_TRUE(set_knob(c, word)) << word;
  return c;
}

// The first seed whose world, changed so, breaks this rule.
std::optional<specimen> first_to_break(const std::string& rule, const std::string& knobs_to_turn) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const climate c = turned(climate::drawn(seed), knobs_to_turn);
    auto found = run_world(c, seed);
    if (found && found->broken.rule == rule) return specimen{c, seed, *found};
  }
  return {};
}

TEST(worlds, keep_every_rule_under_every_fault_they_are_made_for) {
  coverage seen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto found = world(climate::drawn(seed), seed, seen).run();
    ASSERT_FALSE(found) << "seed " << seed << ": " << found->broken.rule << ": "
                        << found->broken.what;
  }
  EXPECT_EQ(seen.worlds(), seeds);
}

TEST(worlds, meet_every_fault_and_take_every_path) {
  coverage seen;
  for (std::uint64_t seed = 1; seed <= 10 * seeds; ++seed) {
    static_cast<void>(world(climate::drawn(seed), seed, seen).run());
  }
  std::string missing;
  for (const std::string& what : seen.missing()) missing += what + "\n";
  EXPECT_EQ(missing, "");
}

TEST(worlds, are_the_same_history_for_the_same_seed) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    coverage seen;
    world a(climate::drawn(seed), seed, seen);
    world b(climate::drawn(seed), seed, seen);
    static_cast<void>(a.run());
    static_cast<void>(b.run());
    EXPECT_EQ(a.hash(), b.hash()) << seed;
  }
}

TEST(worlds, are_different_histories_for_different_seeds) {
  coverage seen;
  world a(climate::drawn(1), 1, seen);
  world b(climate::drawn(1), 2, seen);
  static_cast<void>(a.run());
  static_cast<void>(b.run());
  EXPECT_NE(a.hash(), b.hash());
}

TEST(worlds, can_be_told_again_from_their_description) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const climate c = climate::drawn(seed);
    EXPECT_EQ(describe(turned(climate{}, describe(c))), describe(c));
  }
  climate c;
  EXPECT_FALSE(set_knob(c, "nodes"));
  EXPECT_FALSE(set_knob(c, "nodes="));
  EXPECT_FALSE(set_knob(c, "nodes=3x"));
  EXPECT_FALSE(set_knob(c, "no_such_knob=1"));
}

TEST(a_world_that_must_fail, is_one_whose_nodes_forget_and_nobody_guards_it) {  // D3
  EXPECT_TRUE(first_to_break("promise", "amnesia=10 strict=1 holders_only=1 restart_guard=0"));
}

TEST(a_world_that_must_fail, is_one_whose_clocks_run_apart_faster_than_the_drift_factor) {  // B19
  EXPECT_TRUE(first_to_break("promise", "fast_nodes_ppm=50000 strict=1"));
}

TEST(a_world_that_must_fail, is_one_whose_clocks_are_stepped_forward_unwatched) {  // D4
  EXPECT_TRUE(first_to_break("promise", "clock_forward=10 strict=1 holders_only=1 clock_guard=0"));
}

TEST(a_world_that_must_fail, is_one_whose_nodes_are_replaced_by_replicas_and_nobody_asks) {  // D3
  EXPECT_TRUE(first_to_break("promise", "failover=10 strict=1 holders_only=1 restart_guard=0"));
}

TEST(a_world_that_must_fail, is_one_whose_nodes_are_wrongly_called_durable) {  // D3
  EXPECT_TRUE(
      first_to_break("promise", "amnesia=10 strict=1 holders_only=1 durable=1 restart_guard=1"));
}

TEST(a_world_with_guards, survives_nodes_that_forget_and_clocks_that_go_forward) {  // D3, D4
  const std::string guarded =
      "restart_guard=1 clock_guard=1 durable=0 clock_back=0 flush_all=0 lose_key=0 overwrite=0 ";
  EXPECT_FALSE(first_to_break(
      "promise", guarded + "amnesia=10 failover=5 clock_forward=5 holders_only=1 young=0"));
}

TEST(a_world_that_must_fail, is_one_whose_nodes_release_without_looking_at_the_token) {  // R4, B61
  EXPECT_TRUE(first_to_break("promise", "blind_release=1"));
}

TEST(a_world_that_must_fail, is_one_whose_nodes_release_nothing) {  // R1, R2
  EXPECT_TRUE(first_to_break("R2", "idle_release=1"));
}

TEST(a_world_that_must_fail, is_one_whose_nodes_take_later_attempts_for_earlier_ones) {  // T2
  EXPECT_TRUE(first_to_break("promise", "any_own_attempt=1 cut=100"));
}

TEST(a_world_that_must_fail, is_one_whose_nodes_give_any_key_to_who_was_told) {  // T2
  EXPECT_TRUE(first_to_break("promise", "fair=1 wakeups=1 any_takeover=1"));
}

TEST(a_world_with_queues, serves_in_order_where_nothing_goes_wrong) {  // Q6
  coverage seen;
  for (std::uint64_t seed = 1; seed <= seeds / 4; ++seed) {
    const climate c = turned(climate{},
                             "fair=1 wakeups=1 nodes=3 clients=5 claims=8 users=2 wait_ms=-1 "
                             "hold_ms=30 delay_us=1000");
    ASSERT_TRUE(c.is_orderly());
    const auto found = world(c, seed, seen).run();
    ASSERT_FALSE(found) << "seed " << seed << ": " << found->broken.what;
  }
  EXPECT_GT(seen.of(core::news::acquired), seeds);
}

TEST(a_world_that_must_fail, is_one_whose_nodes_shorten_a_ttl_on_renewal) {  // N1
  EXPECT_TRUE(first_to_break("promise", "shortening=1 max_hold_ms=300 renews=1"));
}

TEST(a_shrunk_world, is_smaller_and_breaks_the_same_rule) {
  const auto large = first_to_break(
      "promise", "amnesia=10 failover=0 clock_forward=0 strict=1 holders_only=1 restart_guard=0");
  ASSERT_TRUE(large);
  const specimen small = shrink(*large);
  EXPECT_EQ(small.found.broken.rule, "promise");
  EXPECT_LE(small.found.events, large->found.events);
  EXPECT_LE(describe(small.where).size(), describe(large->where).size());
  std::string story;
  const auto again =
      run_world(small.where, small.seed, [&](const std::string& line) { story += line + '\n'; });
  ASSERT_TRUE(again);
  EXPECT_EQ(again->events, small.found.events);
  EXPECT_NE(story.find("FAULT amnesia"), std::string::npos) << story;
  EXPECT_NE(story.find("VIOLATION promise"), std::string::npos) << story;
}

}  // namespace
}  // namespace redlock::sim
