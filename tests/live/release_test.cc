// Giving a lock back: at once, once, and only one's own.

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "live.h"

namespace redlock::live {
namespace {

TEST(a_release, deletes_the_key_on_every_node) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_FALSE(held->held());
  EXPECT_EQ(signal.count(), 1);
  ASSERT_TRUE(held->failure().has_value());
  EXPECT_EQ(held->failure()->code(), errc::not_held);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_release, lets_the_next_in_at_once) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (int i = 0; i < 100; ++i) {
    result<lease> held = locks.acquire("r", {.wait = 10s});
    ASSERT_TRUE(succeeded(held)) << i;
    ASSERT_TRUE(succeeded(held->release())) << i;
  }
}

TEST(a_second_release, says_not_held) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(failed_with(errc::not_held, held->release()));
  lease empty;
  EXPECT_TRUE(failed_with(errc::not_held, empty.release()));
}

TEST(a_second_release, from_another_thread_at_the_same_time_says_not_held_to_one_of_them) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  for (int i = 0; i < 30; ++i) {
    result<lease> held = locks.acquire("r", {.wait = 10s});
    ASSERT_TRUE(succeeded(held));
    std::atomic<int> successes = 0;
    std::atomic<int> not_held = 0;
    {
      std::vector<std::jthread> threads;
      for (int k = 0; k < 3; ++k) {
        threads.emplace_back([&] {
          const result<void> r = held->release();
          if (r) {
            ++successes;
          } else if (r.error().code() == errc::not_held) {
            ++not_held;
          }
        });
      }
    }
    EXPECT_EQ(successes, 1);
    EXPECT_EQ(not_held, 2);
  }
}

TEST(a_release, works_in_any_thread) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = lease();
  std::jthread([&] { held = locks.acquire("r"); }).join();
  ASSERT_TRUE(succeeded(held));
  std::jthread([&] { EXPECT_TRUE(succeeded(held->renew())); }).join();
  std::jthread([&] { EXPECT_TRUE(succeeded(held->release())); }).join();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(leaving_the_scope, releases) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  {
    const result<lease> held = locks.acquire("r");
    ASSERT_TRUE(succeeded(held));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(leaving_the_scope, by_an_exception_releases) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  EXPECT_THROW(
      {
        const lease held = locks.acquire("r").value();
        throw std::runtime_error("the caller's own");
      },
      std::runtime_error);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(assigning_to_a_lease, lets_go_of_what_it_held) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  lease held = locks.acquire("a").value();
  held = locks.acquire("b").value();
  EXPECT_TRUE(held.held());
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("a")) == 0; }));
  EXPECT_GE(nodes.count(key_of("b")), 2U);
}

// Rule R4.
TEST(releasing_a_lost_lease, says_lost_and_leaves_the_next_owner_alone) {
  masters nodes(5);
  lock_manager a(nodes.options());
  lock_manager b(nodes.options());
  ASSERT_TRUE(all_up(a) && all_up(b));
  result<lease> first = a.acquire("r", {.ttl = 200ms, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(first));
  const result<lease> second = b.acquire("r", {.ttl = 30s, .wait = 10s});
  ASSERT_TRUE(succeeded(second));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), second->token()) == 5; }));
  EXPECT_TRUE(failed_with(errc::lost, first->release()));
  EXPECT_TRUE(throughout(100ms, [&] { return nodes.count(key_of("r"), second->token()) == 5; }));
  EXPECT_GT(nodes.pttl(0, key_of("r")), 10s);
}

TEST(releasing, deletes_nothing_that_was_put_in_its_place_unnoticed) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 30s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "thief", 60s);
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  EXPECT_EQ(nodes.count(key_of("r"), "thief"), 3U);
}

TEST(a_release, succeeds_with_a_minority_of_nodes_dead) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  nodes[0].kill();
  nodes[1].kill();
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_release, is_unconfirmed_with_a_majority_of_nodes_dead) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 300ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  for (std::size_t i = 0; i < 3; ++i) nodes[i].kill();
  EXPECT_TRUE(failed_with(errc::no_quorum, held->release()));
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_release, does_not_wait_for_a_hung_node_and_reaches_it_when_it_wakes) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 30s;
  o.hung_timeout = 60s;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  nodes[2].stop();
  const auto start = clock::now();
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_LT(clock::now() - start, 10s);
  EXPECT_EQ(nodes.keys(), 0U);
  nodes[2].cont();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_release, takes_no_longer_than_one_node_timeout) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const lock_options patient{.ttl = 60s, .wait = wait_forever};  // which is not for releases
  result<lease> held = locks.acquire("r", patient);
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.stop();
  const auto start = clock::now();
  EXPECT_TRUE(failed_with(errc::no_quorum, held->release()));
  EXPECT_LT(clock::now() - start, 2s);
  for (redis_server& node : nodes) node.cont();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_release, is_on_its_way_before_the_stop_callbacks_run) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r", {.ttl = 60s, .wait = 10s});
  ASSERT_TRUE(succeeded(held));
  bool gone = false;
  const std::stop_callback slow(held->stop_token(),
                                [&] { gone = eventually([&] { return nodes.keys() == 0; }); });
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(gone);
}

TEST(a_lease_that_goes_out_of_scope, ends_a_renewal_under_way_with_not_held) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r", {.ttl = 60s, .wait = 10s});
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.stop();
  pending<void> renewal(held->renew_async());
  held = errc::not_held;
  EXPECT_TRUE(failed_with(errc::not_held, renewal.take()));
}

}  // namespace
}  // namespace redlock::live
