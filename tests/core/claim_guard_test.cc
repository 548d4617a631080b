// claim, of nodes whose votes do not count for a while, or not any more (rules D3, D4).

#include <gtest/gtest.h>

#include "core/conversation.h"

namespace redlock::core {
namespace {

using state = claim::state;

reach guarded(std::size_t nodes, std::initializer_list<node_id> which) {
  reach r = all_up(nodes);
  for (const node_id n : which) r.guarded.insert(n);
  return r;
}

terms waiting() {
  terms t = plain_terms();
  t.wait = 10s;
  return t;
}

TEST(Claim, SendsAGuardedNodeNoAcquire) {  // D3
  conversation c(plain_terms(), guarded(3, {1}));
  c.acquire();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{0, 2}));
}

TEST(Claim, FailsAtOnceWithNothingSentWhereGuardedNodesLeaveNoQuorum) {  // D3, G4
  conversation c(plain_terms(), guarded(3, {0, 1}));
  c.acquire();
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::no_quorum);
  EXPECT_TRUE(c.sent().empty());
  EXPECT_EQ(c.claim().votes().said(0), answer::guarded);
}

TEST(Claim, GivesAGuardedNodeRefillsRenewalsAndReleases) {  // D3
  conversation c(plain_terms(), guarded(3, {1}));
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(2, answer::granted);
  ASSERT_EQ(c.told(), news::acquired);
  EXPECT_EQ(c.sent(verb::refill), std::vector<node_id>{1});
  c.answer(1, answer::granted);
  EXPECT_EQ(c.claim().nodes_held(), 3U);
  c.renew();
  EXPECT_EQ(c.sent(verb::renew).size(), 3U);
  c.answer(0, answer::error);
  c.answer(1, answer::granted);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.told(), news::renewed) << "its renewal votes count";
  c.release();
  EXPECT_EQ(c.sent(verb::release).size(), 3U);
}

TEST(Claim, CountsNoAcquireVoteOfANodeThatIsGuardedBeforeTheGrant) {  // D3
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.guard(0);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.where(), state::acquiring);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.told(), news::acquired);
}

TEST(Claim, CountsNoAcquireVoteThatArrivesFromANodeThatIsGuardedByThen) {  // D4
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.guard(1);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.where(), state::acquiring);
  c.answer(2, answer::refused);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.sent(verb::release).size(), 3U) << "R1";
}

TEST(Claim, WritesNoAcquireToANodeThatIsGuardedByThen) {  // D3
  conversation c(plain_terms(),
                 {.up = node_set::first(2), .fresh = node_set::first(3) - node_set::first(2)});
  c.acquire();
  c.connect(2);
  c.guard(2);
  c.write(2);
  c.answer(0, answer::refused);
  EXPECT_EQ(c.claim().votes().said(2), answer::guarded);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.sent(verb::release), (std::vector<node_id>{0, 1})) << "nothing was sent to it";
}

TEST(Claim, CountsALateAcquireOfAGuardedNodeNowhere) {  // D3, D4
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.guard(2);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.claim().nodes_held(), 2U);
  EXPECT_EQ(c.sent(verb::refill), std::vector<node_id>{2});
}

TEST(Claim, WaitsAGuardOut) {
  conversation c(waiting(), guarded(3, {0, 1}));
  c.acquire();
  c.pass(3s);
  EXPECT_EQ(c.where(), state::pausing);
  c.trust(0);
  c.pass(30ms);
  EXPECT_EQ(c.where(), state::acquiring) << "soon after the guard ended";
  c.answer(0, answer::granted);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.told(), news::acquired);
}

TEST(Claim, WaitsAfterAGuardNoLongerThanItsFirstPauseHoweverLongItsLast) {
  terms t = waiting();
  t.retry = {.policy = retry_policy::exponential, .delay = 20ms, .max = 1h};
  t.wait = wait_forever;
  conversation c(t, guarded(3, {0, 1}));
  c.acquire();
  c.pass(60s);
  ASSERT_EQ(c.where(), state::pausing);
  c.trust(0);
  c.pass(60ms);
  EXPECT_EQ(c.where(), state::acquiring);
}

TEST(Claim, WaitsAtFirstContactForNodesThatHaveAVote) {
  reach r = guarded(3, {0});
  r.up.erase(2);
  r.fresh.insert(2);
  conversation c(plain_terms(), r);
  c.acquire();
  EXPECT_EQ(c.where(), state::contacting);
  c.connect(2);
  EXPECT_EQ(c.where(), state::acquiring);
}

TEST(Claim, SurvivesAStepOnOneNodeOfThreeIfAllThreeHaveTheKey) {  // D4
  conversation c(plain_terms());
  c.acquire();
  c.answer_all(answer::granted);
  ASSERT_EQ(c.claim().nodes_held(), 3U);
  c.step(1);
  EXPECT_EQ(c.where(), state::held);
  EXPECT_EQ(c.claim().nodes_held(), 2U);
  c.step(2);
  EXPECT_EQ(c.where(), state::lost);
  EXPECT_EQ(c.times(news::lost), 1);
}

TEST(Claim, IsLostByAStepOnOneNodeIfOnlyAQuorumHasTheKey) {  // D4
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  c.step(2);
  EXPECT_EQ(c.where(), state::held) << "its vote was not counted";
  c.step(0);
  EXPECT_EQ(c.where(), state::lost);
}

TEST(Claim, CountsANodeAgainThatWasRenewedAfterItsStep) {  // D4
  conversation c(plain_terms());
  c.acquire();
  c.answer_all(answer::granted);
  c.step(0);
  c.pass(100ms);
  c.renew();
  c.answer_all(answer::granted);
  ASSERT_EQ(c.claim().nodes_held(), 3U);
  c.step(1);
  EXPECT_EQ(c.where(), state::held);
}

TEST(Claim, TakesARenewalVoteBackThatWasGivenBeforeTheStep) {  // D4
  conversation c(plain_terms());
  c.acquire();
  c.answer_all(answer::granted);
  c.pass(100ms);
  c.renew();
  c.answer(0, answer::granted);
  c.step(0);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.times(news::renewed), 0);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.times(news::renewed), 1);
}

TEST(Claim, CountsTheRenewalVoteOnTheReplyThatShowedTheStep) {  // D4: it is of after the step
  conversation c(plain_terms());
  c.acquire();
  c.answer_all(answer::granted);
  c.pass(100ms);
  c.renew();
  c.step(0);
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.times(news::renewed), 1);
}

TEST(Claim, AdoptsNothingOnVotesFromBeforeAStep) {  // D4
  conversation c(plain_terms());
  c.adopt(1);
  c.answer(0, answer::granted);
  c.step(0);
  c.answer(1, answer::absent);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::no_quorum);
}

TEST(Claim, TakesNoConfirmedReleaseBack) {  // D4 is about votes
  conversation c(plain_terms());
  c.acquire();
  c.answer_all(answer::granted);
  c.release();
  c.answer(0, answer::granted);
  c.step(0);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.told(), news::released);
}

}  // namespace
}  // namespace redlock::core
