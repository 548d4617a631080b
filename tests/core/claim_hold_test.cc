// claim, from the grant on: renewal and loss (rules N). Refills are in claim_refill_test.cc.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/conversation.h"

namespace redlock::core {
namespace {

using state = claim::state;

terms renewing(nanoseconds every = 333ms) {
  terms t = plain_terms();
  t.renew_every = every;
  return t;
}

conversation held(const terms& t) {
  conversation c(t);
  c.acquire();
  c.answer_all(answer::granted);
  EXPECT_EQ(c.where(), state::held);
  return c;
}

TEST(Claim, ExtendsItsValidityFromBeforeTheRenewalWasSent) {  // N1, B35
  conversation c = held(plain_terms());
  c.pass(400ms);
  c.renew();
  c.pass(30ms);
  c.answer(0, answer::granted);
  EXPECT_EQ(c.valid_until(), 988ms);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.told(), news::renewed);
  EXPECT_EQ(c.valid_until(), 400ms + 988ms);
}

TEST(Claim, RenewsOnlyBeforeTheEndOfTheOldValidity) {  // N1, N4
  terms t = plain_terms();
  conversation c = held(t);
  c.pass(987ms);
  c.renew();
  c.answer(0, answer::granted);
  c.skip(1ms);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.told(), news::lost);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.where(), state::lost);
}

TEST(Claim, SendsNoRenewalThatWaitedPastTheSignal) {  // N1
  terms t = plain_terms();
  t.stop_margin = 100ms;
  conversation c = held(t);
  c.pass(870ms);
  c.renew();
  const command renewal = c.sent()[0];
  EXPECT_TRUE(c.claim().wants(renewal, c.now()));
  EXPECT_FALSE(c.claim().wants(renewal, c.now() + 18ms)) << "the signal, at 888 ms";
}

TEST(Claim, JoinsARenewalThatIsUnderWay) {  // N6: one round in flight per handle
  conversation c = held(plain_terms());
  c.renew();
  EXPECT_EQ(c.sent(verb::renew).size(), 3U);
  c.renew();
  EXPECT_TRUE(c.sent().empty());
  c.answer_all(answer::granted);
  EXPECT_EQ(c.times(news::renewed), 1);
}

TEST(Claim, TellsOneThingAtATimeWhenOneRenewalEndsAsAnotherFails) {
  conversation c = held(plain_terms());
  c.renew();
  c.skip(50ms);  // its time is over, but nobody has looked
  c.set_reach({});
  c.renew();
  EXPECT_EQ(c.told(), news::renew_failed) << "the first";
  c.pass(50ms);
  EXPECT_EQ(c.times(news::renew_failed), 2) << "the second";
}

TEST(Claim, DoesNotLetLatenessAddUp) {  // N6, B45
  constexpr nanoseconds every = 333ms;
  constexpr nanoseconds late_most = 10ms;
  conversation c = held(renewing(every));
  nanoseconds start = 0ns;
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_GT(c.wakes_at() - start, every - every / 10 - 2ns);
    ASSERT_LE(c.wakes_at() - start, every);
    c.skip(c.wakes_at() - c.clock() + late_most * (i % 10) / 9);
    c.wake();
    ASSERT_EQ(c.sent(verb::renew).size(), 3U);
    start = c.clock();
    c.skip(40ms);  // nor does the time that the nodes take
    c.answer_all(answer::granted);
    ASSERT_EQ(c.valid_until(), start + 988ms);
  }
  EXPECT_EQ(c.times(news::renewed), 10'000);
}

TEST(Claim, SpreadsTheRenewalsOfLeasesTakenTogether) {  // N6
  std::vector<nanoseconds> first;
  for (std::uint64_t who = 1; who <= 1000; ++who) {
    conversation c(renewing(300ms), all_up(3), {who * 0x9e3779b97f4a7c15U, who});
    c.acquire();
    c.answer_all(answer::granted);
    first.push_back(c.wakes_at());
  }
  std::ranges::sort(first);
  EXPECT_GE(first.front(), 270ms);
  EXPECT_LE(first.back(), 300ms);
  for (int tenth = 0; tenth < 10; ++tenth) {
    const auto from = 270ms + tenth * 3ms;
    const auto here = [&](nanoseconds t) { return t >= from && t < from + 3ms; };
    EXPECT_NEAR(static_cast<double>(std::ranges::count_if(first, here)), 100, 50);
  }
}

TEST(Claim, IsHeldNoLongerThanMaxHold) {  // N7, B44
  for (const nanoseconds most : {1000ms, 1001ms, 1500ms, 2000ms, 3333ms, 10'000ms}) {
    terms t = renewing();
    t.max_hold = most;
    conversation c = held(t);
    int after_the_last = 0;
    while (c.where() == state::held) {
      c.pass(c.wakes_at() - c.clock());
      if (c.sent(verb::renew).empty()) continue;
      EXPECT_LE(c.clock() + c.sent()[0].ttl, most + 1ms) << "no key outlives it";
      if (c.sent()[0].ttl < 1000ms) ++after_the_last;
      c.answer_all(answer::granted);
    }
    EXPECT_LE(after_the_last, 1) << "one last renewal, for what is left";
    EXPECT_LE(c.valid_until(), most);
    EXPECT_GE(c.valid_until(), most - 13ms) << "less the drift, and no more";
    EXPECT_EQ(c.told(), news::lost);
  }
}

TEST(Claim, CountsMaxHoldFromBeforeTheAcquireWasSent) {  // N7
  terms t = renewing();
  t.max_hold = 1000ms;
  conversation c(t);
  c.acquire();
  c.pass(40ms);
  c.answer_all(answer::granted);
  while (c.where() == state::held) {
    c.pass(c.wakes_at() - c.clock());
    c.answer_all(answer::granted);
  }
  EXPECT_LE(c.valid_until(), 1000ms);
}

TEST(Claim, IsNotHeldPastMaxHoldByRenewingByHand) {  // N7
  terms t = plain_terms();
  t.max_hold = 1500ms;
  conversation c = held(t);
  nanoseconds before = c.valid_until();
  while (true) {
    c.pass(7ms + 333us);
    if (c.where() != state::held) break;
    c.renew();
    if (c.where() != state::held) break;
    c.answer_all(answer::granted);
    ASSERT_GE(c.valid_until(), before) << "nor ever shortened (N1)";
    before = c.valid_until();
  }
  EXPECT_LE(c.valid_until(), 1500ms);
}

TEST(Claim, SignalsAtItsStopMarginAndIsHeldUntilItsValidityEnds) {  // N5
  terms t = plain_terms();
  t.stop_margin = 200ms;
  conversation c = held(t);
  EXPECT_EQ(c.wakes_at(), 788ms);
  c.pass(788ms);
  EXPECT_EQ(c.told(), news::expiring);
  EXPECT_EQ(c.where(), state::held);
  EXPECT_EQ(c.wakes_at(), 988ms);
  c.renew();
  EXPECT_TRUE(c.sent().empty()) << "no renewal after the signal";
  EXPECT_EQ(c.told(), news::renew_failed);
  c.pass(200ms);
  EXPECT_EQ(c.told(), news::lost);
  EXPECT_TRUE(c.sent().empty()) << "no release before the owner has been told";
  c.signalled();
  EXPECT_EQ(c.sent(verb::release).size(), 3U);
}

TEST(Claim, IsLostOnceSoManyNodesDisownItThatNoQuorumCanBe) {  // N3
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    terms t = plain_terms(nodes);
    conversation c = held(t);
    c.renew();
    const std::size_t spare = nodes - t.quorum;
    for (node_id n = 0; n <= spare; ++n) {
      ASSERT_EQ(c.where(), state::held);
      c.answer(n, n % 2 == 0 ? answer::absent : answer::foreign);
    }
    ASSERT_EQ(c.told(), news::lost) << nodes;
    ASSERT_EQ(c.claim().why(), errc::lost);
  }
}

TEST(Claim, IsNotLostWhileThoseThatSaidNothingCouldStillMakeAQuorum) {  // N3
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    const terms t = plain_terms(nodes);
    conversation c = held(t);
    c.renew();
    const std::size_t spare = nodes - t.quorum;
    for (node_id n = 0; n < nodes; ++n) c.answer(n, n < spare ? answer::absent : answer::error);
    ASSERT_EQ(c.where(), state::held) << nodes;
    ASSERT_EQ(c.times(news::renew_failed), 1);
  }
}

TEST(Claim, IsNotLostByFaultsHoweverMany) {  // N3, B39, B41
  conversation c = held(renewing());
  for (const answer a : {answer::error, answer::unreachable, answer::replica, answer::denied}) {
    c.pass(c.wakes_at() - c.clock());
    c.answer_all(a);
    EXPECT_EQ(c.times(news::lost), 0);
    EXPECT_TRUE(c.sent().empty()) << "no key is touched";
  }
  EXPECT_EQ(c.times(news::renew_failed), 4);
  c.pass(c.wakes_at() - c.clock());
  c.answer_all(answer::granted);
  EXPECT_EQ(c.told(), news::none);
  EXPECT_EQ(c.times(news::renewed), 1);
}

// How long the nodes fail, from the first renewal on, decides, and nothing else.
void expect_lost_iff_the_burst_outlives_the_validity(answer a, nanoseconds slack) {
  for (nanoseconds burst = 0ms; burst < 1000ms; burst += 5ms) {
    conversation c = held(renewing());
    c.pass(c.wakes_at() - c.clock());
    const nanoseconds begin = c.clock();
    const nanoseconds validity_end = 988ms;
    nanoseconds lost_at = 0ns;
    c.listen = [&] {
      if (c.told() == news::lost) lost_at = c.clock();
    };
    while (c.where() == state::held && c.times(news::renewed) == 0) {
      if (a == answer::timed_out && c.clock() < begin + burst) {
        c.pass(1ms);  // they are silent
        continue;
      }
      c.answer_all(c.clock() < begin + burst ? a : answer::granted);
      if (c.where() == state::held && c.times(news::renewed) == 0) {
        c.pass(std::max<nanoseconds>(c.wakes_at() - c.clock(), 0ns));
      }
    }
    if (begin + burst >= validity_end) {
      ASSERT_EQ(c.where(), state::lost) << "a burst of " << burst / 1ms;
      ASSERT_EQ(lost_at, validity_end) << "never earlier, never later";
    } else if (begin + burst < validity_end - slack) {
      ASSERT_EQ(c.where(), state::held) << "a burst of " << burst / 1ms;
    }
  }
}

TEST(Claim, IsLostIfAndOnlyIfErrorsOutliveItsValidity) {  // B41, B36
  expect_lost_iff_the_burst_outlives_the_validity(answer::error, 2ms);
}

TEST(Claim, IsLostIfAndOnlyIfSilenceOutlivesItsValidity) {  // B41
  expect_lost_iff_the_burst_outlives_the_validity(answer::timed_out, 2ms);
}

TEST(Claim, ExpiresWhatHasExpiredBeforeItTakesNoteOfANode) {  // C4
  conversation c(plain_terms());
  c.acquire();
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);
  c.skip(2000ms);
  c.cut(2);
  EXPECT_EQ(c.where(), state::lost);
}

}  // namespace
}  // namespace redlock::core
