// runtime: what a lock_manager and its leases share: the driver and its thread, and the threads on
// which user code runs. Lives as long as any of them.

#ifndef REDLOCK_LIB_API_RUNTIME_H
#define REDLOCK_LIB_API_RUNTIME_H

#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "api/fork_guard.h"
#include "api/worker.h"
#include "io/driver.h"
#include "io/thread.h"
#include "redlock/operation.h"

namespace redlock::detail {

// Whoever waits for the end of an operation, and how it wants to be told.
template <class T>
struct waiter {
  completion<T>* whom = nullptr;
  delivery how = delivery::direct;
};

// Ends an operation that no runtime knows of: nothing was started, so a thread made for it will do.
template <class T>
void deliver_without_runtime(completion<T>& whom, delivery how, failure why) {
  if (how == delivery::direct) {
    whom.complete(std::move(why));
  } else {
    io::quiet_thread([&whom, why = std::move(why)]() mutable {
      whom.complete(std::move(why));
    }).detach();
  }
}

// Thread safety: any thread.
class runtime {
 public:
  // Throws lock_error(invalid_argument), or std::system_error.
  explicit runtime(redlock::options o);
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime();  // REQUIRES: stop() was called

  [[nodiscard]] const redlock::options& options() const noexcept { return options_; }
  [[nodiscard]] io::driver& driver() noexcept { return driver_; }
  [[nodiscard]] worker& signals() noexcept { return signals_; }
  [[nodiscard]] bool in_child() const noexcept { return fork_guard_.in_child(); }

  // Ends an operation. Called exactly once for each.
  template <class T>
  void deliver(waiter<T> to, result<T> r) {
    if (to.how == delivery::direct) {
      to.whom->complete(std::move(r));
    } else {
      executor_.post([to, r = std::move(r)]() mutable { to.whom->complete(std::move(r)); });
    }
  }

  // Starts to close; the waiter hears when all is over.
  void close(waiter<void> w);

  // The loop thread's: leases that close() ended, and whose release no quorum has confirmed yet.
  void expect_release() noexcept { ++unconfirmed_; }
  void release_confirmed() noexcept { --unconfirmed_; }

  // Closes, and ends the threads. Waits at most one node time-out for the releases, and for user
  // code that is running, unless it runs on this very thread.
  void stop() noexcept;

 private:
  void run() noexcept;

  fork_guard fork_guard_;
  const redlock::options options_;
  io::driver driver_;
  worker executor_;
  worker signals_;
  std::vector<waiter<void>> closers_;  // the loop thread's
  std::size_t unconfirmed_ = 0;        // the loop thread's
  std::thread loop_;
};

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_RUNTIME_H
