// backoff: how long each policy pauses, for every random number that matters and at every extreme.

#include "core/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "core/hold_times.h"

namespace redlock::core {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t attempts_without_end = 0xffffffff;
constexpr std::uint64_t all_ones = ~std::uint64_t{0};

// splitmix64, so that every machine draws the same.
class draws {
 public:
  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 42;
};

struct range {
  nanoseconds least;
  nanoseconds most;
};

// After `failed` attempts, of which the first took `spinning`.
nanoseconds nth(const backoff& how, std::uint32_t failed, pause_request at, std::uint64_t random) {
  pacing p;
  std::optional<nanoseconds> last;
  for (std::uint32_t i = 1; i <= failed; ++i) {
    at.attempts = i;
    last = p.next(how, at, random);
  }
  return last.value_or(nanoseconds{-1});
}

constexpr pause_request spun_out{.waited = 200ms};  // the budget for spinning is used up

range seen(const backoff& how, std::uint32_t failed, const pause_request& at = spun_out) {
  draws draw;
  range r{nanoseconds::max(), nanoseconds::min()};
  for (int i = 0; i < 4000; ++i) {
    const nanoseconds p = nth(how, failed, at, draw());
    r = {std::min(r.least, p), std::max(r.most, p)};
  }
  return r;
}

// Within [from, to], and both ends come up, to within 2 %.
void expect_fills(const range& r, nanoseconds from, nanoseconds to) {
  EXPECT_GE(r.least, from);
  EXPECT_LE(r.most, to);
  EXPECT_LE(r.least, from + (to - from) / 50);
  EXPECT_GE(r.most, to - (to - from) / 50);
}

TEST(Backoff, FixedPausesHalfToThreeHalvesOfTheDelay) {
  const backoff how{retry_policy::fixed, 20ms, 250ms};
  for (const std::uint32_t failed : {1U, 2U, 100U}) expect_fills(seen(how, failed), 10ms, 30ms);
}

TEST(Backoff, ExponentialDrawsFromAWindowThatDoublesUpToItsCap) {
  const backoff how{retry_policy::exponential, 20ms, 250ms};
  expect_fills(seen(how, 1), 1ms, 20ms);
  expect_fills(seen(how, 2), 1ms, 40ms);
  expect_fills(seen(how, 3), 1ms, 80ms);
  expect_fills(seen(how, 4), 1ms, 160ms);
  for (const std::uint32_t failed : {5U, 6U, 64U, 65U, 100U}) {
    expect_fills(seen(how, failed), 1ms, 250ms);
  }
}

TEST(Backoff, SpinTriesAtItsIntervalUntilItsBudgetIsUsedUpToTheMillisecond) {
  const backoff how{.policy = retry_policy::spin, .delay = 20ms, .max = 250ms};
  expect_fills(seen(how, 1, {.waited = 0ms}), 2500us, 7500us);
  expect_fills(seen(how, 30, {.waited = 100ms}), 2500us, 7500us);
  const range last = seen(how, 1, {.waited = 197ms});
  EXPECT_GE(last.least, 2500us);
  EXPECT_EQ(last.most, 3ms) << "no later than the end of the budget";
  pacing p;
  EXPECT_FALSE(p.next(how, {.attempts = 1, .waited = 199'500us}, 0));
  EXPECT_FALSE(p.next(how, {.attempts = 1, .waited = 200ms}, 0));
  EXPECT_FALSE(p.next(how, {.attempts = 1, .waited = 1h}, 0));
}

TEST(Backoff, SpinTriesNoMoreOftenThanItWasTold) {
  const backoff how{.policy = retry_policy::spin, .delay = 20ms, .max = 250ms, .spin_tries = 3};
  pacing p;
  for (std::uint32_t i = 1; i <= 3; ++i) EXPECT_TRUE(p.next(how, {.attempts = i}, 0));
  EXPECT_FALSE(p.next(how, {.attempts = 4}, 0));
}

TEST(Backoff, HybridSpinsForItsBudgetAndThenBacksOffExponentially) {
  const backoff how{retry_policy::hybrid, 20ms, 250ms};
  expect_fills(seen(how, 1, {.waited = 0ms}), 2500us, 7500us);
  expect_fills(seen(how, 20, {.waited = 150ms}), 2500us, 7500us);
  expect_fills(seen(how, 1), 1ms, 20ms);
  expect_fills(seen(how, 2), 1ms, 40ms);
  expect_fills(seen(how, 5), 1ms, 250ms);
  // The window starts where the spinning ended, however many tries that were.
  draws draw;
  for (int i = 0; i < 100; ++i) {
    pacing p;
    for (std::uint32_t k = 1; k <= 40; ++k) {
      EXPECT_LE(p.next(how, {.attempts = k, .waited = 100ms}, draw()), 7500us);
    }
    EXPECT_LE(p.next(how, {.attempts = 41, .waited = 200ms}, draw()), 20ms);
  }
}

TEST(Backoff, HybridNeverSleepsPastTheExpiryOfTheKeyThatItMet) {  // B71
  const backoff how{retry_policy::hybrid, 1h, 1h};
  for (const nanoseconds left : {1ns, 999'999ns, 5'000'000ns, 800'000'000ns}) {
    const range r = seen(how, 20, {.waited = 200ms, .key_left = left});
    EXPECT_GE(r.least, 1ms);
    EXPECT_LE(r.most, left + 4ms);
    // Nor do all who wait for one key wake together.
    EXPECT_GE(r.most - r.least, 2ms);
  }
}

TEST(Backoff, HybridDoesNotWaitForAKeyThatOutlivesThePause) {
  const backoff how{retry_policy::hybrid, 20ms, 250ms};
  expect_fills(seen(how, 100, {.waited = 1s, .key_left = 1h}), 1ms, 250ms);
}

TEST(Backoff, AdaptiveSpinsForShortHoldsAndBacksOffForLongOnes) {
  const backoff how{retry_policy::adaptive, 60ms, 250ms};
  const auto after = [](nanoseconds waited, nanoseconds usual) {
    return pause_request{.waited = waited, .usual_hold = usual};
  };
  expect_fills(seen(how, 5, after(10s, 49ms)), 2500us, 7500us);
  expect_fills(seen(how, 1, after(0s, 201ms)), 1ms, 60ms);
  for (const nanoseconds between : {nanoseconds{50ms}, nanoseconds{200ms}, 0ns}) {
    expect_fills(seen(how, 1, after(0s, between)), 2500us, 7500us);
    expect_fills(seen(how, 1, after(200ms, between)), 1ms, 60ms);
  }
}

TEST(Backoff, CustomAsksTheUserAndKeepsToTheLimits) {
  struct call {
    pause_request at;
    nanoseconds says{0};
  } last;
  const backoff how{.policy = retry_policy::custom,
                    .delay = 20ms,
                    .max = 250ms,
                    .own =
                        [](const pause_request& at, void* context) noexcept {
                          auto* c = static_cast<call*>(context);
                          c->at = at;
                          return c->says;
                        },
                    .context = &last};
  pacing p;
  last.says = 7ms;
  EXPECT_EQ(p.next(how, {.attempts = 3, .waited = 9ms, .key_left = 8ms, .usual_hold = 2ms}, 1),
            7ms);
  EXPECT_EQ(last.at.attempts, 3U);
  EXPECT_EQ(last.at.waited, 9ms);
  EXPECT_EQ(last.at.key_left, 8ms);
  EXPECT_EQ(last.at.usual_hold, 2ms);
  last.says = -1ns;
  EXPECT_EQ(p.next(how, {.attempts = 1}, 1), 1ms);
  last.says = 2h;
  EXPECT_EQ(p.next(how, {.attempts = 1}, 1), 1h);
}

TEST(Backoff, SoonIsWithinTwentyMillisecondsAndNotTheSameForAll) {
  draws draw;
  std::set<nanoseconds> all;
  for (int i = 0; i < 100; ++i) all.insert(soon(draw()));
  EXPECT_GE(*all.begin(), 1ms);
  EXPECT_LE(*all.rbegin(), 20ms);
  EXPECT_GT(all.size(), 90U);
}

TEST(HoldTimes, AreUnknownUntilAHoldWasSeenToEnd) {
  const time_point start{10s};
  hold_times h;
  EXPECT_EQ(h.usual(), 0ns);
  h.saw(1, start);
  h.saw(1, start + 1s);
  EXPECT_EQ(h.usual(), 0ns);
  h.saw(2, start + 5s);
  EXPECT_EQ(h.usual(), 5s);
  h.saw(0, start + 6s);
  h.saw(3, start + 100s);  // nobody had it meanwhile
  EXPECT_EQ(h.usual(), 5s);
}

TEST(HoldTimes, AreWhatNinetyNineOfAHundredDoNotExceed) {
  time_point now{10s};
  hold_times h;
  const auto hold = [&](nanoseconds span) {
    h.saw(1, now);
    h.saw(0, now += span);
  };
  hold(10s);
  for (int i = 0; i < 99; ++i) hold(3ms);
  EXPECT_EQ(h.usual(), 3ms);
  hold(10s);
  hold(10s);
  EXPECT_EQ(h.usual(), 10s);
  for (int i = 0; i < 128; ++i) hold(4ms);
  EXPECT_EQ(h.usual(), 4ms) << "the last ones count";
}

TEST(Backoff, ClientsThatFailedTogetherDoNotTryTogether) {  // B68
  for (const auto policy : {retry_policy::fixed, retry_policy::exponential, retry_policy::hybrid}) {
    const backoff how{policy, 20ms, 250ms};
    draws draw;
    std::vector<int> tenths(10);
    const range r = seen(how, 6);
    for (int client = 0; client < 10'000; ++client) {
      const auto into = (nth(how, 6, spun_out, draw()) - r.least) * 10 / (r.most - r.least + 1ns);
      ++tenths[static_cast<std::size_t>(std::clamp<std::int64_t>(into, 0, 9))];
    }
    for (const int clients : tenths) EXPECT_NEAR(clients, 1000, 200);
  }
}

TEST(Backoff, IsAtLeastAMillisecondAndAtMostItsCapAtEveryExtreme) {
  for (const auto policy : {retry_policy::fixed, retry_policy::exponential, retry_policy::hybrid,
                            retry_policy::adaptive}) {
    for (const nanoseconds delay : {nanoseconds{1ms}, nanoseconds{1'000'001ns}, nanoseconds{1h}}) {
      for (const nanoseconds max : {delay, nanoseconds{1h}}) {
        for (const nanoseconds left : {0ns, 1ns, nanoseconds{1h}, nanoseconds{24h * 365}}) {
          for (const std::uint64_t random : {std::uint64_t{0}, all_ones, all_ones / 2}) {
            pacing p;
            for (std::uint32_t failed = 1; failed <= 70; ++failed) {
              const auto pause = p.next({policy, delay, max},
                                        {.attempts = failed,
                                         .waited = failed * 10ms,
                                         .key_left = left,
                                         .usual_hold = left},
                                        random);
              ASSERT_TRUE(pause);
              ASSERT_GE(*pause, 1ms) << "policy " << static_cast<int>(policy);
              ASSERT_LE(*pause, policy == retry_policy::fixed ? delay / 2 * 3
                                                              : std::max(max, 7500us + 0ns));
            }
          }
        }
      }
    }
  }
  pacing p;
  EXPECT_GE(p.next({retry_policy::exponential, 1ms, 1h}, {.attempts = attempts_without_end}, 0),
            1ms);
}

TEST(BackoffDeathTest, EndsTheProcessForTermsThatOptionsForbid) {
  const auto next = [](const backoff& how, std::uint32_t failed) {
    pacing p;
    static_cast<void>(p.next(how, {.attempts = failed}, 0));
  };
  EXPECT_DEATH(next({retry_policy::fixed, 20ms, 250ms}, 0), "");
  EXPECT_DEATH(next({retry_policy::fixed, 0ms, 250ms}, 1), "");
  EXPECT_DEATH(next({retry_policy::fixed, 20ms, 19ms}, 1), "");
  EXPECT_DEATH(next({retry_policy::custom, 20ms, 250ms}, 1), "");
}

}  // namespace
}  // namespace redlock::core
