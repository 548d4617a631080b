// random: rule T1, as far as a test can see it.

#include "io/random.h"

#include <gtest/gtest.h>

#include <set>

namespace redlock::io {
namespace {

TEST(Random, DrawsAnotherBaseEveryTime) {  // T1
  std::set<core::base> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(draw_base());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Random, FillsEveryBitOfTheBase) {  // T1: a bit that stays the same misses with 1 in 2^99
  core::base ones{};
  core::base zeros{};
  for (int i = 0; i < 100; ++i) {
    const core::base b = draw_base();
    for (std::size_t half = 0; half < b.size(); ++half) {
      ones[half] |= b[half];
      zeros[half] |= ~b[half];
    }
  }
  const core::base all{~std::uint64_t{0}, ~std::uint64_t{0}};
  EXPECT_EQ(ones, all);
  EXPECT_EQ(zeros, all);
}

}  // namespace
}  // namespace redlock::io
