// claim, to the end: release, and what is remembered of it (rules R, N5).

#include <gtest/gtest.h>

#include "core/conversation.h"

namespace redlock::core {
namespace {

using state = claim::state;

conversation held(const terms& t) {
  conversation c(t);
  c.acquire();
  c.answer_all(answer::granted);
  EXPECT_EQ(c.where(), state::held);
  return c;
}

TEST(Claim, TellsEveryNodeOfItsReleaseEvenWhereNothingWasSet) {  // R4, B63
  conversation c(plain_terms(5), {.up = node_set::first(3), .fresh = {}, .denied = {}});
  c.acquire();
  c.answer_all(answer::granted);
  c.connect(4);
  c.answer(4, answer::error);  // the refill
  c.release();
  EXPECT_EQ(c.sent(verb::release), (std::vector<node_id>{0, 1, 2, 4}));
  c.answer(0, answer::error);
  c.answer(1, answer::granted);
  c.answer(2, answer::absent);
  EXPECT_EQ(c.told(), news::none);
  c.answer(4, answer::foreign);
  EXPECT_EQ(c.told(), news::released);
}

TEST(Claim, IsNotReleasedByAnswersToTheReleaseOfAnEarlierAttempt) {  // R4, G5
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.acquire();
  c.pass(90ms);  // nobody answers; the second attempt
  ASSERT_EQ(c.claim().attempt(), 2U);
  for (const node_id n : {node_id{0}, node_id{1}}) {
    c.answer(n, answer::granted);  // the first acquire
    c.answer(n, answer::error);    // its release, which is sent again
    c.answer(n, answer::granted);  // the second acquire
  }
  ASSERT_EQ(c.where(), state::held);
  c.pass(60ms);
  ASSERT_EQ(c.unanswered(0).size(), 1U);
  c.release();
  c.answer(0, answer::absent);
  c.answer(1, answer::absent);
  EXPECT_EQ(c.where(), state::releasing);
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.told(), news::released);
}

TEST(Claim, AsksNodesThatNeverHadTheKeyToo) {  // R4: q answers, whoever gives them
  conversation c(plain_terms(), {.up = node_set::first(2), .fresh = {}, .denied = {}});
  c.acquire();
  c.answer_all(answer::granted);
  c.renew();
  c.connect(2);  // in time for the release, and for nothing before it
  c.release();
  EXPECT_EQ(c.sent(verb::release), (std::vector<node_id>{0, 1, 2}));
  c.answer_all(answer::granted);  // the renewal, and two of the releases
  EXPECT_TRUE(c.claim().finished());
}

TEST(Claim, EndsItsReleaseAfterOneNodeTimeoutAndGoesOnInTheBackground) {  // R4, B50, B62
  terms t = plain_terms();
  t.renew_every = 333ms;
  conversation c = held(t);
  c.pass(400ms);  // a renewal is in flight, and no node answers
  c.release();
  EXPECT_EQ(c.wakes_at(), c.clock() + 50ms);
  c.pass(50ms);
  EXPECT_EQ(c.told(), news::unconfirmed);
  EXPECT_FALSE(c.claim().finished());
  c.answer_all(answer::granted);
  EXPECT_TRUE(c.claim().finished());
}

TEST(Claim, EndsItsReleaseAtOnceIfNoQuorumCanBeAsked) {
  conversation c = held(plain_terms());
  c.cut(0);
  c.cut(1);
  c.release();
  EXPECT_EQ(c.told(), news::unconfirmed);
  c.connect(0);
  c.connect(1);
  c.answer_all(answer::granted);
  EXPECT_TRUE(c.claim().finished());
}

TEST(Claim, ForgetsEverythingOnceItsKeysMustHaveExpired) {  // R2: with no node ever back
  conversation c = held(plain_terms());
  for (node_id n = 0; n < 3; ++n) c.cut(n);
  c.release();
  EXPECT_FALSE(c.claim().finished());
  // Written within 50 ms, executed within 50 more, and then it lives for 1000 + 12.
  c.pass(1112ms - c.clock() - 1ns);
  EXPECT_FALSE(c.claim().finished());
  c.pass(1ns);
  EXPECT_TRUE(c.claim().finished());
  EXPECT_EQ(c.claim().wake(), never);
}

TEST(Claim, RemembersACommandThatWasLostLateFromItsLossOn) {  // R2, R4: nobody knows when it runs
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.pass(900ms);
  c.cut(2);  // with the acquire on it
  c.release();
  c.answer_all(answer::granted);
  EXPECT_EQ(c.wakes_at(), 900ms + 1062ms);
}

TEST(Claim, DoesNotTakeOneDeletedKeyForTwo) {  // R4: a lost acquire, and the refill after it
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.cut(2);  // its acquire may yet be executed
  c.answer(1, answer::granted);
  c.connect(2);
  EXPECT_EQ(c.sent(verb::refill), std::vector<node_id>{2});
  c.answer(2, answer::granted);
  c.release();
  c.answer_all(answer::granted);
  EXPECT_FALSE(c.claim().finished())
      << "the acquire may come after the release of the refilled key";
  c.pass(50ms);
  EXPECT_EQ(c.sent(verb::release), std::vector<node_id>{2});
  c.answer(2, answer::granted);
  while (!c.claim().finished()) {
    c.pass(c.wakes_at() - c.clock());
    c.answer_all(answer::absent);
  }
  EXPECT_EQ(c.clock(), 1550ms) << "the first time, of 50, 150, 350, … past 1062 ms";
}

TEST(Claim, GivesItsKeysTheirTimeEvenIfItsDeadlineWasNear) {  // R2: cut short by the wait's end
  terms t = plain_terms();
  t.wait = 1ms;
  conversation c(t);
  c.acquire();
  c.pass(1ms);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.wakes_at(), 1ms + 50ms + 1012ms);
}

TEST(Claim, AsksNobodyWhenNoAnswerCouldHelp) {  // G4
  terms t = plain_terms();
  t.wait = 1s;
  conversation c(t, {.up = node_set::first(1), .fresh = {}, .denied = {}});
  c.acquire();
  EXPECT_EQ(c.where(), state::pausing);
  EXPECT_TRUE(c.sent().empty());
  c.connect(1);
  c.pass(50ms);
  EXPECT_EQ(c.where(), state::acquiring);
  c.answer_all(answer::granted);
  EXPECT_EQ(c.where(), state::held);
  c.cut(0);
  c.renew();
  EXPECT_EQ(c.told(), news::renew_failed);
  EXPECT_TRUE(c.sent().empty());
}

TEST(Claim, SaysTheLossBeforeAnyReleaseWhoeverSeesItFirst) {  // N5, R5, C4
  conversation c = held(plain_terms());
  c.skip(988ms);
  c.expired();
  EXPECT_EQ(c.told(), news::lost);
  EXPECT_TRUE(c.sent().empty());
  c.wake();
  EXPECT_EQ(c.told(), news::none) << "once";
  c.release();  // what an owner that was told may do instead of signalled
  EXPECT_EQ(c.sent(verb::release).size(), 3U);
  c.signalled();
  EXPECT_TRUE(c.sent().empty());
}

}  // namespace
}  // namespace redlock::core
