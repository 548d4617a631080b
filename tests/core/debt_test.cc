// debt: the releases that one node has not confirmed (rules R1, R2, R4).

#include "core/debt.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/words.h"

namespace redlock::core {
namespace {

using namespace std::chrono_literals;
using request = debt::request;

constexpr nanoseconds node_timeout = 50ms;
constexpr bool up = true;
constexpr bool down = false;

constexpr time_point at(nanoseconds t) { return time_point{1h + t}; }

// A debt whose keys may stand for 10 s, with attempt 1 owed and its release sent.
debt asked_once() {
  debt d;
  d.key_may_stand(at(10s));
  EXPECT_EQ(d.owe(1, up), request{1});
  return d;
}

TEST(Debt, OwesNothingAtFirstAndNeedsNoTimer) {
  debt d;
  EXPECT_TRUE(d.settled());
  EXPECT_FALSE(d.owes(1));
  EXPECT_EQ(d.wake(), never);
  EXPECT_EQ(d.on_up(), request{});
  EXPECT_EQ(d.on_wake(up, at(1h)), request{});
}

TEST(Debt, SendsTheReleaseAtOnceBehindTheAcquire) {  // R1
  debt d = asked_once();
  EXPECT_TRUE(d.owes(1));
  EXPECT_FALSE(d.owes(2));
  EXPECT_FALSE(d.settled());
}

TEST(Debt, EndsWithDeletedAbsentOrForeign) {  // R4
  for (const answer a : {answer::granted, answer::absent, answer::foreign}) {
    debt d = asked_once();
    EXPECT_EQ(d.on_answer(1, a, up, node_timeout, at(1ms)), request{});
    EXPECT_TRUE(d.settled()) << word(a);
    EXPECT_FALSE(d.owes(1));
    EXPECT_EQ(d.wake(), never);
  }
}

TEST(Debt, AsksAgainAfterAnyOtherAnswer) {  // R2
  for (const answer a :
       {answer::refused, answer::guarded, answer::duplicate, answer::replica, answer::denied,
        answer::error, answer::timed_out, answer::unreachable, answer::unsent}) {
    debt d = asked_once();
    EXPECT_EQ(d.on_answer(1, a, up, node_timeout, at(1ms)), request{}) << word(a);
    EXPECT_FALSE(d.settled());
    EXPECT_EQ(d.wake(), at(51ms)) << word(a);
    EXPECT_EQ(d.on_wake(up, at(50ms)), request{}) << "too early";
    EXPECT_EQ(d.on_wake(up, at(51ms)), request{1}) << word(a);
    EXPECT_EQ(d.on_wake(up, at(51ms)), request{}) << "asked already";
  }
}

TEST(Debt, PausesOneTwoFourNodeTimeoutsUntilTheKeyMustHaveExpired) {  // R4
  debt d = asked_once();
  nanoseconds t = 0ns;
  nanoseconds step = node_timeout;
  int asked = 0;
  while (true) {
    EXPECT_EQ(d.on_answer(1, answer::error, up, node_timeout, at(t)), request{});
    if (t + step >= 10s) break;
    EXPECT_EQ(d.wake(), at(t + step));
    t += step;
    step *= 2;
    ASSERT_EQ(d.on_wake(up, at(t)), request{1});
    ++asked;
  }
  EXPECT_EQ(asked, 7);  // 50 + 100 + … + 3200 ms
  EXPECT_EQ(d.wake(), at(10s));
  EXPECT_EQ(d.on_wake(up, at(10s)), request{});
  EXPECT_TRUE(d.settled());
  EXPECT_FALSE(d.owes(1));
}

TEST(Debt, DoublesNoFurtherThanItCanCount) {
  debt d;
  d.key_may_stand(never - 1h);
  EXPECT_EQ(d.owe(1, up), request{1});
  nanoseconds t = 0ns;
  nanoseconds longest = 0ns;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(d.on_answer(1, answer::error, up, 30min, at(t)), request{});
    const nanoseconds pause = d.wake() - at(t);
    EXPECT_GE(pause, longest);
    longest = pause;
    t += pause;
    ASSERT_EQ(d.on_wake(up, at(t)), request{1});
  }
  EXPECT_EQ(longest, 4096 * 30min);
}

TEST(Debt, BeginsTheNextOneWithShortPausesAgain) {
  debt d = asked_once();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(d.on_answer(1, answer::error, up, node_timeout, at(0s)), request{});
    EXPECT_EQ(d.on_wake(up, at(1s)), request{1});
  }
  EXPECT_EQ(d.on_answer(1, answer::granted, up, node_timeout, at(1s)), request{});
  EXPECT_EQ(d.owe(2, up), request{2});
  EXPECT_EQ(d.on_answer(2, answer::error, up, node_timeout, at(2s)), request{});
  EXPECT_EQ(d.wake(), at(2s + 50ms));
}

TEST(Debt, TakesAbsentForNoAnswerWhileALostCommandMayStillBeExecuted) {  // R4, B29
  for (const answer a : {answer::absent, answer::foreign}) {
    debt d;
    d.key_may_stand(at(10s));
    d.unsure(at(10s));
    EXPECT_EQ(d.owe(1, up), request{1});
    EXPECT_EQ(d.on_answer(1, a, up, node_timeout, at(1ms)), request{});
    EXPECT_FALSE(d.settled());
    EXPECT_EQ(d.on_wake(up, at(51ms)), request{1});
    EXPECT_EQ(d.on_answer(1, a, up, node_timeout, at(52ms)), request{});
    EXPECT_EQ(d.wake(), at(152ms));
  }
}

TEST(Debt, TakesDeletedForAnAnswerEvenAfterALostAcquire) {  // R4: it was executed, and once only
  debt d;
  d.key_may_stand(at(10s));
  d.unsure(at(10s));
  EXPECT_EQ(d.owe(1, up), request{1});
  EXPECT_EQ(d.on_answer(1, answer::granted, up, node_timeout, at(1ms)), request{});
  EXPECT_TRUE(d.settled());
}

TEST(Debt, TakesDeletedForNoAnswerIfTwoCommandsMaySetTheKeyAndOneIsInDoubt) {  // R4
  debt d;
  d.key_may_stand(at(10s));
  d.unsure(at(10s));
  d.set_again();
  d.key_may_stand(at(20s));
  EXPECT_EQ(d.owe(1, up), request{1});
  EXPECT_EQ(d.on_answer(1, answer::granted, up, node_timeout, at(1ms)), request{});
  EXPECT_FALSE(d.settled());
  EXPECT_EQ(d.on_wake(up, at(51ms)), request{1});
  EXPECT_EQ(d.on_answer(1, answer::granted, up, node_timeout, at(10s)), request{});
  EXPECT_TRUE(d.settled());

  debt sure;  // nothing was lost: a second command harms nothing
  sure.key_may_stand(at(10s));
  sure.set_again();
  EXPECT_EQ(sure.owe(1, up), request{1});
  EXPECT_EQ(sure.on_answer(1, answer::granted, up, node_timeout, at(1ms)), request{});
  EXPECT_TRUE(sure.settled());
}

TEST(Debt, TakesAbsentForAnAnswerAgainOnceTheLostCommandsKeyMustHaveExpired) {  // R4
  debt d;
  d.key_may_stand(at(10s));
  d.unsure(at(10s));
  d.key_may_stand(at(30s));  // a later command, and its answer came
  EXPECT_EQ(d.owe(1, up), request{1});
  EXPECT_EQ(d.on_answer(1, answer::absent, up, node_timeout, at(10s) - 1ns), request{});
  EXPECT_FALSE(d.settled());
  EXPECT_EQ(d.on_wake(up, at(11s)), request{1});
  EXPECT_EQ(d.on_answer(1, answer::absent, up, node_timeout, at(11s)), request{});
  EXPECT_TRUE(d.settled());
}

TEST(Debt, RemembersALostCommandFromItsLossOn) {  // R2: it may be executed only then
  debt d;
  d.key_may_stand(at(10s));
  d.unsure(at(15s));
  EXPECT_EQ(d.owe(1, down), request{});
  EXPECT_EQ(d.wake(), at(15s));
  d.unsure(at(12s));
  EXPECT_EQ(d.wake(), at(15s));
}

TEST(Debt, NeverShortensTheTimeAKeyMayStand) {
  debt d;
  d.key_may_stand(at(10s));
  d.key_may_stand(at(1s));
  EXPECT_EQ(d.owe(1, down), request{});
  EXPECT_EQ(d.on_wake(up, at(10s) - 1ns), request{});
  EXPECT_FALSE(d.settled());
  EXPECT_EQ(d.on_wake(up, at(10s)), request{});
  EXPECT_TRUE(d.settled());
}

TEST(Debt, WaitsForTheNodeToComeUp) {  // R2
  debt d;
  d.key_may_stand(at(10s));
  EXPECT_EQ(d.owe(1, down), request{});
  EXPECT_TRUE(d.owes(1));
  EXPECT_EQ(d.wake(), at(10s));
  EXPECT_EQ(d.on_up(), request{1});
  EXPECT_EQ(d.on_answer(1, answer::granted, up, node_timeout, at(1s)), request{});
  EXPECT_TRUE(d.settled());
}

TEST(Debt, AsksAgainOnTheNextConnectionWhicheverNewsOfTheLossComesFirst) {  // R2
  {  // the reply, and then that the node is down
    debt d = asked_once();
    EXPECT_EQ(d.on_answer(1, answer::unreachable, up, node_timeout, at(1ms)), request{});
    EXPECT_EQ(d.on_wake(down, at(51ms)), request{});
    EXPECT_EQ(d.wake(), at(10s));
    EXPECT_EQ(d.on_up(), request{1});
  }
  {  // the other way round
    debt d = asked_once();
    EXPECT_EQ(d.on_answer(1, answer::unreachable, down, node_timeout, at(1ms)), request{});
    EXPECT_EQ(d.wake(), at(10s));
    EXPECT_EQ(d.on_up(), request{1});
  }
  {  // up again before the pause ends
    debt d = asked_once();
    EXPECT_EQ(d.on_answer(1, answer::unreachable, up, node_timeout, at(1ms)), request{});
    EXPECT_EQ(d.on_up(), request{1});
    EXPECT_EQ(d.on_wake(up, at(51ms)), request{}) << "it has been asked";
  }
}

TEST(Debt, ForgetsAtExpiryWithoutAConnection) {  // R2: the memory is bounded
  debt d;
  d.key_may_stand(at(10s));
  EXPECT_EQ(d.owe(1, down), request{});
  EXPECT_EQ(d.on_wake(down, at(10s)), request{});
  EXPECT_TRUE(d.settled());
  EXPECT_EQ(d.on_up(), request{});
}

TEST(Debt, AsksForEveryAttemptOfTheRangeInOrder) {
  debt d;
  d.key_may_stand(at(10s));
  for (attempt_id k = 3; k <= 6; ++k) EXPECT_EQ(d.owe(k, down), request{});
  EXPECT_FALSE(d.owes(2));
  EXPECT_FALSE(d.owes(7));
  EXPECT_EQ(d.on_up(), request{3});
  for (attempt_id k = 3; k < 6; ++k) {
    EXPECT_TRUE(d.owes(k));
    EXPECT_EQ(d.on_answer(k, answer::granted, up, node_timeout, at(1s)), request{k + 1});
    EXPECT_FALSE(d.owes(k));
  }
  EXPECT_EQ(d.on_answer(6, answer::absent, up, node_timeout, at(1s)), request{});
  EXPECT_TRUE(d.settled());
}

TEST(Debt, AsksForAllOfTheRangeEvenIfItCannotBeSureOfAny) {  // R4: any of them may be there
  debt d;
  d.key_may_stand(at(10s));
  d.unsure(at(10s));
  EXPECT_EQ(d.owe(1, down), request{});
  EXPECT_EQ(d.owe(2, down), request{});
  EXPECT_EQ(d.on_up(), request{1});
  EXPECT_EQ(d.on_answer(1, answer::absent, up, node_timeout, at(0s)), request{2});
  EXPECT_EQ(d.on_answer(2, answer::absent, up, node_timeout, at(0s)), request{});
  EXPECT_EQ(d.wake(), at(50ms));
}

TEST(Debt, KeepsWhatStandsBehindAnUnconfirmedAttempt) {
  debt d;
  d.key_may_stand(at(10s));
  EXPECT_EQ(d.owe(1, up), request{1});
  EXPECT_EQ(d.owe(2, up), request{2});
  EXPECT_EQ(d.on_answer(1, answer::error, up, node_timeout, at(1ms)), request{});
  EXPECT_EQ(d.on_answer(2, answer::granted, up, node_timeout, at(1ms)), request{});
  EXPECT_TRUE(d.owes(1));
  EXPECT_EQ(d.on_wake(up, at(51ms)), request{1});
  EXPECT_EQ(d.on_answer(1, answer::granted, up, node_timeout, at(52ms)), request{2});
  EXPECT_EQ(d.on_answer(2, answer::absent, up, node_timeout, at(53ms)), request{});
  EXPECT_TRUE(d.settled());
}

TEST(Debt, IsNotPutOffByTheAttemptsThatFollow) {  // R4: again after 1, 2, 4 … node time-outs
  debt d;
  d.key_may_stand(at(100s));
  d.unsure(at(100s));
  EXPECT_EQ(d.owe(1, up), request{1});
  EXPECT_EQ(d.on_answer(1, answer::absent, up, node_timeout, at(0s)), request{});
  // The operation tries on, every 20 ms, and is refused; all of that is soon confirmed absent.
  std::vector<nanoseconds> asked_for_the_first;
  for (attempt_id k = 2; k <= 51; ++k) {
    const nanoseconds t = (k - 1) * 20ms;
    if (request r = d.on_wake(up, at(t))) {
      EXPECT_EQ(r, request{1});
      asked_for_the_first.push_back(t);
      while (r) r = d.on_answer(*r, answer::absent, up, node_timeout, at(t));
    }
    EXPECT_EQ(d.owe(k, up), request{k});
    static_cast<void>(d.on_answer(k, answer::absent, up, node_timeout, at(t)));
  }
  EXPECT_EQ(asked_for_the_first, (std::vector<nanoseconds>{60ms, 160ms, 360ms, 760ms}));
}

TEST(Debt, ForgetsAnAttemptThatNeverReachedTheNode) {  // R3
  debt d = asked_once();
  d.forget(1, at(1ms));
  EXPECT_TRUE(d.settled());
  EXPECT_FALSE(d.owes(1)) << "so that its release is not written either";
  EXPECT_EQ(d.wake(), never);
  EXPECT_EQ(d.on_answer(1, answer::unsent, up, node_timeout, at(1ms)), request{});
  EXPECT_EQ(d.owe(2, up), request{2});
}

TEST(Debt, ForgetsOnlyTheLastOfARange) {
  debt d = asked_once();
  EXPECT_EQ(d.owe(2, up), request{2});
  d.forget(2, at(1ms));
  EXPECT_TRUE(d.owes(1));
  EXPECT_FALSE(d.owes(2));
  EXPECT_EQ(d.on_answer(1, answer::granted, up, node_timeout, at(1ms)), request{});
  EXPECT_TRUE(d.settled());

  debt e = asked_once();
  EXPECT_EQ(e.owe(2, up), request{2});
  e.forget(1, at(1ms));  // it has a successor: releasing it does no harm
  EXPECT_TRUE(e.owes(1));
  EXPECT_TRUE(e.owes(2));
}

TEST(Debt, GoesOnWithTheOthersWhenTheOneItIsAtIsForgotten) {
  debt d;
  d.key_may_stand(at(10s));
  EXPECT_EQ(d.owe(1, down), request{});
  EXPECT_EQ(d.owe(2, up), request{2});
  d.forget(2, at(1ms));
  EXPECT_TRUE(d.owes(1));
  EXPECT_LE(d.wake(), at(10s));
  EXPECT_EQ(d.on_wake(up, at(1ms)), request{1});
}

TEST(Debt, IsDeafToAnswersThatItDidNotAskFor) {
  debt d = asked_once();
  EXPECT_EQ(d.on_answer(7, answer::granted, up, node_timeout, at(1ms)), request{});
  EXPECT_EQ(d.on_answer(0, answer::granted, up, node_timeout, at(1ms)), request{});
  EXPECT_TRUE(d.owes(1));
}

TEST(DebtDeathTest, EndsTheProcessForAnAttemptThatIsOwedTwice) {
  debt d = asked_once();
  EXPECT_DEATH(static_cast<void>(d.owe(1, up)), "");
}

}  // namespace
}  // namespace redlock::core
