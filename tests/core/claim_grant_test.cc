// claim, up to the grant: validity, tokens, waiting, cancelling, rollback (rules G, T, R).

#include <gtest/gtest.h>

#include "core/conversation.h"
#include "exhaustive.h"

namespace redlock::core {
namespace {

using state = claim::state;

TEST(Claim, CountsItsValidityFromBeforeTheSendAndNotFromTheReply) {  // G2, B10, B35
  conversation c(plain_terms());
  c.pass(5s);
  c.acquire();
  c.pass(30ms);
  c.answer(0, answer::granted);
  c.pass(10ms);
  c.answer(2, answer::granted);
  EXPECT_EQ(c.told(), news::acquired);
  EXPECT_EQ(c.valid_until(), 5s + 1000ms - 10ms - 2ms);
}

TEST(Claim, CountsItsValidityFromTheWinningAttempt) {  // G2, B10, B74: full ttl after a long wait
  terms t = plain_terms();
  t.wait = 20s;
  conversation c(t);
  c.acquire();
  nanoseconds start = 0ns;
  while (c.clock() < 10s) {
    start = c.clock();
    c.answer_all(answer::refused);
    while (c.where() == state::pausing) c.pass(c.wakes_at() - c.clock());
  }
  start = c.clock();
  for (node_id n = 0; n < 3; ++n) {
    while (c.unanswered(n).front().what == verb::release) c.answer(n, answer::foreign);
  }
  c.pass(7ms);
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.told(), news::acquired);
  EXPECT_GT(c.claim().attempt(), 100U);
  EXPECT_EQ(c.valid_until(), start + 1000ms - 12ms);
}

TEST(Claim, TakesTheDriftOfTheWholeTtlAndTwoMillisecondsOff) {  // C3, B19: rounded against us
  terms t;
  t.drift_factor = 0.01;
  EXPECT_EQ(t.drift(1000ms), 12ms);
  EXPECT_EQ(t.drift(10'000ms), 102ms);
  EXPECT_EQ(t.drift(1ms), 2'010'000ns);
  t.drift_factor = 0;
  EXPECT_EQ(t.drift(1h), 2ms);
  t.drift_factor = 1.0 / 3;
  EXPECT_GE(t.drift(1ms), 2'333'334ns);
  t.drift_factor = 0.5;
  EXPECT_EQ(t.drift(24h * 365), 12h * 365 + 2ms);
}

TEST(Claim, WaitsForANodeNoLongerThanHalfItsTtl) {
  terms t = plain_terms();
  EXPECT_EQ(t.effective_timeout(), 50ms);
  t.ttl = 61ms;
  EXPECT_EQ(t.effective_timeout(), 30'500us);
}

TEST(Claim, IsTooSlowIfNoMoreThanMinValidityIsLeft) {  // G3, B11
  for (const auto& [late, granted] : {std::pair{0ns, false}, {1ns, false}, {-1ns, true}}) {
    terms t = plain_terms();
    t.min_validity = 960ms;
    conversation c(t);
    c.acquire();
    c.answer(0, answer::granted);
    c.pass(28ms + late);  // 1000 - 12 - 28 = 960
    c.answer(1, answer::granted);
    EXPECT_EQ(c.told(), granted ? news::acquired : news::gave_up);
    if (granted) continue;
    EXPECT_EQ(c.claim().why(), errc::too_slow);
    EXPECT_EQ(c.sent(verb::release), (std::vector<node_id>{0, 1, 2}));
  }
}

TEST(Claim, IsTooSlowIfNoMoreThanItsStopMarginIsLeft) {  // G3
  for (const auto& [late, granted] : {std::pair{0ns, false}, {-1ns, true}}) {
    terms t = plain_terms();
    t.stop_margin = 960ms;
    conversation c(t);
    c.acquire();
    c.answer(0, answer::granted);
    c.pass(28ms + late);
    c.answer(1, answer::granted);
    EXPECT_EQ(c.told(), granted ? news::acquired : news::gave_up);
  }
}

TEST(Claim, TriesAgainWhenItWasTooSlow) {
  terms t = plain_terms();
  t.min_validity = 960ms;
  t.wait = 1s;
  conversation c(t);
  c.acquire();
  c.pass(40ms);
  c.answer(0, answer::granted);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.where(), state::pausing);
  EXPECT_EQ(c.claim().why(), errc::too_slow);
}

TEST(Claim, NeverGrantsAnAttemptThatIsPastItsDeadline) {  // G4, B13
  conversation c(plain_terms());
  c.acquire();
  c.answer(0, answer::granted);
  c.skip(50ms);
  c.answer(1, answer::granted);
  EXPECT_EQ(c.told(), news::gave_up);
  EXPECT_EQ(c.claim().why(), errc::no_quorum);
}

TEST(Claim, GivesEveryAttemptANumberOfItsOwn) {  // T1
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.acquire();
  for (attempt_id k = 1; k <= 50; ++k) {
    ASSERT_EQ(c.where(), state::acquiring);
    for (const command& sent : c.sent()) ASSERT_EQ(sent.attempt, k);
    c.answer_all(answer::refused);
    c.answer_all(answer::foreign);
    c.pass(c.wakes_at() - c.clock());
  }
}

TEST(Claim, RollsBackWhereverItsAcquireMayHaveArrivedWhateverWasAnswered) {  // R1, B22, B24
  for (exhaustive ways; ways.next();) {
    conversation c(plain_terms());
    c.acquire();
    node_set reached = node_set::first(3);
    node_id n = 0;
    for (; n < 3 && c.where() == state::acquiring; ++n) {
      switch (ways.pick(5)) {
        case 0:
          c.answer(n, answer::granted);
          break;
        case 1:
          c.answer(n, answer::refused);
          break;
        case 2:
          c.answer(n, answer::error);
          break;
        case 3:
          c.cut(n);
          break;
        case 4:
          c.answer(n, answer::unsent);
          reached.erase(n);
          break;
      }
    }
    if (c.where() == state::held) continue;
    ASSERT_EQ(c.told(), news::gave_up);
    std::vector<node_id> now;
    for (const node_id id : reached& c.nodes().up) now.push_back(id);
    ASSERT_EQ(c.sent(verb::release), now) << "at once, to those that are up";
    for (const node_id id : reached - c.nodes().up) {
      c.connect(id);
      ASSERT_EQ(c.sent(verb::release), std::vector<node_id>{id}) << "to the others when they are";
    }
  }
}

TEST(Claim, CountsNoAnswerOfAnEarlierAttempt) {  // G5
  terms t = plain_terms();
  t.wait = wait_forever;
  conversation c(t);
  c.acquire();
  c.pass(90ms);  // time out, pause, and the second attempt
  ASSERT_EQ(c.where(), state::acquiring);
  ASSERT_EQ(c.claim().attempt(), 2U);
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);  // attempt 1
  EXPECT_EQ(c.where(), state::acquiring);
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);  // its release
  EXPECT_EQ(c.where(), state::acquiring);
  EXPECT_EQ(c.claim().votes().pending().size(), 3U);
}

TEST(Claim, EndsAtOnceWhenCancelledAndRollsBackAllTheSame) {  // R1, B26, B76
  for (const state when : {state::idle, state::contacting, state::acquiring, state::pausing}) {
    terms t = plain_terms();
    t.wait = wait_forever;
    const reach fresh{.up = {}, .fresh = node_set::first(3), .denied = {}};
    conversation c(t, when == state::contacting ? fresh : all_up(3));
    if (when != state::idle) c.acquire();
    if (when == state::pausing) {
      c.answer_all(answer::refused);
      c.answer_all(answer::absent);
    }
    ASSERT_EQ(c.where(), when);
    c.cancel();
    EXPECT_EQ(c.told(), news::gave_up);
    EXPECT_EQ(c.claim().why(), errc::cancelled);
    EXPECT_EQ(c.where(), state::ended);
    EXPECT_EQ(c.sent(verb::release).size(), when == state::acquiring ? 3U : 0U);
    EXPECT_EQ(c.claim().finished(), when != state::acquiring);
    c.answer_all(answer::granted);
    EXPECT_TRUE(c.claim().finished());
    c.pass(1h);
    EXPECT_EQ(c.times(news::acquired), 0);
  }
}

TEST(Claim, IsNotCancelledOnceItHolds) {  // lock_options::stop never ends a lease
  terms t = plain_terms();
  conversation c(t);
  c.acquire();
  c.answer_all(answer::granted);
  c.cancel();
  EXPECT_EQ(c.told(), news::none);
  EXPECT_EQ(c.where(), state::held);
  c.release();
  c.cancel();
  EXPECT_EQ(c.where(), state::releasing);
  c.answer_all(answer::granted);
  c.cancel();
  EXPECT_TRUE(c.sent().empty());
  EXPECT_EQ(c.told(), news::none);
}

TEST(Claim, NeverSendsWhatIsUnsentWhenItsRoundEnds) {  // R3
  conversation c(plain_terms(5), {.up = node_set::first(3), .fresh = {}, .denied = {}});
  c.acquire();
  const command acquire{.node = 0, .what = verb::acquire, .attempt = 1, .round = 1, .ttl = 1000ms};
  EXPECT_TRUE(c.claim().wants(acquire, c.now()));
  EXPECT_TRUE(c.claim().wants(acquire, c.now() + 50ms - 1ns));
  EXPECT_FALSE(c.claim().wants(acquire, c.now() + 50ms));
  for (node_id n = 0; n < 3; ++n) c.answer(n, answer::granted);
  EXPECT_EQ(c.where(), state::held);
  EXPECT_FALSE(c.claim().wants(acquire, c.now()));
}

TEST(ClaimDeathTest, EndsTheProcessWhenItIsAskedForWhatCannotBe) {
  conversation c(plain_terms());
  EXPECT_DEATH(c.renew(), "");
  EXPECT_DEATH(c.release(), "");
  c.acquire();
  EXPECT_DEATH(c.acquire(), "");
  EXPECT_DEATH(c.release(), "");
  terms t = plain_terms();
  t.ttl = 0ms;
  EXPECT_DEATH(conversation{t}, "");
  t.ttl = 100ms;
  t.stop_margin = 100ms;
  EXPECT_DEATH(conversation{t}, "");
}

}  // namespace
}  // namespace redlock::core
