// claim: refills, by which a node that missed the key gets it (rule N2).

#include <gtest/gtest.h>

#include "core/conversation.h"

namespace redlock::core {
namespace {

using state = claim::state;

TEST(Claim, RefillsEachNodeOnceAfterASuccessAndNeverWhileItOwesAnAnswer) {  // N2
  terms t = plain_terms(5);
  conversation c(t);
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::refused);
  c.answer(2, answer::granted);
  c.answer(3, answer::granted);
  EXPECT_EQ(c.told(), news::acquired);
  EXPECT_EQ(c.sent(verb::refill), std::vector<node_id>{1}) << "node 4 has not answered yet";
  c.answer(1, answer::refused);
  EXPECT_TRUE(c.sent().empty()) << "once";
  c.answer(4, answer::error);
  EXPECT_EQ(c.sent(verb::refill), std::vector<node_id>{4});
  c.answer(4, answer::granted);
  EXPECT_EQ(c.claim().nodes_held(), 4U);
  c.pass(300ms);
  c.renew();
  c.answer(0, answer::granted);
  c.answer(1, answer::foreign);
  c.answer(2, answer::granted);
  EXPECT_TRUE(c.sent().empty()) << "not before the round has succeeded";
  c.answer(4, answer::granted);
  EXPECT_EQ(c.told(), news::renewed);
  EXPECT_EQ(c.sent(verb::refill), std::vector<node_id>{1});
}

TEST(Claim, RefillsANodeThatWasStillBusyWithAnEarlierAttempt) {  // N2
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.acquire();
  c.pass(90ms);  // nobody answers; the second attempt
  ASSERT_EQ(c.claim().attempt(), 2U);
  for (const answer a : {answer::granted, answer::granted, answer::granted}) {
    c.answer(0, a);  // the first acquire, its release, the second acquire
    c.answer(1, a);
  }
  ASSERT_EQ(c.where(), state::held);
  c.answer(2, answer::refused);
  c.answer(2, answer::foreign);
  EXPECT_TRUE(c.sent().empty());
  c.answer(2, answer::refused);
  EXPECT_EQ(c.sent(verb::refill), std::vector<node_id>{2});
}

TEST(Claim, CountsARefilledNodeFromTheNextRoundOn) {  // N2
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.answer(2, answer::refused);
  c.pass(100ms);
  c.renew();
  c.answer(2, answer::granted);  // the refill's answer, and no vote
  EXPECT_EQ(c.claim().votes().yes().size(), 0U);
  c.answer(0, answer::granted);
  EXPECT_EQ(c.valid_until(), 988ms);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.told(), news::renewed);
}

TEST(Claim, CountsAsHoldingOnlyNodesWhoseKeyOutlivesTheValidity) {  // N2
  conversation c(plain_terms());
  c.acquire();
  c.answer_all(answer::granted);
  EXPECT_EQ(c.claim().nodes_held(), 3U);
  c.pass(100ms);
  c.renew();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.claim().nodes_held(), 2U);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.claim().nodes_held(), 3U);
  c.release();
  EXPECT_EQ(c.claim().nodes_held(), 0U);
}

TEST(Claim, RefillsNobodyForARoundThatFailed) {  // N2: the counterexample in safety.md
  conversation c(plain_terms());
  c.acquire();
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);
  c.renew();
  c.answer(0, answer::error);
  c.answer(1, answer::error);
  EXPECT_EQ(c.told(), news::renew_failed);
  c.answer(2, answer::absent);
  EXPECT_EQ(c.where(), state::held);
  EXPECT_TRUE(c.sent().empty());
}

TEST(Claim, RefillsWhomTheLastSuccessMissedAlsoAfterARoundThatFailed) {  // N2
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);  // node 2 owes an answer
  c.renew();
  c.answer(2, answer::refused);
  EXPECT_TRUE(c.sent().empty()) << "not within the round";
  c.answer(0, answer::error);
  c.answer(1, answer::error);
  EXPECT_EQ(c.told(), news::renew_failed);
  EXPECT_TRUE(c.sent().empty()) << "not behind the renewal that it has not answered";
  c.answer(2, answer::absent);
  ASSERT_EQ(c.sent().size(), 1U);
  EXPECT_EQ(c.sent()[0].what, verb::refill);
  c.answer(2, answer::refused);
  EXPECT_TRUE(c.sent().empty()) << "once per success";
}

TEST(Claim, RefillsANodeThatComesUpAfterARoundForWhichTooFewWereUp) {  // N2
  conversation c(plain_terms(4), {node_set::first(3), {}, {}});
  c.acquire();
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);
  c.cut(2);
  c.renew();
  EXPECT_EQ(c.told(), news::renew_failed);
  c.connect(3);
  ASSERT_EQ(c.sent().size(), 1U);
  EXPECT_EQ(c.sent()[0].what, verb::refill);
  EXPECT_EQ(c.sent()[0].node, 3);
}

TEST(Claim, SendsNoRefillThatWaitedPastTheNextSuccess) {  // R3
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.answer(2, answer::refused);
  const command refill = c.sent()[0];
  ASSERT_EQ(refill.what, verb::refill);
  c.renew();
  EXPECT_TRUE(c.claim().wants(refill, c.now()));
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.told(), news::renewed);
  EXPECT_FALSE(c.claim().wants(refill, c.now()));
}

TEST(Claim, CountsARefilledNodeFromTheSuccessBeforeItNotFromItsReply) {  // N2
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.answer(2, answer::refused);
  c.skip(333ms);
  c.renew();
  c.answer(2, answer::granted);  // the refill, which may have been executed 333 ms ago
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.told(), news::renewed);
  EXPECT_EQ(c.claim().nodes_held(), 2U);
}

TEST(Claim, SendsNoRefillThatWaitedPastTheLeasesEnd) {  // N2, R5
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.answer(2, answer::refused);
  const command refill = c.sent()[0];
  ASSERT_EQ(refill.what, verb::refill);
  EXPECT_TRUE(c.claim().wants(refill, c.now()));
  EXPECT_FALSE(c.claim().wants(refill, c.now() + 988ms));
  c.release();
  EXPECT_FALSE(c.claim().wants(refill, c.now()));
}

TEST(Claim, DoesNotTakeOneDeletedKeyForTheLastAfterARefillWasLost) {  // R4
  conversation c(plain_terms());
  c.acquire();
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);
  c.cut(2);  // the key stays there
  c.renew();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.connect(2);
  ASSERT_EQ(c.sent(verb::refill).size(), 1U);
  c.cut(2);  // the refill may be executed yet
  c.release();
  c.connect(2);
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);
  EXPECT_EQ(c.where(), state::ended);
  EXPECT_FALSE(c.claim().finished()) << "what was deleted may have been the older key";
  c.pass(c.wakes_at() - c.clock());
  EXPECT_EQ(c.sent(verb::release).size(), 1U);
}

}  // namespace
}  // namespace redlock::core
