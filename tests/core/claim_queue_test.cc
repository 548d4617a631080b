// The lead, and its queue (G3, Q1 to Q7).

#include "core/conversation.h"

namespace redlock::core {
namespace {

using state = claim::state;

// Three nodes, of which node 1 leads; it waits for ever.
terms fair_terms() {
  terms t = plain_terms();
  t.wait = wait_forever;
  t.fair = true;
  return t;
}
reach led_by(std::optional<node_id> lead) {
  reach r = all_up(3);
  r.told = r.up;
  r.lead = lead;
  return r;
}

queueing queue_of(const conversation& c, verb what, node_id n) {
  for (const command& sent : c.sent()) {
    if (sent.what == what && sent.node == n) return sent.queue;
  }
  return queueing::none;
}

TEST(Queue, AsksAllNodesAtOnceAndJoinsOnTheLead) {
  conversation c(fair_terms(), led_by(1));
  c.acquire();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{0, 1, 2}));
  EXPECT_EQ(queue_of(c, verb::acquire, 0), queueing::none);
  EXPECT_EQ(queue_of(c, verb::acquire, 1), queueing::join);
}

TEST(Queue, LooksAndDoesNotJoinWithoutWaiting) {
  terms t = fair_terms();
  t.wait = 0ns;
  conversation c(t, led_by(1));
  c.acquire();
  EXPECT_EQ(queue_of(c, verb::acquire, 1), queueing::look);
}

TEST(Queue, GrantsNotBeforeTheLeadHasAnswered) {  // G3, Q6
  conversation c(fair_terms(), led_by(1));
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.where(), state::acquiring);
  c.answer(1, answer::granted);
  EXPECT_TRUE(c.held());
}

TEST(Queue, GrantsWithoutTheLeadAtTheDeadline) {  // G3
  conversation c(fair_terms(), led_by(1));
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(2, answer::granted);
  c.pass(50ms);
  EXPECT_TRUE(c.held());
}

TEST(Queue, GrantsWithoutALeadThatFallsSilent) {  // G3
  conversation c(fair_terms(), led_by(1));
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(2, answer::granted);
  c.set_reach(led_by(2));
  EXPECT_TRUE(c.held());
}

TEST(Queue, StepsBackWhenTheLeadSaysSoWhateverTheOthersSay) {  // G3
  conversation c(fair_terms(), led_by(1));
  c.acquire();
  c.answer(0, answer::granted);
  c.answer(2, answer::granted);
  c.answer_queued(1, 3);
  EXPECT_EQ(c.where(), state::pausing);
  EXPECT_EQ(c.sent(verb::release), (std::vector<node_id>{0, 1, 2})) << "R1";
  EXPECT_EQ(queue_of(c, verb::release, 0), queueing::look);
}

TEST(Queue, AsksTheLeadAloneOnceItKnowsOfOthers) {
  conversation c(fair_terms(), led_by(1));
  c.expect_others();
  c.acquire();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{1}));
  c.answer(1, answer::granted);
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{0, 2}));
  c.answer(0, answer::granted);
  EXPECT_TRUE(c.held());
}

TEST(Queue, AsksAllAtItsTurn) {
  conversation c(fair_terms(), led_by(1));
  c.expect_others();
  c.acquire();
  c.answer_queued(1, 1);
  c.turn();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{0, 1, 2}));
}

TEST(Queue, RemembersATurnThatComesBeforeTheAnswer) {
  conversation c(fair_terms(), led_by(1));
  c.expect_others();
  c.acquire();
  c.turn();
  c.answer_queued(1, 1);
  c.pass(1ns);
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{0, 1, 2}));
}

TEST(Queue, AsksTheLeadAgainWhateverThePolicyInCaseATurnIsLost) {  // Q2, Q5
  terms t = fair_terms();
  t.retry = {.policy = retry_policy::fixed, .delay = 1h, .max = 1h};
  conversation c(t, led_by(1));
  c.expect_others();
  c.acquire();
  c.answer_queued(1, 100);
  c.skip(320ms);
  c.wake();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{1}));
}

TEST(Queue, HasAPlaceAlsoWhereTheOthersRefuseBeforeTheLead) {
  terms t = fair_terms();
  t.retry = {.policy = retry_policy::fixed, .delay = 1h, .max = 1h};
  conversation c(t, led_by(1));
  c.acquire();
  c.answer(0, answer::refused, 900ms);
  c.answer(2, answer::refused, 900ms);
  EXPECT_EQ(c.where(), state::pausing);
  c.answer(1, answer::refused, 900ms);
  EXPECT_LE(c.wakes_at(), 126ms);
  c.skip(126ms);
  c.wake();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{1})) << "it knows of others now";
}

TEST(Queue, PausesAsBeforeWhereALateLeadCannotTell) {
  reach r = led_by(1);
  r.told = {};
  conversation c(fair_terms(), r);
  c.acquire();
  c.answer(0, answer::refused, 900ms);
  c.answer(2, answer::refused, 900ms);
  const nanoseconds pauses_until = c.wakes_at();
  c.answer(1, answer::refused, 900ms);
  EXPECT_EQ(c.where(), state::pausing);
  EXPECT_EQ(c.wakes_at(), pauses_until);
}

TEST(Queue, GoesByThePolicyWhereItsTurnIsNotTold) {
  reach r = led_by(1);
  r.told = {};
  conversation c(fair_terms(), r);
  c.expect_others();
  c.acquire();
  c.answer_queued(1, 1);
  c.skip(31ms);
  c.wake();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{1}));
}

TEST(Queue, LeavesItsPlaceWhenItIsCancelled) {  // Q4
  conversation c(fair_terms(), led_by(1));
  c.expect_others();
  c.acquire();
  c.answer_queued(1, 1);
  c.answer(1, answer::absent);
  c.cancel();
  EXPECT_EQ(queue_of(c, verb::release, 1), queueing::leave);
}

TEST(Queue, LeavesItsPlaceWithTheRelease) {  // Q4
  conversation c(fair_terms(), led_by(1));
  c.acquire();
  c.answer_all(answer::granted);
  c.release();
  for (const node_id n : node_set::first(3)) {
    EXPECT_EQ(queue_of(c, verb::release, n), queueing::leave) << "whoever leads for others";
  }
}

TEST(Queue, GoesToTheNextLeadAtOnceAndLeavesThePlaceBefore) {
  conversation c(fair_terms(), led_by(1));
  c.expect_others();
  c.acquire();
  c.answer_queued(1, 1);
  c.set_reach(led_by(2));
  c.skip(1us);
  c.wake();
  EXPECT_EQ(c.sent(verb::acquire), (std::vector<node_id>{2}));
  EXPECT_EQ(queue_of(c, verb::release, 1), queueing::leave);
}

// It has a place on node 1, and no key, and asks node 2: the other one is away for a moment.
class PlaceOnANodeThatIsAway : public testing::Test {
 protected:
  PlaceOnANodeThatIsAway() {
    c.expect_others();
    c.acquire();
    c.answer_queued(1, 1);
    c.answer(1, answer::absent);
    reach away = led_by(2);
    away.up.erase(1);
    c.set_reach(away);
    c.skip(1us);
    c.wake();
  }
  conversation c{fair_terms(), led_by(1)};
};

TEST_F(PlaceOnANodeThatIsAway, IsLeftOnceItIsBack) {  // Q4
  c.answer_queued(2, 1);
  c.set_reach(led_by(2));
  c.cancel();
  EXPECT_EQ(queue_of(c, verb::release, 1), queueing::leave);
  EXPECT_EQ(queue_of(c, verb::release, 2), queueing::leave);
}

TEST_F(PlaceOnANodeThatIsAway, IsLeftWhenTheLeaseIsLost) {  // Q4
  c.answer(2, answer::granted);
  c.answer(0, answer::granted);
  ASSERT_TRUE(c.held());
  c.pass(1100ms);
  c.set_reach(led_by(2));
  c.signalled();
  EXPECT_EQ(queue_of(c, verb::release, 1), queueing::leave);
}

TEST(Queue, IsSpentByAttemptsAlsoWhereNobodyIsAsked) {
  terms t = fair_terms();
  t.max_attempts = 3;
  conversation c(t, led_by(1));
  c.expect_others();
  c.acquire();
  c.answer_queued(1, 100);
  c.pass(70ms);
  EXPECT_EQ(c.where(), state::ended);
  EXPECT_EQ(c.claim().why(), errc::held_by_other);
}

}  // namespace
}  // namespace redlock::core
