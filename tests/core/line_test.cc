// line: who of one process competes, and in which order; also against a model, by chance.

#include "core/line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace redlock::core {
namespace {

using namespace std::chrono_literals;

struct someone : line::place {};

constexpr bool waits = true;
constexpr bool tries = false;
constexpr bool held = true;
constexpr bool unserved = false;
constexpr time_point start{};

TEST(Line, LetsTheFirstCompeteAtOnce) {
  line l;
  someone a;
  EXPECT_TRUE(l.enter(a, waits));
  EXPECT_FALSE(l.is_empty());
  EXPECT_EQ(l.next().whose, nullptr);
  l.leave(a, unserved, start);
  EXPECT_TRUE(l.is_empty());
}

TEST(Line, ServesFirstInFirstOut) {
  line l;
  std::array<someone, 4> all;
  EXPECT_TRUE(l.enter(all[0], waits));
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_FALSE(l.enter(all.at(i), waits));
  for (std::size_t i = 1; i < all.size(); ++i) {
    l.on_served(all.at(i - 1));
    EXPECT_EQ(l.next().whose, nullptr) << "while somebody has it";
    l.leave(all.at(i - 1), held, start);
    EXPECT_EQ(l.next().whose, &all.at(i));
  }
}

TEST(Line, KeepsANewcomerBehindThoseWhoCameBeforeEvenWhenNobodyIsInFront) {
  line l;
  someone a;
  someone b;
  someone c;
  EXPECT_TRUE(l.enter(a, waits));
  EXPECT_FALSE(l.enter(b, waits));
  l.leave(a, held, start);
  EXPECT_FALSE(l.enter(c, waits));
  EXPECT_EQ(l.next().whose, &b);
  l.leave(b, held, start);
  EXPECT_EQ(l.next().whose, &c);
}

TEST(Line, ForgetsWhoLeavesFromTheMiddleTheEndAndTheBeginning) {
  line l;
  std::array<someone, 5> all;
  for (someone& one : all) static_cast<void>(l.enter(one, waits));
  l.leave(all[2], unserved, start);
  l.leave(all[4], unserved, start);
  l.leave(all[1], unserved, start);
  l.leave(all[0], held, start);
  EXPECT_EQ(l.next().whose, &all[3]);
  l.leave(all[3], held, start);
  EXPECT_EQ(l.next().whose, nullptr);
  EXPECT_TRUE(l.is_empty());
}

TEST(Line, RefusesATryWhileSomebodyWaits) {
  line l;
  someone a;
  someone b;
  someone c;
  EXPECT_TRUE(l.enter(a, waits));
  EXPECT_FALSE(l.enter(c, tries)) << "a competes";
  l.on_served(a);
  EXPECT_TRUE(l.enter(c, tries)) << "a has it, and nobody waits: the nodes are to say so";
  l.leave(c, unserved, start);
  EXPECT_FALSE(l.enter(b, waits));
  EXPECT_FALSE(l.enter(c, tries)) << "b waits";
  l.leave(b, unserved, start);
  EXPECT_TRUE(l.enter(c, tries));
}

TEST(Line, LetsNobodyCompeteWithATry) {
  line l;
  someone a;
  someone b;
  EXPECT_TRUE(l.enter(a, tries));
  EXPECT_FALSE(l.enter(b, waits));
  EXPECT_EQ(l.next().whose, nullptr);
  l.leave(a, unserved, start);
  EXPECT_EQ(l.next().whose, &b);
}

TEST(Line, WaitsForALeaseThatCameFromElsewhere) {
  line l;
  someone a;
  someone b;
  l.enter_in_front(a);
  EXPECT_FALSE(l.enter(b, waits));
  l.leave(a, held, start);
  EXPECT_EQ(l.next().whose, &b);
}

TEST(Line, LetsOthersHaveAChanceEvery100Milliseconds) {
  line l;
  std::deque<someone> all(30);
  for (someone& one : all) static_cast<void>(l.enter(one, waits));
  time_point now = start;
  std::vector<std::size_t> late;
  for (std::size_t i = 1; i < all.size(); ++i) {
    l.leave(all[i - 1], held, now += 10ms);
    const line::turn turn = l.next();
    ASSERT_EQ(turn.whose, &all[i]);
    if (turn.late) late.push_back(i);
  }
  EXPECT_EQ(late, (std::vector<std::size_t>{11, 22}));
}

TEST(Line, CountsNoTimeInWhichOthersHadTheirChance) {
  line l;
  std::deque<someone> all(4);
  for (someone& one : all) static_cast<void>(l.enter(one, waits));
  l.leave(all[0], held, start);
  EXPECT_FALSE(l.next().late);
  l.leave(all[1], unserved, start + 60ms);  // in vain: somebody else had it
  EXPECT_FALSE(l.next().late);
  l.leave(all[2], held, start + 110ms);
  EXPECT_FALSE(l.next().late);
}

// A million words by chance, against lists.
TEST(Line, DoesWhatAListWouldDo) {
  line l;
  std::deque<someone> all(8);
  std::vector<someone*> outside;
  for (someone& one : all) outside.push_back(&one);
  std::deque<someone*> behind;
  std::vector<someone*> front;
  const someone* waiter = nullptr;
  std::uint64_t seed = 7;
  const auto pick = [&](std::size_t n) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(seed >> 33) % n;
  };
  const auto take = [&](auto& from, std::size_t i) {
    someone* one = from[i];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
    return one;
  };
  std::size_t served = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    switch (pick(5)) {
      case 0:
      case 1: {
        if (outside.empty()) break;
        someone* one = take(outside, pick(outside.size()));
        const bool does_wait = pick(3) != 0;
        const bool in = l.enter(*one, does_wait);
        const bool expected =
            does_wait ? front.empty() && behind.empty() : behind.empty() && waiter == nullptr;
        ASSERT_EQ(in, expected);
        if (in) front.push_back(one);
        if (in && does_wait) waiter = one;
        if (!in)
          (does_wait ? static_cast<void>(behind.push_back(one))
                     : static_cast<void>(outside.push_back(one)));
        break;
      }
      case 2: {
        if (front.empty()) break;
        someone* one = take(front, pick(front.size()));
        l.leave(*one, pick(2) == 0, start);
        if (waiter == one) waiter = nullptr;
        outside.push_back(one);
        break;
      }
      case 3: {
        if (behind.empty()) break;
        someone* one = take(behind, pick(behind.size()));
        l.leave(*one, unserved, start);
        outside.push_back(one);
        break;
      }
      default: {
        if (pick(2) == 0 && waiter != nullptr) {
          l.on_served(*waiter);
          waiter = nullptr;
        }
        someone* expected = front.empty() && !behind.empty() ? take(behind, 0) : nullptr;
        ASSERT_EQ(l.next().whose, expected);
        if (expected != nullptr) front.push_back(expected), waiter = expected, ++served;
        break;
      }
    }
    ASSERT_EQ(l.is_empty(), front.empty() && behind.empty());
  }
  EXPECT_GT(served, 10'000U) << "or it proves nothing";
}

}  // namespace
}  // namespace redlock::core
