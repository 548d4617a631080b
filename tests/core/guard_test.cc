// guard: when a node has a vote on acquires. The rules D3, D4 and D6, sentence by sentence.

#include "core/guard.h"

#include <gtest/gtest.h>

#include <vector>

namespace redlock::core {

inline void PrintTo(node_guard g, std::ostream* out) { *out << static_cast<int>(g); }  // NOLINT

namespace {

using namespace std::chrono_literals;

constexpr milliseconds max_ttl = 60s;
constexpr nanoseconds longest = 60s + 600ms + 2ms;  // with the drift of 1 %
constexpr std::chrono::seconds age = 62s;           // ceil(longest) + 1 s
const time_point start{1000s};

guard_terms both() { return {.max_clock_offset = 1s}; }

introduction ran_for(std::chrono::seconds uptime) { return {.told = true, .uptime = uptime}; }

// A node that was set up at `start` and has run for ages.
guard trusted(const guard_terms& t = both()) {
  guard g(t);
  g.on_set_up(ran_for(24h), start);
  g.on_enrolled();
  return g;
}

// What a clock that is `ahead` of ours shows in a reply that took `trip`.
clock_sample sample(time_point received, nanoseconds ahead, nanoseconds trip = 0ns) {
  return {.shown = (received - trip / 2).time_since_epoch() + ahead,
          .sent = received - trip,
          .received = received};
}

TEST(Guard, LetsANodeVoteThatHasRunForLongEnough) {  // D3
  guard g(both());
  g.on_set_up(ran_for(age), start);
  g.on_enrolled();
  EXPECT_LE(g.at(max_ttl).until, start);
}

TEST(Guard, LetsARestartedNodeVoteOnceItsUptimeCoversEveryLockThatItMayHaveForgotten) {  // D3
  guard g(both());
  g.on_set_up(ran_for(10s), start);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + age - 10s);
  EXPECT_EQ(g.at(max_ttl).why, node_guard::restarted);
}

TEST(Guard, BelievesTheYoungestAgeThatAProcessEverGave) {  // its wall clock may have stepped
  guard g(both());
  g.on_set_up(ran_for(10s), start);
  g.on_set_up(ran_for(3600s), start + 1s);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + age - 10s);
}

TEST(Guard, WaitsByOurOwnClockWhenAnotherProcessAnswersWhateverItsUptime) {  // D3
  guard g = trusted();
  introduction other = ran_for(24h);
  other.changed = true;
  g.on_set_up(other, start + 5s);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + 5s + longest);
  EXPECT_EQ(g.at(max_ttl).why, node_guard::restarted);
}

TEST(Guard, WaitsForAPromotedReplicaFromWhenItWasFoundOut) {  // D3
  guard g(both());
  introduction promoted = ran_for(24h);
  promoted.promoted = true;
  g.on_set_up(promoted, start);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + longest);
  EXPECT_EQ(g.at(max_ttl).why, node_guard::promoted);
  g.on_set_up(promoted, start + 30s);  // the same promotion, on another connection
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + longest);
  promoted.again = true;
  g.on_set_up(promoted, start + 40s);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + 40s + longest);
}

TEST(Guard, ExemptsADurableNodeFromEverythingButPromotion) {  // D3
  introduction durable = ran_for(0s);
  durable.durable = true;
  durable.changed = true;
  guard g(both());
  g.on_set_up(durable, start);
  g.on_enrolled();
  EXPECT_LE(g.at(max_ttl).until, start);
  durable.promoted = true;
  g.on_set_up(durable, start);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + longest);
}

// A server that does not tell may have restarted whenever its connection was lost.
TEST(Guard, WaitsForANodeThatDoesNotSayWhoItIsAfterEveryConnection) {  // D3
  guard g(both());
  g.on_set_up({}, start);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + longest);
  EXPECT_EQ(g.at(max_ttl).why, node_guard::unverified);
  g.on_set_up({}, start + 300s);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + 300s + longest);
}

// Its backlog has run out, or it was restarted.
TEST(Guard, RemembersAPromotionThatTheServerHasForgotten) {  // D3
  for (const bool restarted : {false, true}) {
    guard g(both());
    introduction i = ran_for(24h);
    i.durable = i.promoted = true;
    g.on_set_up(i, start);
    i.promoted = false;
    i.changed = restarted;
    g.on_set_up(i, start + 10s);
    g.on_enrolled();
    EXPECT_EQ(g.at(max_ttl).why, node_guard::promoted);
    EXPECT_EQ(g.at(max_ttl).until, start + longest);
  }
}

// It may be a promoted replica, and promotion is what durability does not help against.
TEST(Guard, WaitsForANodeThatDoesNotSayWhoItIsEvenIfItIsDurable) {  // D3
  guard g(both());
  g.on_set_up({.durable = true}, start);
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + longest);
  EXPECT_EQ(g.at(max_ttl).why, node_guard::unverified);
}

TEST(Guard, GivesNoVoteBeforeTheNodeKnowsOurMaxTtl) {  // D6
  guard g(both());
  g.on_set_up(ran_for(24h), start);
  EXPECT_EQ(g.at(max_ttl).until, never);
  EXPECT_EQ(g.at(max_ttl).why, node_guard::not_enrolled);
  g.on_enrolled();
  EXPECT_LE(g.at(max_ttl).until, start);
  g.on_set_up(ran_for(24h), start + 1s);
  EXPECT_EQ(g.at(max_ttl).until, never) << "of every connection anew";
}

TEST(Guard, LastsAsLongAsTheLargestMaxTtlKnownByThen) {  // D6
  guard g(both());
  g.on_set_up(ran_for(100s), start);
  g.on_enrolled();
  EXPECT_LE(g.at(max_ttl).until, start);
  EXPECT_EQ(g.at(1h).until, start - 100s + 1h + 36s + 1s + 1s);
}

TEST(Guard, TakesNoRestartOrPromotionAmissWhenItIsTurnedOff) {
  guard_terms t = both();
  t.restarts = false;
  guard g(t);
  introduction i = ran_for(0s);
  i.changed = i.promoted = true;
  g.on_set_up(i, start);
  g.on_enrolled();
  EXPECT_LE(g.at(max_ttl).until, start);
  g.on_set_up({}, start);
  g.on_enrolled();
  EXPECT_LE(g.at(max_ttl).until, start);
}

TEST(Guard, SeesAStepForward) {  // D4
  guard g = trusted();
  EXPECT_EQ(g.on_sample(sample(start, 1h)), clock_change::none);
  EXPECT_EQ(g.on_sample(sample(start + 1s, 1h)), clock_change::none);
  EXPECT_EQ(g.on_sample(sample(start + 2s, 1h + 2s)), clock_change::forward);
  EXPECT_EQ(g.at(max_ttl).until, never) << "until the largest max_ttl is read again (D6)";
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + 2s + longest);
  EXPECT_EQ(g.at(max_ttl).why, node_guard::clock_stepped);
  EXPECT_EQ(g.step(), 2s);
  EXPECT_EQ(g.on_sample(sample(start + 3s, 1h + 2s)), clock_change::none) << "once";
}

TEST(Guard, TakesNoSlowTripForAStep) {  // D4: only what no trip explains
  guard g = trusted();
  for (int i = 0; i < 2000; ++i) {
    const nanoseconds trip = (i * 7919 % 500) * 1ms;  // 0 to 499 ms, in no order
    const time_point now = start + i * 500ms;
    // The clock was read at the very start of the trip, or at its very end.
    const nanoseconds read = i % 2 == 0 ? 0ns : trip;
    const clock_sample s{
        .shown = (now - trip + read).time_since_epoch() + 5s, .sent = now - trip, .received = now};
    ASSERT_EQ(g.on_sample(s), clock_change::none) << i;
  }
}

TEST(Guard, TakesNoFastClockForAStep) {  // D4: 10 % of the gap
  guard g = trusted();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(g.on_sample(sample(start + i * 1s, i * 99ms, 2ms)), clock_change::none) << i;
  }
  guard h = trusted();
  EXPECT_EQ(h.on_sample(sample(start, 0s)), clock_change::none);
  EXPECT_EQ(h.on_sample(sample(start + 1s, 101ms)), clock_change::forward);
}

TEST(Guard, ComparesWithEachEarlierSampleAndNotOnlyTheLast) {  // D4: a slow trip hides nothing
  guard g = trusted();
  EXPECT_EQ(g.on_sample(sample(start, 0s)), clock_change::none);
  EXPECT_EQ(g.on_sample(sample(start + 1s, 2s, 4s)), clock_change::none) << "it may have been so";
  EXPECT_EQ(g.on_sample(sample(start + 2s, 2s)), clock_change::forward);
}

TEST(Guard, OnlyReportsAStepBack) {  // D4: keys live longer
  guard g = trusted();
  EXPECT_EQ(g.on_sample(sample(start, 0s)), clock_change::none);
  EXPECT_EQ(g.on_sample(sample(start + 1s, -10s)), clock_change::back);
  EXPECT_LE(g.at(max_ttl).until, start);
  EXPECT_EQ(g.step(), -10s);
  EXPECT_EQ(g.on_sample(sample(start + 2s, 0s)), clock_change::forward) << "and forward again";
}

TEST(Guard, TreatsAnUnwatchedClockAheadOfItsPeersAsJustStepped) {  // D4
  guard g = trusted();
  EXPECT_EQ(g.on_sample(sample(start, 1001ms)), clock_change::none);
  EXPECT_TRUE(g.was_unwatched());
  EXPECT_TRUE(g.compare(0s, max_ttl, start));
  EXPECT_EQ(g.at(max_ttl).until, never) << "until the largest max_ttl is read again (D6)";
  g.on_enrolled();
  EXPECT_EQ(g.at(max_ttl).until, start + longest);
  EXPECT_FALSE(g.compare(0s, max_ttl, start)) << "once";
  guard h = trusted();
  EXPECT_EQ(h.on_sample(sample(start, 1s)), clock_change::none);
  EXPECT_FALSE(h.compare(0s, max_ttl, start)) << "within max_clock_offset";
  EXPECT_FALSE(h.compare(2s, max_ttl, start)) << "behind";
}

// A peer that is sampled later may show that the first one is ahead.
TEST(Guard, TellsTheMostThatAClockMayBeAheadAndComparesTheLeast) {  // D4
  guard g = trusted();
  EXPECT_FALSE(g.ahead_at_most());
  EXPECT_EQ(g.on_sample(sample(start, 2s, 4s)), clock_change::none);
  EXPECT_EQ(g.ahead_at_most(), 4s);
  EXPECT_FALSE(g.compare(-1s, max_ttl, start)) << "it may be no further ahead than 0 s";
  EXPECT_TRUE(g.compare(-1001ms, max_ttl, start));
}

TEST(Guard, ComparesAgainForAsLongAsAStepBeforeTheWatchCouldMatter) {  // D4
  guard g = trusted();
  EXPECT_EQ(g.on_sample(sample(start, 10s)), clock_change::none);
  EXPECT_FALSE(g.compare(10s, max_ttl, start));
  EXPECT_EQ(g.on_sample(sample(start + 1s, 10s)), clock_change::none);
  EXPECT_FALSE(g.was_unwatched());
  EXPECT_TRUE(g.compare(0s, max_ttl, start + 1s));
  guard h = trusted();
  for (int i = 0; i <= 60; ++i) {
    EXPECT_EQ(h.on_sample(sample(start + i * 1s, 10s)), clock_change::none);
  }
  EXPECT_FALSE(h.compare(0s, max_ttl, start + 60s));
}

TEST(Guard, CountsAClockAsUnwatchedAfterASecondWithoutASample) {  // D4
  guard g = trusted();
  EXPECT_EQ(g.on_sample(sample(start, 0s)), clock_change::none);
  EXPECT_EQ(g.on_sample(sample(start + 1s, 0s)), clock_change::none);
  EXPECT_FALSE(g.was_unwatched());
  EXPECT_EQ(g.on_sample(sample(start + 2001ms, 0s)), clock_change::none);
  EXPECT_TRUE(g.was_unwatched());
}

TEST(Guard, LooksAtNoClockWhenItIsTurnedOff) {
  guard_terms t = both();
  t.clocks = false;
  guard g = trusted(t);
  EXPECT_EQ(g.on_sample(sample(start, 0s)), clock_change::none);
  EXPECT_EQ(g.on_sample(sample(start + 1s, 1h)), clock_change::none);
  EXPECT_FALSE(g.compare(-1h, max_ttl, start + 1s));
  EXPECT_LE(g.at(max_ttl).until, start);
}

TEST(Yardstick, IsTheMedianOfTheNodesSampledSoFarOrOurOwnClockForASingleOne) {  // D4
  const auto sampled = [](nanoseconds ahead) {
    guard g = trusted();
    EXPECT_EQ(g.on_sample(sample(start, ahead)), clock_change::none);
    return g;
  };
  yardstick none;
  none.add(trusted());
  EXPECT_FALSE(none.length(3, 7s));
  yardstick two;
  two.add(sampled(9s));
  two.add(trusted());  // not sampled yet
  two.add(sampled(1s));
  EXPECT_EQ(two.length(3, 7s), 1s);
  yardstick single;
  single.add(sampled(9s));
  EXPECT_EQ(single.length(1, 7s), 7s);
}

TEST(LowerMedian, IsTheLowerOfTwoInTheMiddle) {
  const auto of = [](std::vector<nanoseconds> all) { return lower_median(all); };
  EXPECT_EQ(of({5ns}), 5ns);
  EXPECT_EQ(of({9ns, 1ns}), 1ns);
  EXPECT_EQ(of({9ns, 1ns, 4ns}), 4ns);
  EXPECT_EQ(of({9ns, 1ns, 4ns, 6ns}), 4ns);
  EXPECT_EQ(of({-3ns, 1ns, -4ns, 6ns, 0ns}), 0ns);
}

}  // namespace
}  // namespace redlock::core
