// claim, across handles: a token that is detached, adopted, taken back.

#include <gtest/gtest.h>

#include "core/conversation.h"

namespace redlock::core {
namespace {

using state = claim::state;

conversation adopting(const terms& t, attempt_id k = 1) {
  conversation c(t);
  c.adopt(k);
  EXPECT_EQ(c.where(), state::adopting);
  return c;
}

// Nothing is sent for any reason, however much time passes and whatever nodes come and go.
void expect_silence(conversation& c) {
  for (int i = 0; i < 10; ++i) {
    c.pass(1s);
    EXPECT_TRUE(c.sent().empty());
    c.set_reach({});
    c.set_reach(all_up(3));
    EXPECT_TRUE(c.sent().empty());
  }
}

TEST(AdoptingAClaim, AsksEveryNodeOnceToRenewUnderThatToken) {  // N1
  conversation c = adopting(plain_terms(5), 7);
  EXPECT_EQ(c.sent(verb::renew), (std::vector<node_id>{0, 1, 2, 3, 4}));
  for (const command& sent : c.sent()) EXPECT_EQ(sent.attempt, 7U);
}

TEST(AdoptingAClaim, HoldsAtTheQuorumAndCountsFromTheStartOfTheRound) {  // G2, G3, G4
  conversation c(plain_terms());
  c.skip(100ms);
  c.adopt(1);
  c.pass(20ms);
  c.answer(1, answer::granted);
  EXPECT_FALSE(c.held());
  c.answer(0, answer::granted);
  EXPECT_TRUE(c.held());
  EXPECT_EQ(c.told(), news::acquired);
  EXPECT_EQ(c.valid_until(), 100ms + 1000ms - 12ms);
}

TEST(AdoptingAClaim, TakesNothingButAYesForAYes) {  // G5
  for (const answer no : {answer::refused, answer::absent, answer::foreign, answer::error,
                          answer::replica, answer::denied, answer::unreachable}) {
    conversation c = adopting(plain_terms());
    c.answer(0, answer::granted);
    c.answer(1, no);
    c.answer(2, no);
    EXPECT_EQ(c.where(), state::ended) << word(no);
    EXPECT_EQ(c.told(), news::gave_up);
  }
}

TEST(AdoptingAClaim, NeverTakesBackWhatItMayHaveExtendedHoweverItFails) {  // N3, not R1
  const auto fail_by = [](auto fail) {
    conversation c = adopting(plain_terms());
    c.answer(0, answer::granted);
    fail(c);
    EXPECT_EQ(c.where(), state::ended);
    EXPECT_TRUE(c.claim().finished());
    EXPECT_TRUE(c.sent(verb::release).empty());
    expect_silence(c);
  };
  fail_by([](conversation& c) { c.answer(1, answer::foreign), c.answer(2, answer::absent); });
  fail_by([](conversation& c) { c.answer(1, answer::error), c.answer(2, answer::error); });
  fail_by([](conversation& c) { c.cut(1), c.cut(2); });
  fail_by([](conversation& c) { c.pass(50ms); });
  fail_by([](conversation& c) { c.cancel(); });
  fail_by([](conversation& c) { c.stand_still(2s), c.answer(1, answer::granted); });
}

TEST(AdoptingAClaim, SaysLostWhereARenewalWouldBeALoss) {  // N3
  conversation c = adopting(plain_terms());
  c.answer(0, answer::absent);
  c.answer(1, answer::foreign);
  EXPECT_EQ(c.claim().why(), errc::lost);
}

TEST(AdoptingAClaim, SaysNoQuorumWhereItCannotTell) {
  conversation c = adopting(plain_terms());
  c.answer(0, answer::absent);
  c.answer(1, answer::granted);
  c.cut(2);
  EXPECT_EQ(c.claim().why(), errc::no_quorum);
}

TEST(AdoptingAClaim, MakesNoAttemptUnderTheTokenWhateverTheWait) {  // T1
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c = adopting(t);
  c.answer_all(answer::error);
  EXPECT_EQ(c.where(), state::ended);
  expect_silence(c);
}

TEST(AdoptingAClaim, WaitsForFirstContactBeforeItsClockStarts) {  // G2
  conversation c(plain_terms(), {.up = {}, .fresh = node_set::first(3), .denied = {}});
  c.adopt(1);
  EXPECT_EQ(c.where(), state::contacting);
  c.pass(300ms);
  c.connect(0);
  c.connect(1);
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.valid_until(), 300ms + 988ms);
}

TEST(AnAdoptedClaim, IsRenewedLostAndReleasedLikeAnyOther) {  // N1, N3, N5, R4
  terms t = plain_terms();
  t.renew_every = 300ms;
  conversation c = adopting(t, 4);
  c.answer_all(answer::granted);
  c.pass(300ms);
  ASSERT_FALSE(c.unanswered(0).empty());
  EXPECT_EQ(c.unanswered(0).front().attempt, 4U);
  c.answer_all(answer::absent);
  EXPECT_EQ(c.where(), state::lost);
  c.signalled();
  EXPECT_EQ(c.sent(verb::release), (std::vector<node_id>{0, 1, 2}));
}

TEST(AnAdoptedClaim, RemembersAReleaseForAsLongAsAnyClientsKeyMayStand) {  // R2, D6
  terms t = plain_terms();
  t.max_ttl = 60s;
  conversation c(t, {.up = node_set::first(2), .fresh = {}, .denied = {}});
  c.adopt(1);
  c.answer_all(answer::granted);
  c.release();
  c.answer_all(answer::granted);
  EXPECT_EQ(c.where(), state::ended);
  c.pass(59s);
  EXPECT_FALSE(c.claim().finished());
  c.pass(5s);
  EXPECT_TRUE(c.claim().finished());
}

TEST(ADetachedClaim, IsOverAtOnceAndSendsNothing) {
  terms t = plain_terms();
  t.renew_every = 300ms;
  conversation c(t);
  c.acquire();
  c.answer_all(answer::granted);
  c.detach();
  EXPECT_EQ(c.where(), state::ended);
  EXPECT_TRUE(c.claim().finished());
  EXPECT_EQ(c.times(news::lost) + c.times(news::released), 0);
  expect_silence(c);
}

TEST(ADetachedClaim, WritesNoRenewalAndNoRefillThatStillWaits) {  // R5
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.answer(2, answer::error);  // the refill follows
  c.renew();
  ASSERT_EQ(c.unanswered(2).size(), 2U);
  c.detach();
  for (const node_id n : {node_id{0}, node_id{1}, node_id{2}}) {
    c.write(n);
    EXPECT_TRUE(c.unanswered(n).empty());
  }
}

TEST(ADetachedClaim, ThatFoundItselfLostMeanwhileReleasesNothing) {  // its token may be held again
  conversation c(plain_terms());
  c.acquire();
  c.answer_all(answer::granted);
  c.pass(1s);
  ASSERT_EQ(c.where(), state::lost);
  c.detach();
  EXPECT_TRUE(c.claim().finished());
  expect_silence(c);
}

TEST(TakingATokenBack, EndsAtAQuorumOfAnswersWhateverTheyAre) {  // R4
  conversation c(plain_terms(5));
  c.take_back(9);
  EXPECT_EQ(c.sent(verb::release).size(), 5U);
  c.answer(3, answer::absent);
  c.answer(4, answer::foreign);
  EXPECT_EQ(c.told(), news::none);
  c.answer(0, answer::granted);
  EXPECT_EQ(c.told(), news::released);
}

TEST(TakingATokenBack, IsUnconfirmedAfterOneTimeOutAndGoesOnBehind) {  // R2, R4
  conversation c(plain_terms());
  c.take_back(1);
  c.answer(0, answer::granted);
  c.pass(50ms);
  EXPECT_EQ(c.told(), news::unconfirmed);
  c.cut(1);
  c.connect(1);
  EXPECT_EQ(c.sent(verb::release), std::vector<node_id>{1});
}

}  // namespace
}  // namespace redlock::core
