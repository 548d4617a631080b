// validate: both sides of every limit of lock_options.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/validate.h"

namespace redlock::detail {
namespace {

using namespace std::chrono_literals;

constexpr nanoseconds year = 24h * 365;

// What is left of the default ttl of 10 s: less 1 %, less 2 ms.
constexpr nanoseconds validity = 9898ms;

struct setup {
  options all;
  lock_options one;
};

struct change {
  const char* what;
  void (*apply)(setup&);
};

setup good() {
  setup s;
  s.all.nodes = {"a", "b", "c"};
  return s;
}

void expect_taken(const std::vector<change>& changes) {
  for (const change& c : changes) {
    setup s = good();
    c.apply(s);
    const auto t = terms_of(s.all, s.one);
    EXPECT_TRUE(t.has_value()) << c.what << ": " << t.error().message();
  }
}

// The message names the part.
void expect_refused(const std::string& part, const std::vector<change>& changes) {
  for (const change& c : changes) {
    setup s = good();
    c.apply(s);
    const auto t = terms_of(s.all, s.one);
    ASSERT_FALSE(t.has_value()) << c.what;
    EXPECT_EQ(t.error().code(), errc::invalid_argument) << c.what;
    EXPECT_NE(t.error().message().find("lock_options::" + part), std::string::npos)
        << c.what << ": " << t.error().message();
  }
}

TEST(ValidateLock, TakesATtlUpToTheLargestAllowed) {
  expect_taken({
      {"default", [](setup&) {}},
      {"max_ttl", [](setup& s) { s.one.ttl = s.all.max_ttl; }},
      {"a year",
       [](setup& s) {
         s.all.max_ttl = year;
         s.one.ttl = year;
       }},
  });
  expect_refused("ttl", {
                            {"above max_ttl", [](setup& s) { s.one.ttl = s.all.max_ttl + 1ns; }},
                            {"0", [](setup& s) { s.one.ttl = 0ns; }},
                            {"negative", [](setup& s) { s.one.ttl = -1s; }},
                            {"least", [](setup& s) { s.one.ttl = nanoseconds::min(); }},
                            {"most", [](setup& s) { s.one.ttl = nanoseconds::max(); }},
                        });
}

TEST(ValidateLock, NeedsATtlThatLeavesMoreValidityThanIsAskedFor) {
  expect_taken({
      {"4 ms", [](setup& s) { s.one.ttl = 4ms; }},
      {"min_validity", [](setup& s) { s.one.min_validity = validity - 1ns; }},
      {"min_validity 0", [](setup& s) { s.one.min_validity = 0ns; }},
      {"stop_margin",
       [](setup& s) {
         s.one.stop_margin = validity - 1ns;
         s.one.renewal = renewal::manual();
       }},
      {"3 ms without drift",
       [](setup& s) {
         s.all.drift_factor = 0;
         s.one.ttl = 3ms;
         s.one.min_validity = 1ms - 1ns;
         s.one.renewal = renewal::manual();
       }},
  });
  expect_refused("ttl", {
                            {"1 ns", [](setup& s) { s.one.ttl = 1ns; }},
                            {"3 ms", [](setup& s) { s.one.ttl = 3ms; }},
                            {"min_validity", [](setup& s) { s.one.min_validity = validity; }},
                            {"stop_margin", [](setup& s) { s.one.stop_margin = validity; }},
                            {"most", [](setup& s) { s.one.stop_margin = nanoseconds::max(); }},
                            {"3 ms without drift",
                             [](setup& s) {
                               s.all.drift_factor = 0;
                               s.one.ttl = 3ms;
                             }},
                        });
}

TEST(ValidateLock, RefusesNegativeTimes) {
  expect_taken({
      {"wait 0", [](setup& s) { s.one.wait = 0ns; }},
      {"wait forever", [](setup& s) { s.one.wait = wait_forever; }},
  });
  expect_refused("wait", {{"-1", [](setup& s) { s.one.wait = -1ns; }}});
  expect_refused("min_validity", {{"-1", [](setup& s) { s.one.min_validity = -1ns; }}});
  expect_refused("stop_margin", {{"-1", [](setup& s) { s.one.stop_margin = -1ns; }}});
}

TEST(ValidateLock, LimitsThePausesBetweenAttempts) {
  expect_taken({
      {"1 ms", [](setup& s) { s.one.retry_delay = 1ms; }},
      {"equal", [](setup& s) { s.one.retry_delay = s.one.retry_max; }},
      {"1 h", [](setup& s) { s.one.retry_delay = s.one.retry_max = 1h; }},
      {"max 1 h", [](setup& s) { s.one.retry_max = 1h; }},
  });
  expect_refused("retry_delay", {
                                    {"below 1 ms", [](setup& s) { s.one.retry_delay = 1ms - 1ns; }},
                                    {"above 1 h", [](setup& s) { s.one.retry_delay = 1h + 1ns; }},
                                });
  expect_refused("retry_max",
                 {
                     {"below delay", [](setup& s) { s.one.retry_max = s.one.retry_delay - 1ns; }},
                     {"above 1 h", [](setup& s) { s.one.retry_max = 1h + 1ns; }},
                 });
}

TEST(ValidateLock, TakesARenewalFromOneMillisecondToBeforeTheStopSignal) {
  expect_taken({
      {"1 ms", [](setup& s) { s.one.renewal = renewal::every(1ms); }},
      {"before the end", [](setup& s) { s.one.renewal = renewal::every(validity - 1ns); }},
      {"before the signal",
       [](setup& s) {
         s.one.stop_margin = 5s;
         s.one.renewal = renewal::every(validity - 5s - 1ns);
       }},
      {"manual, whatever the margin",
       [](setup& s) {
         s.one.stop_margin = 9s;
         s.one.renewal = renewal::manual();
       }},
  });
  expect_refused("renewal",
                 {
                     {"below 1 ms", [](setup& s) { s.one.renewal = renewal::every(1ms - 1ns); }},
                     {"0", [](setup& s) { s.one.renewal = renewal::every(0ns); }},
                     {"negative", [](setup& s) { s.one.renewal = renewal::every(-1s); }},
                     {"at the end", [](setup& s) { s.one.renewal = renewal::every(validity); }},
                     {"at the signal",
                      [](setup& s) {
                        s.one.stop_margin = 5s;
                        s.one.renewal = renewal::every(validity - 5s);
                      }},
                 });
}

std::string words_for(void (*apply)(setup&)) {
  setup s = good();
  apply(s);
  return terms_of(s.all, s.one).error().message();
}

TEST(ValidateLock, SaysWhichNumbersDoNotGoTogether) {
  EXPECT_EQ(words_for([](setup& s) { s.one.ttl = 2min; }),
            "invalid argument: lock_options::ttl is 120 s, above options::max_ttl, 60 s");
  EXPECT_EQ(words_for([](setup& s) { s.one.stop_margin = 7s; }),
            "invalid argument: lock_options::stop_margin of 7 s leaves no room for automatic "
            "renewal: with a ttl of 10 s, at most 6564 ms");
  EXPECT_EQ(words_for([](setup& s) { s.one.stop_margin = 12s; }),
            "invalid argument: lock_options::ttl of 10 s leaves 9898 ms after the allowance for "
            "clock drift (1 % and 2 ms), not more than 12 s (stop_margin)");
  EXPECT_EQ(words_for([](setup& s) { s.one.ttl = 1ms; }),
            "invalid argument: lock_options::ttl of 1 ms leaves 0 s after the allowance for clock "
            "drift (1 % and 2 ms), not more than 1 ms (min_validity)");
  EXPECT_EQ(words_for([](setup& s) {
              s.all.drift_factor = 0;
              s.one.ttl = 3ms;
              s.one.min_validity = 0ns;
            }),
            "invalid argument: lock_options::ttl of 3 ms leaves no room for automatic renewal");
  EXPECT_EQ(words_for([](setup& s) { s.one.renewal = renewal::every(100us); }),
            "invalid argument: lock_options::renewal at 100 us is not from 1 ms to before the stop "
            "signal, at 9898 ms (ttl less drift and stop_margin)");
}

// 65 % of the ttl, as the message has it.
TEST(ValidateLock, TakesTheStopMarginThatItNames) {
  expect_taken({{"most", [](setup& s) { s.one.stop_margin = 6564ms; }}});
  expect_refused("stop_margin", {{"more", [](setup& s) { s.one.stop_margin = 6565ms; }},
                                 {"after the signal", [](setup& s) { s.one.stop_margin = 7s; }}});
}

TEST(ValidateLock, TakesAMaxHoldOfNoneOrAtLeastTheTtl) {
  expect_taken({
      {"none", [](setup& s) { s.one.max_hold = 0ns; }},
      {"ttl", [](setup& s) { s.one.max_hold = s.one.ttl; }},
      {"a year", [](setup& s) { s.one.max_hold = year; }},
  });
  expect_refused("max_hold", {
                                 {"1 ns", [](setup& s) { s.one.max_hold = 1ns; }},
                                 {"below ttl", [](setup& s) { s.one.max_hold = s.one.ttl - 1ns; }},
                                 {"above a year", [](setup& s) { s.one.max_hold = year + 1ns; }},
                                 {"negative", [](setup& s) { s.one.max_hold = -1ns; }},
                                 {"most", [](setup& s) { s.one.max_hold = nanoseconds::max(); }},
                             });
}

// options.h: at least ttl. What the ttl is rounded up to is the library's affair.
TEST(ValidateLock, TakesAMaxHoldOfATtlThatIsNoWholeNumberOfMilliseconds) {
  expect_taken({{"10.5 ms", [](setup& s) { s.one.max_hold = s.one.ttl = 10ms + 500us; }}});
}

TEST(ValidateLock, RoundsTheTtlUpToWholeMilliseconds) {  // C3
  const struct {
    nanoseconds asked;
    core::milliseconds given;
  } table[] = {{10ms, 10ms}, {10ms + 1ns, 11ms}, {11ms - 1ns, 11ms}, {10s, 10s}};
  for (const auto& row : table) {
    setup s = good();
    s.one.ttl = row.asked;
    EXPECT_EQ(terms_of(s.all, s.one).value().ttl, row.given);
  }
}

TEST(ValidateLock, RenewsAtAThirdOfTheTtlUnlessToldOtherwise) {
  setup s = good();
  EXPECT_EQ(terms_of(s.all, s.one).value().renew_every, 3'333'333'333ns);
  s.one.renewal = renewal::manual();
  EXPECT_EQ(terms_of(s.all, s.one).value().renew_every, 0ns);
  s.one.renewal = renewal::every(5s);
  EXPECT_EQ(terms_of(s.all, s.one).value().renew_every, 5s);
}

TEST(ValidateLock, HandsOnWhatItWasGiven) {
  setup s = good();
  s.all.node_timeout = 11ms;
  s.all.connect_timeout = 12ms;
  s.all.drift_factor = 0.02;
  s.one.wait = 13ms;
  s.one.max_attempts = 14;
  s.one.policy = retry_policy::exponential;
  s.one.retry_delay = 15ms;
  s.one.retry_max = 16ms;
  s.one.max_hold = 17s;
  s.one.min_validity = 18ms;
  s.one.stop_margin = 19ms;
  const core::terms t = terms_of(s.all, s.one).value();
  EXPECT_EQ(t.nodes, 3U);
  EXPECT_EQ(t.quorum, 2U);
  EXPECT_EQ(t.node_timeout, 11ms);
  EXPECT_EQ(t.connect_timeout, 12ms);
  EXPECT_EQ(t.drift_factor, 0.02);
  EXPECT_EQ(t.wait, 13ms);
  EXPECT_EQ(t.max_attempts, 14U);
  EXPECT_EQ(t.retry.policy, retry_policy::exponential);
  EXPECT_EQ(t.retry.delay, 15ms);
  EXPECT_EQ(t.retry.max, 16ms);
  EXPECT_EQ(t.max_hold, 17s);
  EXPECT_EQ(t.min_validity, 18ms);
  EXPECT_EQ(t.stop_margin, 19ms);
  s.all.quorum = 3;
  EXPECT_EQ(terms_of(s.all, s.one).value().quorum, 3U);
}

}  // namespace
}  // namespace redlock::detail
