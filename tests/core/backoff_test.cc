// backoff: how long each policy pauses, for every random number that matters and at every extreme.

#include "core/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

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

range seen(const backoff& how, std::uint32_t failed, nanoseconds key_left = 0ns) {
  draws draw;
  range r{nanoseconds::max(), nanoseconds::min()};
  for (int i = 0; i < 4000; ++i) {
    const nanoseconds p = pause(how, failed, key_left, draw());
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
  for (const std::uint32_t failed : {1U, 2U, 100U, attempts_without_end}) {
    expect_fills(seen(how, failed), 10ms, 30ms);
  }
}

TEST(Backoff, ExponentialDrawsFromAWindowThatDoublesUpToItsCap) {
  const backoff how{retry_policy::exponential, 20ms, 250ms};
  expect_fills(seen(how, 1), 1ms, 20ms);
  expect_fills(seen(how, 2), 1ms, 40ms);
  expect_fills(seen(how, 3), 1ms, 80ms);
  expect_fills(seen(how, 4), 1ms, 160ms);
  for (const std::uint32_t failed : {5U, 6U, 64U, 65U, 1000U}) {
    expect_fills(seen(how, failed), 1ms, 250ms);
  }
}

TEST(Backoff, HybridTriesAFewTimesQuicklyAndThenBacksOffExponentially) {
  const backoff how{retry_policy::hybrid, 20ms, 250ms};
  for (std::uint32_t failed = 1; failed <= quick_tries; ++failed) {
    expect_fills(seen(how, failed), 1ms, 4ms);
  }
  expect_fills(seen(how, quick_tries + 1), 1ms, 20ms);
  expect_fills(seen(how, quick_tries + 2), 1ms, 40ms);
  expect_fills(seen(how, quick_tries + 5), 1ms, 250ms);
}

TEST(Backoff, HybridNeverSleepsPastTheExpiryOfTheKeyThatItMet) {  // B71
  const backoff how{retry_policy::hybrid, 1h, 1h};
  for (const nanoseconds left : {1ns, 999'999ns, 5'000'000ns, 800'000'000ns}) {
    const range r = seen(how, 100, left);
    EXPECT_GE(r.least, 1ms);
    EXPECT_LE(r.most, left + 4ms);
    // Nor do all who wait for one key wake together.
    EXPECT_GE(r.most - r.least, 2ms);
  }
}

TEST(Backoff, HybridDoesNotWaitForAKeyThatOutlivesThePause) {
  const backoff how{retry_policy::hybrid, 20ms, 250ms};
  expect_fills(seen(how, 1, 1h), 1ms, 4ms);
  expect_fills(seen(how, 100, 1h), 1ms, 250ms);
}

TEST(Backoff, ClientsThatFailedTogetherDoNotTryTogether) {  // B68
  for (const auto policy : {retry_policy::fixed, retry_policy::exponential, retry_policy::hybrid}) {
    const backoff how{policy, 20ms, 250ms};
    draws draw;
    std::vector<int> tenths(10);
    const range r = seen(how, 6);
    for (int client = 0; client < 10'000; ++client) {
      const auto into = (pause(how, 6, 0ns, draw()) - r.least) * 10 / (r.most - r.least + 1ns);
      ++tenths[static_cast<std::size_t>(std::clamp<std::int64_t>(into, 0, 9))];
    }
    for (const int clients : tenths) EXPECT_NEAR(clients, 1000, 200);
  }
}

TEST(Backoff, IsAtLeastAMillisecondAndAtMostItsCapAtEveryExtreme) {
  for (const auto policy : {retry_policy::fixed, retry_policy::exponential, retry_policy::hybrid}) {
    for (const nanoseconds delay : {nanoseconds{1ms}, nanoseconds{1'000'001ns}, nanoseconds{1h}}) {
      for (const nanoseconds max : {delay, nanoseconds{1h}}) {
        for (const std::uint32_t failed :
             {1U, 2U, 4U, 5U, 31U, 32U, 63U, 64U, 65U, 0x80000000U, attempts_without_end}) {
          for (const nanoseconds left : {0ns, 1ns, nanoseconds{1h}, nanoseconds{24h * 365}}) {
            for (const std::uint64_t random : {std::uint64_t{0}, all_ones, all_ones / 2}) {
              const nanoseconds p = pause({policy, delay, max}, failed, left, random);
              ASSERT_GE(p, 1ms) << "policy " << static_cast<int>(policy) << " delay "
                                << delay.count();
              ASSERT_LE(p,
                        policy == retry_policy::fixed ? delay / 2 * 3 : std::max(max, 4ms + 0ns));
            }
          }
        }
      }
    }
  }
}

TEST(BackoffDeathTest, EndsTheProcessForTermsThatOptionsForbid) {
  const backoff fine{retry_policy::fixed, 20ms, 250ms};
  EXPECT_DEATH(static_cast<void>(pause(fine, 0, 0ns, 0)), "");
  EXPECT_DEATH(static_cast<void>(pause({retry_policy::fixed, 0ms, 250ms}, 1, 0ns, 0)), "");
  EXPECT_DEATH(static_cast<void>(pause({retry_policy::fixed, 20ms, 19ms}, 1, 0ns, 0)), "");
}

}  // namespace
}  // namespace redlock::core
