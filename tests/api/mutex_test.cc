// mutex: its shape, and what it does without a lock. With real locks: tests/live/mutex_test.cc.

#include "redlock/mutex.h"

#include <gtest/gtest.h>

#include <mutex>
#include <type_traits>

namespace redlock {
namespace {

using namespace std::chrono_literals;

// Nothing listens on port 1.
options nowhere() { return {.nodes = {"127.0.0.1:1"}}; }

template <class F>
errc thrown_by(F f) {
  try {
    f();
  } catch (const lock_error& error) {
    return error.why().code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Mutex, HasTheShapeOfATimedMutex) {
  static_assert(std::is_same_v<timed_mutex, mutex>);
  static_assert(!std::is_copy_constructible_v<mutex> && !std::is_move_constructible_v<mutex>);
  static_assert(noexcept(std::declval<mutex&>().unlock()));
  static_assert(std::is_same_v<decltype(std::declval<mutex&>().try_lock()), bool>);
  static_assert(std::is_same_v<decltype(std::declval<mutex&>().try_lock_for(1s)), bool>);
  static_assert(
      std::is_same_v<decltype(std::declval<mutex&>().try_lock_until(clock::now())), bool>);
}

TEST(Mutex, HoldsNothingBeforeItIsLocked) {
  lock_manager locks(nowhere());
  const mutex m(locks, "r");
  EXPECT_FALSE(m.held());
  EXPECT_FALSE(m.stop_token().stop_possible());
  EXPECT_FALSE(m.last_failure().has_value());
}

TEST(Mutex, SaysWhyATryFailed) {
  lock_manager locks(nowhere());
  mutex m(locks, "r");
  EXPECT_FALSE(m.try_lock());
  EXPECT_EQ(m.last_failure().value().code(), errc::no_quorum);
  EXPECT_FALSE(m.try_lock_for(-1s));
  EXPECT_FALSE(m.try_lock_for(10ms));
  EXPECT_FALSE(m.try_lock_for(std::chrono::duration<double>(0.01)));
  EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now() - 1h));
  EXPECT_FALSE(m.try_lock_until(clock::time_point::min()));
  const std::unique_lock lock(m, std::try_to_lock);
  EXPECT_FALSE(lock.owns_lock());
  EXPECT_FALSE(m.held());
}

TEST(Mutex, ThrowsWhatEndsTheWaitForEver) {
  lock_manager locks(nowhere());
  mutex bad(locks, "r", {.ttl = 0s});
  EXPECT_EQ(thrown_by([&] { bad.lock(); }), errc::invalid_argument);
  EXPECT_EQ(bad.last_failure().value().code(), errc::invalid_argument);
  EXPECT_FALSE(bad.try_lock()) << "the turn was given back";

  std::stop_source stop;
  mutex cancelled(locks, "r", {.stop = stop.get_token()});
  stop.request_stop();
  EXPECT_EQ(thrown_by([&] { cancelled.lock(); }), errc::cancelled);

  static_cast<void>(locks.close().get());
  mutex late(locks, "r");
  EXPECT_EQ(thrown_by([&] { late.lock(); }), errc::shut_down);
  EXPECT_EQ(thrown_by([&] { const std::lock_guard lock(late); }), errc::shut_down);
}

TEST(Mutex, TakesEveryDurationAndEveryTime) {
  lock_manager locks(nowhere());
  static_cast<void>(locks.close().get());
  mutex m(locks, "r");
  EXPECT_FALSE(m.try_lock_for(std::chrono::hours::max()));
  EXPECT_FALSE(m.try_lock_for(std::chrono::nanoseconds::max()));
  EXPECT_FALSE(m.try_lock_for(std::chrono::duration<double>(1e300)));
  EXPECT_FALSE(m.try_lock_for(std::chrono::hours::min()));
  EXPECT_EQ(m.last_failure().value().code(), errc::shut_down) << "none of them waited";
}

TEST(MutexDeathTest, EndsTheProcessWhenUnlockedWithoutALock) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the manager has threads
  lock_manager locks(nowhere());
  mutex m(locks, "r");
  EXPECT_DEATH(m.unlock(), "redlock: a mutex was unlocked that is not locked");
}

}  // namespace
}  // namespace redlock
