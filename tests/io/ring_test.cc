// ring: first in, first out, wherever in its memory it begins.

#include "io/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>

namespace redlock::io {
namespace {

TEST(Ring, IsEmptyAtFirst) {
  const ring<int> r;
  EXPECT_TRUE(r.empty());
  EXPECT_EQ(r.size(), 0U);
}

TEST(Ring, GivesOutWhatCameFirst) {
  ring<std::string> r;
  r.push("a");
  r.push("b");
  r.push("c");
  EXPECT_EQ(r.size(), 3U);
  EXPECT_EQ(r.front(), "a");
  EXPECT_EQ(r.size(), 3U) << "a look takes nothing";
  EXPECT_EQ(r.pop(), "a");
  EXPECT_EQ(r.pop(), "b");
  EXPECT_EQ(r.pop(), "c");
  EXPECT_TRUE(r.empty());
}

TEST(Ring, LetsItsFrontBeChanged) {
  ring<int> r;
  r.push(1);
  r.front() = 2;
  EXPECT_EQ(r.pop(), 2);
}

TEST(Ring, KeepsTheOrderWhenItGrowsWhereverItBegins) {
  for (int offset = 0; offset <= 40; ++offset) {
    ring<int> r;
    for (int i = 0; i < offset; ++i) {
      r.push(i);
      ASSERT_EQ(r.pop(), i);
    }
    for (int i = 0; i < 100; ++i) r.push(i);
    ASSERT_EQ(r.size(), 100U);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(r.pop(), i) << "begun at " << offset;
    ASSERT_TRUE(r.empty());
  }
}

TEST(Ring, AgreesWithADequeOnEveryPatternOfPushesAndPops) {
  for (unsigned pattern = 0; pattern < 1024; ++pattern) {
    ring<int> r;
    std::deque<int> expected;
    for (int i = 0; i < 120; ++i) {
      const bool push = ((pattern >> (i % 10)) & 1U) != 0;
      if (push) {
        r.push(i);
        expected.push_back(i);
      } else if (!expected.empty()) {
        ASSERT_EQ(r.front(), expected.front());
        ASSERT_EQ(r.pop(), expected.front());
        expected.pop_front();
      }
      ASSERT_EQ(r.size(), expected.size());
      ASSERT_EQ(r.empty(), expected.empty());
    }
  }
}

TEST(Ring, HoldsWhatCanOnlyBeMovedAndKeepsNothingThatWasTaken) {
  const auto shared = std::make_shared<int>(7);
  ring<std::unique_ptr<std::shared_ptr<int>>> r;
  for (int i = 0; i < 20; ++i) r.push(std::make_unique<std::shared_ptr<int>>(shared));
  EXPECT_EQ(shared.use_count(), 21);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*r.pop(), shared);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(RingDeathTest, EndsTheProcessRatherThanReadWhatIsNot) {
  ring<int> never_filled;
  EXPECT_DEATH(static_cast<void>(never_filled.front()), "");
  EXPECT_DEATH(static_cast<void>(never_filled.pop()), "");
  ring<int> emptied;
  emptied.push(1);
  static_cast<void>(emptied.pop());
  EXPECT_DEATH(static_cast<void>(emptied.front()), "");
}

}  // namespace
}  // namespace redlock::io
