#include "core/lead.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace redlock::core {
namespace {

using namespace std::chrono_literals;

// Clients of all versions choose the same lead: these numbers never change.
TEST(Lead, IsChosenByTheSameWeightForEver) {
  EXPECT_EQ(lead_weight("", ""), 0x25fc6dd36ce04b20U);
  EXPECT_EQ(lead_weight("0123456789abcdef0123456789abcdef01234567", "redlock:a"),
            0xfd153df4730999d2U);
  EXPECT_EQ(lead_weight("redis://10.0.0.1:6379", "redlock:a"), 0x64de3a3f6415b8d1U);
}

TEST(Lead, IsSharedOutEvenly) {
  std::array<int, 5> led{};
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = "redlock:" + std::to_string(i);
    std::size_t best = 0;
    for (std::size_t n = 1; n < led.size(); ++n) {
      const auto name = [](std::size_t of) { return "node" + std::to_string(of); };
      if (lead_weight(name(n), key) > lead_weight(name(best), key)) best = n;
    }
    ++led[best];
  }
  for (const int times : led) EXPECT_NEAR(times, 2000, 200);
}

TEST(AskAfter, IsBoundedHoweverManyAreBefore) {
  for (std::uint64_t random = 0; random < 1000; ++random) {
    const std::uint64_t r = random * 0x9e3779b97f4a7c15U;
    EXPECT_GE(ask_after(0, 0ns, r), 75ms);
    EXPECT_LE(ask_after(0, 0ns, r), 125ms);
    EXPECT_LE(ask_after(1'000'000, 0ns, r), place_life_told / 3) << "Q2";
  }
}

TEST(AskAfter, IsNotLongAfterTheKeyExpires) {
  for (std::uint64_t random = 0; random < 1000; ++random) {
    const std::uint64_t r = random * 0x9e3779b97f4a7c15U;
    EXPECT_GE(ask_after(50, 20ms, r), 21ms);
    EXPECT_LE(ask_after(50, 20ms, r), 24ms);
  }
}

}  // namespace
}  // namespace redlock::core
