// Losing a lock: noticed in time, said once, and for good.

#include <string>

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

// A lease that notices at once, and would stand long if it did not.
lock_options watchful() {
  lock_options o;
  o.ttl = 10s;
  o.renewal = renewal::every(50ms);
  return o;
}

void expect_lost(const lease& l, const signal_log& signal) {
  EXPECT_TRUE(eventually([&] { return signal.count() > 0; }));
  EXPECT_FALSE(l.held());
  EXPECT_EQ(l.remaining(), 0s);
  EXPECT_TRUE(l.stop_token().stop_requested());
  ASSERT_TRUE(l.failure().has_value());
  EXPECT_EQ(l.failure()->code(), errc::lost);
}

// Rule N3.
TEST(a_lease, is_lost_when_a_majority_of_its_keys_is_deleted) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  signal_log signal(*held);
  // A renewal between two of the deletions fills one up again; so until none does.
  EXPECT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < 3; ++i) nodes.del(i, key_of("r"));
    return signal.count() > 0;
  }));
  expect_lost(*held, signal);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_EQ(signal.count(), 1);
}

TEST(a_lease, stands_when_a_minority_of_its_keys_is_deleted) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  signal_log signal(*held);
  for (int round = 0; round < 5; ++round) {
    nodes.del(1, key_of("r"));
    nodes.del(2, key_of("r"));
    EXPECT_TRUE(
        eventually([&] { return nodes.count(key_of("r")) == 5 && held->nodes_held() == 5; }));
  }
  EXPECT_TRUE(held->held());
  EXPECT_EQ(signal.count(), 0);
}

TEST(a_lease, is_lost_when_everything_is_flushed_and_sets_no_key_again) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  EXPECT_TRUE(eventually([&] {
    for (redis_server& node : nodes) node.command({"FLUSHALL"});
    return signal.count() > 0;
  }));
  expect_lost(*held, signal);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(throughout(300ms, [&] { return nodes.keys() == 0; }));
  EXPECT_EQ(signal.count(), 1);
}

TEST(a_lease, is_lost_to_another_value_on_a_majority_and_leaves_it_alone) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  signal_log signal(*held);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "thief", 60s);
  expect_lost(*held, signal);
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  EXPECT_EQ(nodes.count(key_of("r"), "thief"), 3U);
  EXPECT_GT(nodes.pttl(0, key_of("r")), 30s);
  EXPECT_EQ(signal.count(), 1);
}

// Rule N4.
TEST(a_lost_lease, stays_lost_although_its_resource_is_free) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r", watchful());
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  EXPECT_TRUE(eventually([&] {
    for (redis_server& node : nodes) node.command({"FLUSHALL"});
    return signal.count() > 0;
  }));
  const result<lease> next = locks.acquire("r", {.wait = 10s});
  ASSERT_TRUE(succeeded(next));
  EXPECT_NE(next->token(), held->token());
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(failed_with(errc::lost, held->renew()));
  EXPECT_TRUE(failed_with(errc::lost, held->release()));
  EXPECT_TRUE(next->held());
}

// Rules C4 and N5: by the clock, whatever the nodes do not say.
class without_a_majority_that : public testing::TestWithParam<bool> {};

TEST_P(without_a_majority_that, answers_the_signal_comes_when_validity_ends) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 100ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 1s});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  for (std::size_t i = 0; i < 3; ++i) {
    if (GetParam()) {
      nodes[i].kill();
    } else {
      nodes[i].stop();
    }
  }
  auto last_end = held->expires_at();
  EXPECT_TRUE(eventually([&] {
    last_end = std::max(last_end, held->expires_at());
    return signal.count() > 0;
  }));
  EXPECT_GE(signal.at(), last_end);
  EXPECT_LE(signal.at(), last_end + 200ms);  // the signal's thread may have to wait for a CPU
  expect_lost(*held, signal);
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 0; }));
  EXPECT_EQ(signal.count(), 1);
}

INSTANTIATE_TEST_SUITE_P(is_killed_or_stopped, without_a_majority_that, testing::Bool());

TEST(a_client_cut_off_from_all_nodes, has_lost_its_lease_before_another_is_granted) {
  masters nodes(3);
  paths ways(nodes);
  options cut_off = ways.options();
  cut_off.node_timeout = 100ms;
  lock_manager a(std::move(cut_off));
  lock_manager b(nodes.options());
  ASSERT_TRUE(all_up(a) && all_up(b));
  const result<lease> first = a.acquire("r", {.ttl = 1s});
  ASSERT_TRUE(succeeded(first));
  signal_log signal(*first);
  pending<lease> second(b.acquire_async("r", {.wait = 15s}));
  EXPECT_TRUE(throughout(200ms, [&] { return !second.ended(); }));
  for (proxy& way : ways) {
    way.swallow(direction::requests);
    way.swallow(direction::replies);
  }
  const result<lease> granted = second.take();
  EXPECT_FALSE(first->held());
  ASSERT_TRUE(succeeded(granted));
  expect_lost(*first, signal);
  EXPECT_TRUE(granted->held());
}

}  // namespace
}  // namespace redlock::live
