// claim, while others hold the lock or nodes are not there yet: first contact, pauses, the end of
// the wait (rule G4), and first contact.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/conversation.h"

namespace redlock::core {
namespace {

using state = claim::state;

TEST(Claim, EndsAfterMaxAttemptsHoweverLongItMayWait) {
  terms t = plain_terms();
  t.wait = wait_forever;
  t.max_attempts = 3;
  conversation c(t);
  c.acquire();
  for (int k = 1; k <= 3; ++k) {
    EXPECT_EQ(c.where(), state::acquiring);
    c.answer_all(answer::refused);
    c.answer_all(answer::foreign);
    if (k < 3) c.pass(c.wakes_at() - c.clock());
  }
  EXPECT_EQ(c.times(news::gave_up), 1);
  EXPECT_EQ(c.claim().why(), errc::held_by_other);
  EXPECT_TRUE(c.claim().finished());
}

TEST(Claim, TriesExactlyOnceWithoutAWait) {
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::refused);
  c.answer(1, answer::refused);
  EXPECT_EQ(c.told(), news::gave_up);
}

TEST(Claim, WaitsForEverIfToldSo) {  // B75
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.pass(24h * 365);
  c.acquire();
  for (int day = 0; day < 30; ++day) {
    c.skip(24h);
    c.wake();
    c.answer_all(answer::refused);
    ASSERT_EQ(c.times(news::gave_up), 0);
  }
}

TEST(Claim, SettlesByTheEndOfItsWaitAndNeverAfter) {  // G4
  for (nanoseconds wait = 1ms; wait < 300ms; wait += 7ms) {
    for (const answer a : {answer::refused, answer::error, answer::timed_out}) {
      terms t = plain_terms();
      t.wait = wait;
      conversation c(t);
      c.acquire();
      while (c.where() != state::ended) {
        ASSERT_LE(c.wakes_at(), wait);
        if (a != answer::timed_out) c.answer_all(a);
        if (c.where() != state::ended) c.pass(c.wakes_at() - c.clock());
      }
      ASSERT_LE(c.clock(), wait);
    }
  }
}

TEST(Claim, MindsOnlyTheKeysThatStoodInTheWayOfThisAttempt) {  // B71
  terms t = plain_terms();
  t.wait = wait_forever;
  t.retry = {.policy = retry_policy::hybrid, .delay = 200ms, .max = 250ms, .spin_budget = 0ms};
  conversation c(t);
  c.acquire();
  c.answer(0, answer::refused, 1ms);
  nanoseconds longest = 0ns;
  for (int i = 0; i < 20; ++i) {
    c.answer_all(answer::error);
    c.answer_all(answer::absent);
    const nanoseconds from = c.clock();
    while (c.where() == state::pausing) c.pass(c.wakes_at() - c.clock());
    longest = std::max(longest, c.clock() - from);
  }
  EXPECT_GT(longest, 100ms);

  conversation d(t);  // and of those, the one that ends first
  d.acquire();
  for (int i = 0; i < 20; ++i) {
    d.answer(0, answer::refused, 3ms);
    d.answer(1, answer::refused, 9s);
    d.answer(2, answer::refused);
    d.answer_all(answer::absent);
    const nanoseconds from = d.clock();
    while (d.where() == state::pausing) d.pass(d.wakes_at() - d.clock());
    ASSERT_LE(d.clock() - from, 7ms);
  }
}

TEST(Claim, TriesOnThroughAWaitThatIsShorterThanANodeTimeout) {
  for (const nanoseconds wait : {10ms, 20ms, 49ms, 50ms, 60ms}) {
    terms t = plain_terms();
    t.wait = wait;
    conversation c(t);
    c.acquire();
    nanoseconds last_try = 0ns;
    while (c.where() != state::ended) {
      if (c.where() == state::acquiring) last_try = c.clock();
      c.answer_all(answer::refused);
      c.answer_all(answer::foreign);
      if (c.where() != state::ended) c.pass(c.wakes_at() - c.clock());
    }
    EXPECT_GE(last_try, wait - wait / 10 - 2ms) << "nor does it give up early";
    EXPECT_LE(c.claim().attempt(), 10U) << "nor flood the nodes";
    EXPECT_EQ(c.claim().why(), errc::held_by_other);
  }
}

TEST(Claim, ReportsItsLastAttempt) {
  terms t = plain_terms();
  t.wait = wait_forever;
  t.max_attempts = 2;
  conversation c(t);
  c.acquire();
  c.answer_all(answer::error);
  EXPECT_EQ(c.claim().why(), errc::no_quorum);
  c.pass(40ms);
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::absent);  // to the release of the first
  for (node_id n = 0; n < 2; ++n) c.answer(n, answer::refused);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::held_by_other);
  EXPECT_EQ(c.claim().votes().no().size(), 2U);
}

TEST(Claim, AsksNobodyBeforeAQuorumCanBeAskedOrContactHasEnded) {
  const reach fresh{.up = {}, .fresh = node_set::first(5), .denied = {}};
  conversation c(plain_terms(5), fresh);
  c.acquire();
  c.connect(0);
  c.connect(1);
  EXPECT_EQ(c.where(), state::contacting);
  EXPECT_TRUE(c.sent().empty());
  c.connect(2);
  EXPECT_EQ(c.where(), state::acquiring);
  EXPECT_EQ(c.sent(verb::acquire).size(), 5U);

  conversation d(plain_terms(5), fresh);  // all have ended, and most of them badly
  d.acquire();
  d.set_reach({.up = node_set::first(2), .fresh = {}, .denied = {}});
  EXPECT_EQ(d.told(), news::gave_up);
  EXPECT_EQ(d.claim().why(), errc::no_quorum);
}

TEST(Claim, GivesUpAtOnceIfSoManyNodesAreOneServerThatNoQuorumIsLeft) {  // D1
  terms t = plain_terms(5);
  t.wait = wait_forever;
  reach nodes{.up = node_set::first(2)};
  nodes.duplicate = node_set::first(5) - nodes.up;
  conversation c(t, nodes);
  c.acquire();
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::bad_configuration);
  EXPECT_EQ(c.claim().votes().said(2), answer::duplicate);
}

TEST(Claim, WaitsForReplicasToBecomeMasters) {  // D2: it does not last for good
  terms t = plain_terms();
  t.wait = wait_forever;
  reach nodes{.up = node_set::first(1)};
  nodes.replica = node_set::first(3) - nodes.up;
  conversation c(t, nodes);
  c.acquire();
  EXPECT_EQ(c.where(), state::pausing);
  EXPECT_EQ(c.claim().votes().said(1), answer::replica);
  c.set_reach({.up = node_set::first(3)});
  c.pass(c.wakes_at() - c.clock());
  EXPECT_EQ(c.where(), state::acquiring);
}

TEST(Claim, EndsItsWaitInFirstContactToo) {
  terms t = plain_terms();
  t.wait = 200ms;
  conversation c(t, {.up = {}, .fresh = node_set::first(3), .denied = {}});
  c.acquire();
  EXPECT_EQ(c.wakes_at(), 200ms);
  c.pass(200ms);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::no_quorum);
  EXPECT_TRUE(c.claim().finished());
}

// ---- behind others of its process ----

TEST(Claim, AsksNobodyWhileItQueues) {
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.queue();
  c.pass(24h);
  EXPECT_EQ(c.where(), state::queued);
  EXPECT_EQ(c.claim().attempt(), 0U);
  c.admit();
  EXPECT_EQ(c.sent(verb::acquire).size(), 3U);
  c.answer_all(answer::granted);
  EXPECT_TRUE(c.held());
}

TEST(Claim, QueuesNoLongerThanItWaits) {
  terms t = plain_terms();
  t.wait = 300ms;
  conversation c(t);
  c.queue();
  c.pass(299ms);
  EXPECT_EQ(c.where(), state::queued);
  c.pass(1ms);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::held_by_other);
  EXPECT_TRUE(c.claim().finished());
}

TEST(Claim, CountsItsTimeInTheQueueAsWaiting) {
  terms t = plain_terms();
  t.wait = 300ms;
  conversation c(t);
  c.queue();
  c.pass(290ms);
  c.admit();
  c.pass(10ms);  // nobody answers
  EXPECT_EQ(c.times(news::gave_up), 1);
}

TEST(Claim, DoesNotQueueWithoutAWait) {
  conversation c(plain_terms());
  c.queue();
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::held_by_other);
  EXPECT_TRUE(c.claim().finished());
}

TEST(Claim, LeavesTheQueueWhenItIsCancelled) {
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.queue();
  c.cancel();
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::cancelled);
  EXPECT_TRUE(c.claim().finished());
}

TEST(Claim, SpinsInTheQueueNoLongerThanItsBudget) {
  terms t = plain_terms();
  t.wait = wait_forever;
  t.retry = {.policy = retry_policy::spin, .delay = 50ms, .max = 1s, .spin_budget = 200ms};
  conversation c(t);
  c.queue();
  c.pass(198ms);
  EXPECT_EQ(c.where(), state::queued);
  c.pass(2ms);
  EXPECT_EQ(c.times(news::gave_up), 1);
}

TEST(Claim, UsesUpItsAttemptsInTheQueue) {
  terms t = plain_terms();
  t.wait = wait_forever;
  t.max_attempts = 3;
  conversation c(t);
  c.queue();
  c.pass(19ms);  // at most two pauses of 10 to 30 ms each
  EXPECT_EQ(c.where(), state::queued);
  c.pass(41ms);
  EXPECT_EQ(c.times(news::gave_up), 1);
  EXPECT_EQ(c.claim().why(), errc::held_by_other);
}

TEST(Claim, HasAnAttemptLeftWheneverItIsLetIn) {
  terms t = plain_terms();
  t.wait = wait_forever;
  t.max_attempts = 2;
  conversation c(t);
  c.queue();
  c.pass(9ms);
  c.admit();
  EXPECT_EQ(c.sent(verb::acquire).size(), 3U);
  c.answer_all(answer::refused);
  EXPECT_EQ(c.times(news::gave_up), 1);
}

TEST(Claim, LetInLatePausesFirst) {
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.queue();
  c.admit(7ms);
  c.pass(6ms);
  EXPECT_TRUE(c.unanswered(0).empty());
  c.pass(1ms);
  EXPECT_EQ(c.where(), state::acquiring);
}

TEST(Claim, LetInLateTriesBeforeItsWaitEnds) {
  terms t = plain_terms();
  t.wait = 20ms;
  conversation c(t);
  c.queue();
  c.pass(10ms);
  c.admit(15ms);
  c.pass(9ms);
  EXPECT_EQ(c.where(), state::acquiring);
}

TEST(Claim, HasAllTheTimeForFirstContactThatOthersHaveWhenItIsLetIn) {
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t, {.up = {}, .fresh = node_set::first(3), .denied = {}});
  c.queue();
  c.pass(10s);
  c.admit();
  c.pass(999ms);
  EXPECT_EQ(c.where(), state::contacting);
  c.pass(1ms);
  EXPECT_EQ(c.where(), state::acquiring);
}

}  // namespace
}  // namespace redlock::core
