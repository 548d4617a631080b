// mutex: a lock in the shape of std::timed_mutex, for std::unique_lock, std::scoped_lock,
// std::lock.
//
//   redlock::mutex invoice(locks, "invoice/42", {.ttl = 10s});
//   std::unique_lock lock(invoice, 2s);
//   if (lock) …
//
// That shape promises less than it seems to. Where you can, use lock_manager::acquire or with():
//   - Nothing stops the code between lock() and unlock() when the lock is lost. It runs on, beside
//     the next holder, unless it asks held() or watches stop_token().
//   - std::unique_lock::owns_lock() says that lock() returned, not that the lock is still held.
//   - unlock() cannot say that the lock had been lost.
//   - A lock can fail: lock() throws where a std::mutex would wait.
//   - try_lock() asks the nodes: it takes a round trip, up to one node time-out, and longer while
//     first contact has not ended.

#ifndef REDLOCK_MUTEX_H
#define REDLOCK_MUTEX_H

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "redlock/failure.h"
#include "redlock/lock_manager.h"

namespace redlock {

// One handle on the lock of one resource. As a std::mutex it is not recursive (a thread that locks
// it twice waits for itself), and may be contended from any threads: those of one object wait for
// each other in this process, in no order, and only one at a time asks the nodes. Two objects of
// one resource exclude each other like two processes.
//
// The manager must outlive it. After fork() it must not be used in the child.
//
// Thread safety: every member from any threads at once, except destruction. Any thread may unlock.
class REDLOCK_API mutex {
 public:
  // Of `o`, `wait` and `max_attempts` are not used: the call says how long it waits. `stop` ends
  // all waiting for this mutex. Touches no node; limits are checked when it is locked.
  mutex(lock_manager& locks, std::string_view resource, const lock_options& o = {});
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex();  // releases if it is locked. REQUIRES: no thread waits for it

  // Waits for ever: while others hold the lock, and while no quorum of the nodes can be reached.
  // Throws lock_error: bad_configuration, cancelled, shut_down, invalid_argument, overloaded;
  // would_deadlock on the thread of options::loop, as try_lock() then gives false.
  void lock();

  // Exactly one try. False if another thread of this process, or anybody else, has the lock, and on
  // every failure: last_failure() says which.
  [[nodiscard]] bool try_lock();

  // Waits for up to `d`; exactly one try if it is 0 or less. False as try_lock().
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& d) {
    return try_for(saturated(d));
  }

  // As try_lock_for with what is left until then, now: a clock that is set meanwhile changes
  // nothing.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& t) {
    // As long doubles: the difference of two time points may not fit their own type.
    return try_for(
        saturated(seconds(t.time_since_epoch()) - seconds(Clock::now().time_since_epoch())));
  }

  // Releases, whether the lock is still held or was lost. Never waits for a node. Stop callbacks
  // run on this thread, as at lease::release(). REQUIRES: locked, else it ends the process.
  void unlock() noexcept;

  // Whether it is locked, and the lease behind it still held: lease::held().
  [[nodiscard]] bool held() const noexcept;

  // The lease's while it is locked; else a token that can never be stopped. lease::stop_token().
  [[nodiscard]] std::stop_token stop_token() const noexcept;

  // Why the last call that failed did so, of all threads' calls on this object.
  [[nodiscard]] std::optional<failure> last_failure() const;

 private:
  using seconds = std::chrono::duration<long double>;

  // Nanoseconds end after 292 years.
  template <class Rep, class Period>
  static nanoseconds saturated(const std::chrono::duration<Rep, Period>& d) {
    constexpr nanoseconds longest = std::chrono::hours{24 * 365 * 100};
    if (seconds(d) >= seconds(longest)) return wait_forever;
    if (!(seconds(d) > seconds(0))) return nanoseconds{0};
    return std::chrono::ceil<nanoseconds>(d);
  }

  [[nodiscard]] bool try_for(nanoseconds wait);
  [[nodiscard]] result<void> take(nanoseconds wait);
  [[nodiscard]] result<nanoseconds> take_turn(nanoseconds wait);
  void end_turn() noexcept;

  lock_manager& locks_;
  const std::string resource_;
  const lock_options options_;

  mutable std::mutex guard_;  // of all below; never held while a node is asked or user code runs
  std::condition_variable_any turn_ended_;
  bool taken_ = false;  // a thread has the lock, or asks the nodes for it
  lease lease_;
  std::optional<failure> last_failure_;
};

// mutex has what both names ask for.
using timed_mutex = mutex;

}  // namespace redlock

#endif  // REDLOCK_MUTEX_H
