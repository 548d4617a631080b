// The end of a lock_manager, at every moment at which it may come.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "live.h"

namespace redlock::live {
namespace {

std::size_t entries(const char* directory) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory),
                                                std::filesystem::directory_iterator()));
}

TEST(a_lock_manager, may_be_destroyed_right_after_construction) {
  masters nodes(3);
  nodes[1].stop();
  nodes[2].kill();
  for (int i = 0; i < 50; ++i) const lock_manager locks(nodes.options());
}

TEST(a_lock_manager, gives_back_all_its_threads_and_descriptors) {
  masters nodes(3);
  { const lock_manager first(nodes.options()); }
  const std::size_t threads = entries("/proc/self/task");
  const std::size_t descriptors = entries("/proc/self/fd");
  for (int i = 0; i < 10; ++i) {
    lock_manager locks(nodes.options());
    ASSERT_TRUE(succeeded(locks.acquire("r", {.wait = 10s})));
  }
  EXPECT_TRUE(eventually([&] { return entries("/proc/self/task") == threads; }));
  EXPECT_TRUE(eventually([&] { return entries("/proc/self/fd") == descriptors; }));
}

TEST(a_lock_manager, ends_its_leases_when_it_is_destroyed) {
  masters nodes(3);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  ASSERT_TRUE(all_up(*locks));
  result<lease> held = locks->acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  locks.reset();
  EXPECT_FALSE(held->held());
  EXPECT_EQ(held->remaining(), 0s);
  EXPECT_TRUE(held->failure().has_value());
  EXPECT_EQ(held->resource(), "r");
  EXPECT_FALSE(held->renew());
  EXPECT_FALSE(held->release());
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_lock_manager, ends_its_operations_with_shut_down_each_once_when_it_is_destroyed) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  std::vector<pending<lease>> waiting;
  for (int i = 0; i < 100; ++i) {
    waiting.emplace_back(locks->acquire_async("r", {.wait = wait_forever}));
  }
  locks.reset();
  for (pending<lease>& one : waiting) EXPECT_TRUE(failed_with(errc::shut_down, one.take()));
  for (const pending<lease>& one : waiting) EXPECT_EQ(one.times(), 1);
}

TEST(a_lock_manager, may_be_destroyed_at_any_moment) {
  masters nodes(3);
  std::mt19937 random(3);
  std::vector<pending<lease>> all;
  for (int round = 0; round < 40; ++round) {
    auto locks = std::make_unique<lock_manager>(nodes.options());
    EXPECT_TRUE(round % 2 == 0 || all_up(*locks));
    for (int i = 0; i < 20; ++i) {
      all.emplace_back(locks->acquire_async(std::to_string(i % 15), {.ttl = 60s, .wait = 60s}));
    }
    const auto end = clock::now() + std::chrono::microseconds(random() % 5000);
    while (clock::now() < end) std::this_thread::yield();
    locks.reset();
  }
  for (pending<lease>& one : all) {
    const result<lease> r = one.take();
    EXPECT_TRUE(r ? !r->held() : r.error().code() == errc::shut_down);
  }
  for (const pending<lease>& one : all) EXPECT_EQ(one.times(), 1);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; })) << nodes.keys();
}

TEST(a_lock_manager, may_be_destroyed_by_a_completion_of_its_own) {
  masters nodes(3);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  std::atomic<bool> done = false;
  pending<lease> other(locks->acquire_async("s", {.wait = wait_forever}));
  locks->acquire_async("r").then([&](result<lease> r) {
    locks.reset();
    EXPECT_FALSE(r && r->held());
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
  static_cast<void>(other.take());
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_lock_manager, takes_one_node_timeout_at_most_to_be_destroyed) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 200ms;
  auto locks = std::make_unique<lock_manager>(std::move(o));
  ASSERT_TRUE(all_up(*locks));
  const result<lease> held = locks->acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.stop();
  const auto start = clock::now();
  locks.reset();
  EXPECT_LT(clock::now() - start, 2s);
  EXPECT_FALSE(held->held());
}

TEST(an_operation, consumed_after_the_end_of_its_manager_says_shut_down) {
  masters nodes(1);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  operation<lease> acquiring = locks->acquire_async("r");
  operation<holdings> inspecting = locks->inspect_async("r");
  operation<void> closing = locks->close();
  locks.reset();
  EXPECT_TRUE(failed_with(errc::shut_down, std::move(acquiring).get()));
  EXPECT_TRUE(failed_with(errc::shut_down, std::move(inspecting).get()));
  static_cast<void>(std::move(closing).get());
}

TEST(a_closed_lock_manager, refuses_everything_with_shut_down) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(succeeded(locks.close().get()));
  EXPECT_FALSE(held->held());
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(failed_with(errc::shut_down, locks.acquire("r")));
  EXPECT_TRUE(failed_with(errc::shut_down, locks.inspect("r")));
  static_cast<void>(locks.close().get());
  EXPECT_EQ(locks.nodes().size(), 3U);
}

TEST(closing, ends_the_waiting_of_other_threads) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  lock_manager locks(nodes.options());
  std::atomic<int> begun = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ++begun;
      EXPECT_TRUE(failed_with(errc::shut_down, locks.acquire("r", {.wait = wait_forever})));
    });
  }
  EXPECT_TRUE(eventually([&] { return begun == 4; }));
  static_cast<void>(locks.close().get());
}

TEST(closing, may_be_done_by_a_completion) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  std::atomic<bool> done = false;
  locks.acquire_async("r").then([&](result<lease> r) {
    EXPECT_TRUE(succeeded(r));
    static_cast<void>(locks.close().get());
    EXPECT_FALSE(r->held());
    done = true;
  });
  EXPECT_TRUE(eventually([&] { return done.load(); }));
}

TEST(closing, says_no_quorum_if_a_release_is_not_confirmed) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  for (redis_server& node : nodes) node.stop();
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.close().get()));
}

TEST(servers_killed_while_managers_come_and_go, crash_nothing) {
  masters nodes(3);
  std::atomic<bool> ending = false;
  std::jthread coming_and_going([&] {
    while (!ending) {
      options o = nodes.options();
      o.node_timeout = 50ms;
      o.connect_timeout = 200ms;
      lock_manager locks(std::move(o));
      const result<lease> held = locks.acquire("r");
      static_cast<void>(held);
    }
  });
  for (int i = 0; i < 30; ++i) nodes[static_cast<std::size_t>(i % 3)].restart();
  ending = true;
}

// Rule H3.
TEST(a_forked_child, holds_nothing_and_touches_no_connection_of_its_parent) {
  masters nodes(3);
  auto locks = std::make_unique<lock_manager>(nodes.options());
  ASSERT_TRUE(all_up(*locks));
  result<lease> held = locks->acquire("r", {.ttl = 20s, .renewal = renewal::every(20ms)});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(10);
    if (held->held()) ::_exit(1);
    if (held->release()) ::_exit(2);
    if (const auto s = locks->acquire("s")) ::_exit(3);
    { const lease gone = std::move(*held); }
    locks.reset();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  const auto end = held->expires_at();
  EXPECT_TRUE(eventually([&] { return held->expires_at() > end; }));
  EXPECT_TRUE(held->held());
  EXPECT_EQ(signal.count(), 0);
  EXPECT_EQ(nodes.count(key_of("r"), held->token()), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(locks->nodes()[i].connects, 1U);
}

TEST(a_forked_child, may_make_a_manager_of_its_own) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(10);
    lock_manager own(nodes.options());
    if (const auto r = own.acquire("r")) ::_exit(1);
    if (const auto s = own.acquire("s"); !s) ::_exit(2);
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(held->held());
}

}  // namespace
}  // namespace redlock::live
