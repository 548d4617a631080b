// schedule: wakes what is due, the earliest first; against a list that is searched anew each time.

#include "io/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "exhaustive.h"

namespace redlock::io {
namespace {

using namespace std::chrono_literals;

constexpr core::time_point at(core::nanoseconds t) { return core::time_point{1h + t}; }

class alarm_clock final : public timer {
 public:
  std::function<void(core::time_point)> then = [](core::time_point) {};
  int woken = 0;
  core::time_point last{};

 private:
  void on_time(core::time_point now) noexcept override {
    ++woken;
    last = now;
    then(now);
  }
};

// splitmix64, so that every machine draws the same.
class draws {
 public:
  explicit draws(std::uint64_t seed) : state_(seed) {}
  std::size_t operator()(std::size_t among) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31)) % among);
  }

 private:
  std::uint64_t state_;
};

TEST(Schedule, HasNothingToWakeAtFirst) {
  schedule s;
  alarm_clock a;
  EXPECT_EQ(s.next(), core::never);
  EXPECT_FALSE(s.is_set(a));
  EXPECT_FALSE(s.wake_one(at(1h)));
}

TEST(Schedule, WakesOnceAtItsTimeAndNotBefore) {
  schedule s;
  alarm_clock a;
  s.set(a, at(5ns));
  EXPECT_TRUE(s.is_set(a));
  EXPECT_EQ(s.next(), at(5ns));
  EXPECT_FALSE(s.wake_one(at(4ns)));
  EXPECT_EQ(a.woken, 0);
  EXPECT_TRUE(s.wake_one(at(5ns)));
  EXPECT_EQ(a.woken, 1);
  EXPECT_EQ(a.last, at(5ns));
  EXPECT_FALSE(s.is_set(a));
  EXPECT_FALSE(s.wake_one(at(1h)));
  EXPECT_EQ(a.woken, 1);
}

TEST(Schedule, TellsTheTimeThatItIsAndNotTheOneThatWasSet) {
  schedule s;
  alarm_clock a;
  s.set(a, at(5ns));
  EXPECT_TRUE(s.wake_one(at(70ns)));
  EXPECT_EQ(a.last, at(70ns));
}

TEST(Schedule, KeepsOnlyTheLastTimeThatWasSet) {
  for (const core::nanoseconds later : {1ns, 5ns, 9ns}) {
    schedule s;
    alarm_clock a;
    s.set(a, at(5ns));
    s.set(a, at(later));
    EXPECT_EQ(s.next(), at(later));
    EXPECT_TRUE(s.wake_one(at(9ns)));
    EXPECT_FALSE(s.wake_one(at(1h)));
    EXPECT_EQ(a.woken, 1);
  }
}

TEST(Schedule, TakesNeverForClear) {
  schedule s;
  alarm_clock a;
  s.set(a, core::never);
  EXPECT_FALSE(s.is_set(a));
  s.set(a, at(5ns));
  s.set(a, core::never);
  EXPECT_FALSE(s.is_set(a));
  EXPECT_EQ(s.next(), core::never);
  s.clear(a);  // again: harmless
  EXPECT_FALSE(s.wake_one(at(1h)));
}

TEST(Schedule, LetsWhatIsWokenSetItselfAndClearOthers) {
  schedule s;
  alarm_clock first;
  alarm_clock second;
  first.then = [&](core::time_point now) {
    EXPECT_FALSE(s.is_set(first));
    s.clear(second);
    s.set(first, now);  // due again at once
  };
  s.set(first, at(1ns));
  s.set(second, at(2ns));
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(s.wake_one(at(9ns)));
    EXPECT_EQ(first.woken, i);
  }
  EXPECT_EQ(second.woken, 0);
}

TEST(Schedule, WakesInTheOrderOfTimesWhateverWasSetAndClearedBefore) {
  for (exhaustive ways; ways.next();) {
    schedule s;
    std::array<alarm_clock, 5> all;
    std::multimap<core::time_point, const alarm_clock*> left;
    for (alarm_clock& a : all) {
      const core::time_point t = at(core::nanoseconds{ways.pick(4)});
      s.set(a, t);
      left.emplace(t, &a);
    }
    alarm_clock& cleared = ways.one_of(all);
    s.clear(cleared);
    std::erase_if(left, [&](const auto& entry) { return entry.second == &cleared; });
    for (const auto& [t, a] : left) {
      ASSERT_EQ(s.next(), t);
      ASSERT_TRUE(s.wake_one(t));
    }
    ASSERT_EQ(s.next(), core::never);
    for (const alarm_clock& a : all) ASSERT_EQ(a.woken, &a == &cleared ? 0 : 1);
  }
}

// Two hundred timers that are set, moved, cleared and woken at random, with many ties.
class schedule_and_its_oracle {
 public:
  explicit schedule_and_its_oracle(std::uint64_t seed) : draw_(seed), all_(200) {}

  void step() {
    alarm_clock& a = all_[draw_(all_.size())];
    switch (draw_(8)) {
      case 0:
      case 1:
      case 2:
      case 3:
        set(a, now_ + core::nanoseconds{draw_(60)});
        break;
      case 4:
        set(a, core::never);
        break;
      case 5:
        clear(a);
        break;
      default:
        now_ += core::nanoseconds{draw_(4)};
        wake();
    }
    ASSERT_EQ(schedule_.next(), expected_.empty() ? core::never : expected_.begin()->first);
    ASSERT_EQ(schedule_.is_set(a), is_expected(a));
  }

 private:
  using entry = std::multimap<core::time_point, alarm_clock*>::value_type;

  bool is_expected(const alarm_clock& a) const {
    return std::any_of(expected_.begin(), expected_.end(),
                       [&](const entry& e) { return e.second == &a; });
  }
  void forget(const alarm_clock& a) {
    std::erase_if(expected_, [&](const entry& e) { return e.second == &a; });
  }
  void set(alarm_clock& a, core::time_point t) {
    schedule_.set(a, t);
    forget(a);
    if (t != core::never) expected_.emplace(t, &a);
  }
  void clear(alarm_clock& a) {
    schedule_.clear(a);
    forget(a);
  }

  void wake() {
    const bool due = !expected_.empty() && expected_.begin()->first <= now_;
    std::vector<int> before;
    for (const alarm_clock& a : all_) before.push_back(a.woken);
    ASSERT_EQ(schedule_.wake_one(now_), due);
    const alarm_clock* woken = nullptr;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].woken == before[i]) continue;
      ASSERT_EQ(all_[i].woken, before[i] + 1);
      ASSERT_EQ(woken, nullptr) << "one at a time";
      woken = &all_[i];
    }
    ASSERT_EQ(woken != nullptr, due);
    if (!due) return;
    const auto [from, to] = expected_.equal_range(expected_.begin()->first);
    ASSERT_TRUE(std::any_of(from, to, [&](const entry& e) { return e.second == woken; }));
    forget(*woken);
  }

  draws draw_;
  schedule schedule_;
  core::time_point now_ = at(0ns);
  std::deque<alarm_clock> all_;
  std::multimap<core::time_point, alarm_clock*> expected_;
};

TEST(Schedule, AgreesWithASortedListOnEveryStepOfLongRandomRuns) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    schedule_and_its_oracle pair(seed);
    for (int i = 0; i < 1000; ++i) {
      pair.step();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace redlock::io
