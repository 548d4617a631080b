// Waiting for a lock that others hold, and being told to wait no longer.

#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

// How often a script was called on a node.
long long scripts_run(redis_server& node) {
  const std::string stats = node.command({"INFO", "commandstats"}).text;
  long long sum = 0;
  for (const std::string name : {"cmdstat_evalsha:calls=", "cmdstat_eval:calls="}) {
    const std::size_t at = stats.find(name);
    if (at != std::string::npos) sum += std::stoll(stats.substr(at + name.size()));
  }
  return sum;
}

TEST(an_acquire_that_does_not_wait, tries_exactly_once) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 60s);
  const long long before = scripts_run(nodes[0]);
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r")));
  EXPECT_LE(scripts_run(nodes[0]), before + 2);  // an acquire, and its rollback
}

TEST(max_attempts, end_even_an_endless_wait) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  const lock_options o{.wait = wait_forever, .max_attempts = 3};
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", o)));
}

TEST(a_wait, ends_when_its_time_is_over) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  const auto start = clock::now();
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", {.wait = 200ms})));
  EXPECT_GE(clock::now() - start, 185ms);  // with less left, there is no use in another try
  EXPECT_LT(clock::now() - start, 10s);
}

TEST(a_wait, may_be_longer_than_the_ttl) {
  masters nodes(3);
  lock_manager holder(nodes.options());
  lock_manager waiter(nodes.options());
  result<lease> held = holder.acquire("r", {.ttl = 300ms});
  ASSERT_TRUE(succeeded(held));
  pending<lease> waiting(waiter.acquire_async("r", {.ttl = 400ms, .wait = 15s}));
  EXPECT_TRUE(throughout(900ms, [&] { return !waiting.ended(); }));
  EXPECT_TRUE(held->held());
  ASSERT_TRUE(succeeded(held->release()));
  const result<lease> granted = waiting.take();
  ASSERT_TRUE(succeeded(granted));
  EXPECT_TRUE(granted->held());
}

TEST(a_wait_forever, ends_with_the_grant) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  pending<lease> waiting(locks.acquire_async("r", {.wait = wait_forever}));
  EXPECT_TRUE(throughout(200ms, [&] { return !waiting.ended(); }));
  held->release().value();
  EXPECT_TRUE(succeeded(waiting.take()));
}

// Rule G2: validity counts from the attempt that won, however long the wait was.
TEST(a_grant_after_a_wait, has_its_whole_validity) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  pending<lease> waiting(
      locks.acquire_async("r", {.ttl = 1s, .wait = 15s, .renewal = renewal::manual()}));
  EXPECT_TRUE(throughout(1200ms, [&] { return !waiting.ended(); }));
  held->release().value();
  const result<lease> granted = waiting.take();
  ASSERT_TRUE(succeeded(granted));
  EXPECT_TRUE(granted->held());
  EXPECT_LE(granted->remaining(), 1s - 12ms);
}

TEST(a_waiter, is_granted_when_the_holder_is_dead_and_its_ttl_has_passed) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "dead", 500ms);
  lock_manager locks(nodes.options());
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = 15s})));
}

class waiting_with : public testing::TestWithParam<retry_policy> {};

TEST_P(waiting_with, any_policy_ends_in_the_grant) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  pending<lease> waiting(locks.acquire_async("r", {.wait = 15s, .policy = GetParam()}));
  EXPECT_TRUE(throughout(100ms, [&] { return !waiting.ended(); }));
  held->release().value();
  EXPECT_TRUE(succeeded(waiting.take()));
}

INSTANTIATE_TEST_SUITE_P(policy, waiting_with,
                         testing::Values(retry_policy::fixed, retry_policy::exponential,
                                         retry_policy::hybrid, retry_policy::adaptive));

TEST(spinning, gives_up_at_the_end_of_its_budget_although_the_wait_goes_on) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  const lock_options o{.wait = wait_forever, .policy = retry_policy::spin, .spin_budget = 100ms};
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", o)));
  lock_options few = o;
  few.spin_budget = 1h;
  few.spin_tries = 3;
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", few)));
}

TEST(a_policy_of_the_users_own, is_asked_after_every_attempt_with_what_was_seen) {
  masters nodes(3);
  lock_manager others(nodes.options());
  lock_manager locks(nodes.options());
  result<lease> held = others.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  struct log {
    std::atomic<std::uint32_t> attempts = 0;
    std::atomic<bool> saw_the_key = false;
  } seen;
  lock_options o{.wait = wait_forever, .policy = retry_policy::custom};
  o.retry_context = &seen;
  o.retry_pause = [](const pause_request& at, void* context) noexcept -> nanoseconds {
    auto* l = static_cast<log*>(context);
    l->attempts = at.attempts;
    if (at.key_left > 30s && at.waited > 0s) l->saw_the_key = true;
    return 2ms;
  };
  pending<lease> waiting(locks.acquire_async("r", o));
  ASSERT_TRUE(eventually([&] { return seen.attempts >= 5; }));
  EXPECT_TRUE(seen.saw_the_key);
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(succeeded(waiting.take()));
}

TEST(an_adaptive_wait, knows_the_holds_that_it_has_seen) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  static std::atomic<std::int64_t> usual = 0;
  lock_options asking{.wait = wait_forever, .policy = retry_policy::custom};
  asking.retry_pause = [](const pause_request& at, void*) noexcept -> nanoseconds {
    usual = at.usual_hold.count();
    return 2ms;
  };
  const clock::time_point before = clock::now();
  result<lease> first = locks.acquire("r", {.policy = retry_policy::adaptive});
  ASSERT_TRUE(succeeded(first));
  ASSERT_TRUE(succeeded(first->release()));
  const nanoseconds longest = clock::now() - before;
  lock_manager others(nodes.options());
  const result<lease> second = others.acquire("r");
  ASSERT_TRUE(succeeded(second));
  pending<lease> waiting(locks.acquire_async("r", asking));
  ASSERT_TRUE(eventually([&] { return usual != 0; }));
  EXPECT_LE(usual, longest.count());
}

TEST(a_cancelled_acquire, that_had_not_begun_sends_nothing) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  std::stop_source stop;
  stop.request_stop();
  const long long before = scripts_run(nodes[0]);
  EXPECT_TRUE(failed_with(errc::cancelled, locks.acquire("r", {.stop = stop.get_token()})));
  EXPECT_EQ(scripts_run(nodes[0]), before);
}

TEST(a_cancelled_acquire, ends_at_once_however_long_its_pause) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  std::stop_source stop;
  pending<lease> waiting(locks.acquire_async("r", {.wait = wait_forever,
                                                   .policy = retry_policy::fixed,
                                                   .retry_delay = 1h,
                                                   .retry_max = 1h,
                                                   .stop = stop.get_token()}));
  EXPECT_TRUE(throughout(100ms, [&] { return !waiting.ended(); }));
  stop.request_stop();
  EXPECT_TRUE(failed_with(errc::cancelled, waiting.take()));
  EXPECT_EQ(nodes.count(key_of("r"), "other"), 3U);
}

TEST(a_cancelled_acquire, ends_at_once_during_first_contact) {
  masters nodes(3);
  for (redis_server& node : nodes) node.stop();
  options o = nodes.options();
  o.connect_timeout = 60s;
  lock_manager locks(std::move(o));
  std::stop_source stop;
  pending<lease> waiting(locks.acquire_async("r", {.stop = stop.get_token()}));
  EXPECT_TRUE(throughout(50ms, [&] { return !waiting.ended(); }));
  stop.request_stop();
  EXPECT_TRUE(failed_with(errc::cancelled, waiting.take()));
  for (redis_server& node : nodes) node.cont();
  EXPECT_TRUE(all_up(locks));
  EXPECT_EQ(nodes.count(key_of("r")), 0U);
}

// Rule R1: cancelling never cancels the rollback.
class cancelled_after : public testing::TestWithParam<std::size_t> {};

TEST_P(cancelled_after, n_of_three_replies_leaves_no_key_behind) {
  masters nodes(3);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 30s;
  o.hung_timeout = 60s;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = GetParam(); i < 3; ++i) ways[i].hold(direction::replies);
  std::stop_source stop;
  pending<lease> waiting(locks.acquire_async("r", {.ttl = 60s, .stop = stop.get_token()}));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  EXPECT_FALSE(waiting.ended());
  stop.request_stop();
  EXPECT_TRUE(failed_with(errc::cancelled, waiting.take()));
  for (proxy& way : ways) way.pass(direction::replies);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_EQ(waiting.times(), 1);
}

INSTANTIATE_TEST_SUITE_P(count, cancelled_after, testing::Values(0U, 1U));

TEST(a_cancelled_acquire, ends_once_and_leaves_no_key_whenever_it_is_cancelled) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  std::mt19937 random(1);
  std::vector<pending<lease>> all;
  for (int i = 0; i < 200; ++i) {
    std::stop_source stop;
    all.emplace_back(
        locks.acquire_async("r" + std::to_string(i % 10), {.wait = 15s, .stop = stop.get_token()}));
    const auto cancel_at = clock::now() + std::chrono::microseconds(random() % 1500);
    while (clock::now() < cancel_at) std::this_thread::yield();
    stop.request_stop();
    const result<lease> r = all.back().take();
    EXPECT_TRUE(r || failed_with(errc::cancelled, r));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  for (const pending<lease>& one : all) EXPECT_EQ(one.times(), 1);
}

TEST(five_hundred_waiters, are_all_cancelled_by_one_stop_request) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  std::stop_source stop;
  std::vector<pending<lease>> waiting;
  for (int i = 0; i < 500; ++i) {
    waiting.emplace_back(
        locks.acquire_async("r", {.wait = wait_forever, .stop = stop.get_token()}));
  }
  EXPECT_TRUE(throughout(200ms, [&] {
    return std::none_of(waiting.begin(), waiting.end(), [](const auto& w) { return w.ended(); });
  }));
  stop.request_stop();
  for (pending<lease>& one : waiting) EXPECT_TRUE(failed_with(errc::cancelled, one.take()));
  for (const pending<lease>& one : waiting) EXPECT_EQ(one.times(), 1);
  EXPECT_EQ(nodes.count(key_of("r"), "other"), 3U);
}

TEST(a_stop_request, after_the_grant_does_not_end_the_lease) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  std::stop_source stop;
  const result<lease> held =
      locks.acquire("r", {.ttl = 600ms, .wait = 1s, .stop = stop.get_token()});
  ASSERT_TRUE(succeeded(held));
  stop.request_stop();
  EXPECT_TRUE(throughout(1s, [&] { return held->held(); }));
}

}  // namespace
}  // namespace redlock::live
