// account: figures of stories short enough to be reckoned in the head.

#include "bench/contention/account.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace redlock::bench {
namespace {

using namespace std::chrono_literals;

grant held(std::uint32_t waiter, nanoseconds asked, nanoseconds granted, nanoseconds released) {
  return {.waiter = waiter, .asked = asked, .granted = granted, .released = released};
}

double named(const std::vector<figure>& all, const std::string& name) {
  for (const figure& f : all) {
    if (f.name == name) return f.value;
  }
  throw std::invalid_argument("no figure " + name);
}

// Two processes of two threads and one node, looked at from 1 s to 3 s.
class account : public testing::Test {
 protected:
  account() {
    told_.processes = 2;
    told_.threads = 2;
    told_.before = {.at = 1s, .calls = {100}, .cpu = {1s, 1s}, .waiting = {0s, 0s, 0s, 0s}};
    told_.after = {.at = 3s, .calls = {112}, .cpu = {1100ms, 1300ms}, .waiting = {0s, 0s, 0s, 0s}};
  }
  [[nodiscard]] double value(const std::string& name) const {
    return named(figures_of(told_), name);
  }
  [[nodiscard]] double value_after(nanoseconds struck_at, const std::string& name) const {
    return named(figures_after(told_, struck_at), name);
  }

  story told_;
};

TEST(exclusion, holds_where_one_follows_the_other) {
  std::vector<grant> all{held(0, 0s, 1s, 2s), held(1, 0s, 2s, 3s), held(0, 2s, 4s, 5s)};
  EXPECT_NO_THROW(check_exclusion(all, 0s));
}

TEST(exclusion, is_broken_by_a_grant_before_the_release) {
  std::vector<grant> all{held(0, 0s, 1s, 2s), held(1, 0s, 2s - 1ns, 3s)};
  EXPECT_THROW(check_exclusion(all, 0s), std::runtime_error);
}

TEST(exclusion, is_broken_by_a_grant_within_a_longer_one_before_the_last) {
  std::vector<grant> all{held(0, 0s, 1s, 9s), held(1, 0s, 9s, 10s), held(2, 0s, 9500ms, 11s)};
  EXPECT_THROW(check_exclusion(all, 0s), std::runtime_error);
}

TEST(exclusion, ends_for_the_dead_with_their_death) {
  std::vector<grant> all{held(0, 0s, 1s, 0s), held(1, 0s, 3s, 4s)};
  EXPECT_NO_THROW(check_exclusion(all, 2s));
  EXPECT_EQ(all[0].released, 2s);
  all[0].released = 0s;
  EXPECT_THROW(check_exclusion(all, 3500ms), std::runtime_error);
}

TEST(exclusion, knows_no_grant_without_an_end) {
  std::vector<grant> all{held(0, 0s, 1s, 0s)};
  EXPECT_THROW(check_exclusion(all, 0s), std::runtime_error);
}

TEST_F(account, counts_what_was_granted_within_the_measured_time) {
  told_.grants = {held(0, 0s, 500ms, 600ms), held(2, 600ms, 1s, 1100ms), held(0, 1s, 1200ms, 1s),
                  held(1, 1s, 2s, 2500ms), held(3, 1s, 3s, 4s)};
  EXPECT_DOUBLE_EQ(value("grants/s"), 1.5);
  EXPECT_DOUBLE_EQ(value("commands/grant"), 4);
}

TEST_F(account, sees_a_hand_over_only_between_processes) {
  told_.grants = {held(0, 1s, 1s, 1100ms), held(1, 1s, 1200ms, 1300ms), held(2, 1s, 2s, 2500ms)};
  EXPECT_DOUBLE_EQ(value("hand_overs/s"), 0.5);
  EXPECT_DOUBLE_EQ(value("hand_over_share"), 0.5);
  EXPECT_DOUBLE_EQ(value("least/most"), 0.5);
}

TEST_F(account, measures_a_gap_from_the_release_to_the_next_grant) {
  told_.grants = {held(0, 1s, 1s, 1100ms), held(2, 1s, 1102ms, 1200ms), held(0, 1s, 1207ms, 1300ms),
                  held(2, 1s, 1303ms, 1400ms)};
  EXPECT_NEAR(value("gap_p50_ms"), 3, 1e-9);
}

TEST_F(account, counts_the_wait_of_who_is_never_served) {
  told_.grants = {held(0, 1s, 1100ms, 1200ms), held(0, 1200ms, 1500ms, 1600ms)};
  told_.after.waiting[3] = 2500ms;
  EXPECT_DOUBLE_EQ(value("wait_mean_ms"), 200);
  EXPECT_DOUBLE_EQ(value("wait_max_ms"), 2500);
  EXPECT_DOUBLE_EQ(value("least/most"), 0);
}

TEST_F(account, gives_the_cpu_of_the_mean_process) {
  told_.grants = {held(0, 1s, 1s, 2s)};
  EXPECT_NEAR(value("cpu_%"), 10, 1e-9);
}

TEST_F(account, knows_that_grants_take_commands) {
  told_.grants = {held(0, 1s, 1s, 2s)};
  told_.after.calls = told_.before.calls;
  EXPECT_THROW(static_cast<void>(figures_of(told_)), std::runtime_error);
  told_.after.calls = {5};  // started anew
  EXPECT_DOUBLE_EQ(value("commands/grant"), 0);
}

TEST_F(account, takes_no_silence_for_a_measurement) {
  EXPECT_THROW(static_cast<void>(figures_of(told_)), std::runtime_error);
}

TEST_F(account, sees_the_longest_gap_at_or_after_a_fault) {
  told_.grants = {held(0, 1s, 1s, 1100ms), held(2, 1s, 1400ms, 1500ms),
                  held(0, 1s, 1700ms, 2900ms)};
  EXPECT_NEAR(value_after(1600ms, "fault_gap_ms"), 200, 1e-9);
  EXPECT_NEAR(value_after(1200ms, "fault_gap_ms"), 300, 1e-9);
}

TEST_F(account, sees_that_nobody_came_after_a_fault) {
  told_.grants = {held(0, 1s, 1s, 1100ms)};
  EXPECT_NEAR(value_after(1200ms, "fault_gap_ms"), 1900, 1e-9);
  EXPECT_DOUBLE_EQ(value_after(1200ms, "rate_after/before"), 0);
  EXPECT_DOUBLE_EQ(value_after(1200ms, "least/most_after"), 0);
}

TEST_F(account, leaves_the_dead_out) {
  told_.grants = {held(0, 1s, 1s, 1100ms), held(2, 1s, 2s, 2100ms)};
  told_.after.cpu[0].reset();
  EXPECT_DOUBLE_EQ(value_after(1200ms, "least/most_after"), 1);
  EXPECT_NEAR(value("cpu_%"), 15, 1e-9);
}

}  // namespace
}  // namespace redlock::bench
