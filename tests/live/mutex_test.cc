// mutex, through what the standard library makes of a Lockable.

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "live.h"

namespace redlock::live {
namespace {

// Counts how many are inside at once, and how often anybody was.
class room {
 public:
  void visit() {
    EXPECT_EQ(++inside_, 1);
    std::this_thread::yield();
    ++visits_;
    --inside_;
  }
  [[nodiscard]] int visits() const { return visits_; }

 private:
  std::atomic<int> inside_ = 0;
  std::atomic<int> visits_ = 0;
};

lock_options brief() {
  lock_options o;
  o.ttl = 10s;
  o.retry_delay = 1ms;
  o.retry_max = 5ms;
  return o;
}

TEST(a_mutex, lets_one_of_two_managers_in_at_a_time) {
  masters nodes(3);
  lock_manager one(nodes.options());
  lock_manager two(nodes.options());
  room r;
  std::vector<std::jthread> threads;
  for (lock_manager* locks : {&one, &two}) {
    threads.emplace_back([&, locks] {
      mutex m(*locks, "r", brief());
      for (int i = 0; i < 50; ++i) {
        const std::lock_guard lock(m);
        r.visit();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(r.visits(), 100);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_mutex, may_be_contended_from_several_threads) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  mutex m(locks, "r", brief());
  room r;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        std::unique_lock lock(m, std::defer_lock);
        if (t % 2 == 0) {
          lock.lock();
        } else {
          EXPECT_TRUE(lock.try_lock_for(patience));
        }
        if (lock) r.visit();
      }
    });
  }
  threads.clear();
  EXPECT_EQ(r.visits(), 200);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(two_mutexes, are_locked_together_in_any_order_without_a_deadlock) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  mutex a(locks, "a", brief());
  mutex b(locks, "b", brief());
  room r;
  {
    std::jthread forth([&] {
      for (int i = 0; i < 50; ++i) {
        const std::scoped_lock both(a, b);
        r.visit();
      }
    });
    std::jthread back([&] {
      for (int i = 0; i < 50; ++i) {
        std::lock(b, a);
        const std::unique_lock first(a, std::adopt_lock);
        const std::unique_lock second(b, std::adopt_lock);
        r.visit();
      }
    });
  }
  EXPECT_EQ(r.visits(), 100);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_mutex, is_tried_exactly_once_and_says_why_in_vain) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  lock_manager locks(nodes.options());
  mutex m(locks, "r", {.wait = wait_forever});
  EXPECT_FALSE(m.try_lock());
  EXPECT_FALSE(m.held());
  ASSERT_TRUE(m.last_failure().has_value());
  EXPECT_EQ(m.last_failure()->code(), errc::held_by_other);
  EXPECT_GE(count(*m.last_failure(), answer::refused), 2U);
  EXPECT_FALSE(m.try_lock_for(10ms));
  EXPECT_FALSE(m.try_lock_until(std::chrono::steady_clock::now() + 10ms));
}

TEST(a_mutex, is_got_within_the_time_as_soon_as_another_lets_go) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  auto other = locks.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(other));
  mutex m(locks, "r", brief());
  std::atomic<bool> got = false;
  std::jthread waiting([&] {
    const std::unique_lock lock(m, patience);
    got = lock.owns_lock() && m.held();
  });
  EXPECT_TRUE(throughout(50ms, [&] { return !got; }));
  EXPECT_TRUE(succeeded(other->release()));
  EXPECT_TRUE(eventually([&] { return got.load(); }));
}

TEST(a_mutex, that_is_locked_refuses_other_threads_without_asking_the_nodes) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  mutex m(locks, "r");
  const std::lock_guard lock(m);
  for (redis_server& node : nodes) node.stop();
  std::jthread([&] {
    EXPECT_FALSE(m.try_lock());
    EXPECT_FALSE(m.try_lock_for(10ms));
  }).join();
  EXPECT_EQ(m.last_failure().value().code(), errc::held_by_other);
  EXPECT_TRUE(m.held());
  for (redis_server& node : nodes) node.cont();
}

TEST(a_mutex, that_was_lost_says_so_and_can_be_unlocked_and_locked_again) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  mutex m(locks, "r", {.ttl = 10s, .renewal = renewal::every(50ms)});
  m.lock();
  const std::stop_token stop = m.stop_token();
  EXPECT_TRUE(m.held());
  EXPECT_TRUE(eventually([&] {
    for (redis_server& node : nodes) node.command({"FLUSHALL"});
    return stop.stop_requested();
  }));
  EXPECT_FALSE(m.held());
  EXPECT_FALSE(m.try_lock()) << "lost, but not unlocked";
  m.unlock();
  EXPECT_FALSE(m.stop_token().stop_possible());
  EXPECT_TRUE(m.try_lock_for(patience));
  EXPECT_TRUE(m.held());
  m.unlock();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_mutex, may_be_asked_by_a_stop_callback_of_its_own_unlock) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  mutex m(locks, "r");
  m.lock();
  bool held = true;
  const std::stop_callback asks(m.stop_token(), [&] { held = m.held(); });
  m.unlock();
  EXPECT_FALSE(held);
}

TEST(a_mutex, may_be_unlocked_by_another_thread) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  mutex m(locks, "r");
  m.lock();
  std::jthread([&] { m.unlock(); }).join();
  EXPECT_TRUE(m.try_lock_for(patience));
  m.unlock();
}

TEST(a_mutex, releases_when_it_is_destroyed) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  {
    mutex m(locks, "r", {.ttl = 60s});
    m.lock();
    EXPECT_GE(nodes.count(key_of("r")), 2U);
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// Both waits: for the other thread, and for the other holder.
TEST(a_mutex, stops_waiting_when_its_stop_is_requested) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  lock_manager locks(nodes.options());
  std::stop_source stop;
  mutex m(locks, "r", {.stop = stop.get_token()});
  std::atomic<int> begun = 0;
  std::atomic<int> cancelled = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        ++begun;
        try {
          m.lock();
        } catch (const lock_error& error) {
          if (error.why().code() == errc::cancelled) ++cancelled;
        }
      });
    }
    EXPECT_TRUE(eventually([&] { return begun == 3; }));
    EXPECT_TRUE(throughout(20ms, [&] { return cancelled == 0; }));
    stop.request_stop();
  }
  EXPECT_EQ(cancelled, 3);
}

}  // namespace
}  // namespace redlock::live
