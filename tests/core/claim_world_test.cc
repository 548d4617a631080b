// Claims in a small world (claim_world.h): what nobody thought of, by seed. And what the checks are
// worth: worlds in which no lock of this kind can work must be found out.

#include "core/claim_world.h"

#include <gtest/gtest.h>

namespace redlock::core {
namespace {

constexpr std::uint64_t seeds = 4000;

// Runs the world of every seed, and gives what was violated first; empty if nothing was.
std::string first_violation(tally& sum) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    world w(climate::drawn(seed), seed);
    const std::string violation = w.run();
    sum += w.counts();
    if (!violation.empty()) return "seed " + std::to_string(seed) + ": " + violation;
  }
  return {};
}

// Whether some world, changed so, is found to be violated in this way.
bool is_found_out(const std::string& violation, void (*change)(climate&)) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    climate c = climate::drawn(seed);
    change(c);
    if (world(c, seed).run().starts_with(violation)) return true;
  }
  return false;
}

TEST(ClaimWorld, KeepsThePromiseUnderEveryFaultItIsMadeFor) {  // G2, G3, N1, R1 to R5
  tally sum;
  EXPECT_EQ(first_violation(sum), "");
  // All that is claimed to be withstood did happen.
  EXPECT_GT(sum.granted, 10'000);
  EXPECT_GT(sum.gave_up, 10'000);
  EXPECT_GT(sum.renewed, 20'000);
  EXPECT_GT(sum.renew_failed, 2'000);
  EXPECT_GT(sum.lost, 2'000);
  EXPECT_GT(sum.released, 5'000);
  EXPECT_GT(sum.refills, 5'000);
  EXPECT_GT(sum.detached, 500);
  EXPECT_GT(sum.adopted, 200);
  EXPECT_GT(sum.cuts, 20'000);
  EXPECT_GT(sum.ghosts, 2'000);
  EXPECT_GT(sum.crashes, 1'000);
  EXPECT_GT(sum.pauses, 5'000);
}

TEST(ClaimWorld, IsFoundOutIfNodesForget) {  // the promise excludes them
  EXPECT_TRUE(is_found_out("two holders", [](climate& c) { c.forget = 30; }));
}

TEST(ClaimWorld, IsFoundOutIfClocksRunApartFasterThanTheDriftFactor) {  // B19
  const auto change = [](climate& c) { c.node_clock_fast_ppm = 50'000; };
  EXPECT_TRUE(is_found_out("a holder without a quorum of keys", change));
  EXPECT_TRUE(is_found_out("two holders", [](climate& c) {
    c.node_clock_fast_ppm = 50'000;
    c.exclusion_only = true;
  }));
}

TEST(ClaimWorld, IsFoundOutIfReleaseHeedsNoToken) {  // R4, B61
  EXPECT_TRUE(is_found_out("two holders", [](climate& c) { c.blind_release = true; }));
}

TEST(ClaimWorld, IsFoundOutIfReleaseDeletesNothing) {  // R1, R2
  EXPECT_TRUE(is_found_out("a key left behind", [](climate& c) { c.idle_release = true; }));
}

TEST(ClaimWorld, IsFoundOutIfAcquireTakesLaterAttemptsOfItsOwn) {  // T2's counterexample
  const auto change = [](climate& c) {
    c.any_own_attempt = true;
    c.cut = 100;
  };
  EXPECT_TRUE(is_found_out("a holder without a quorum of keys", change));
}

TEST(ClaimWorld, IsTheSameWorldForTheSameSeed) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    world a(climate::drawn(seed), seed);
    world b(climate::drawn(seed), seed);
    EXPECT_EQ(a.run(), b.run());
    EXPECT_EQ(a.counts().granted, b.counts().granted);
    EXPECT_EQ(a.counts().cuts, b.counts().cuts);
  }
}

}  // namespace
}  // namespace redlock::core
