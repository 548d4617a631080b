// runtime: what a lock_manager and its leases share: the driver and its thread, and the threads on
// which user code runs. Lives as long as any of them, and on a loop of the user's as long as
// anything is left there.

#ifndef REDLOCK_LIB_API_RUNTIME_H
#define REDLOCK_LIB_API_RUNTIME_H

#include <functional>
#include <memory>
#include <optional>
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
class runtime : public std::enable_shared_from_this<runtime> {
 public:
  // Throws lock_error(invalid_argument), or std::system_error.
  explicit runtime(redlock::options o);

  // Starts its thread, or what it has on the user's loop. May throw std::system_error.
  void start();

  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;
  ~runtime();  // REQUIRES: stop() was called

  [[nodiscard]] const redlock::options& options() const noexcept { return options_; }
  [[nodiscard]] io::driver& driver() noexcept { return driver_; }
  [[nodiscard]] bool in_child() const noexcept { return fork_guard_.in_child(); }

  // Whether this is the thread of the user's loop, where nobody may wait for what the loop does.
  [[nodiscard]] bool is_loop_thread() const noexcept {
    return options_.loop != nullptr && loop_thread_ == std::this_thread::get_id();
  }

  // Ends an operation. Called exactly once for each.
  template <class T>
  void deliver(waiter<T> to, result<T> r) {
    if (to.how == delivery::direct) {
      to.whom->complete(std::move(r));
    } else if (executor_) {
      executor_->post([to, r = std::move(r)]() mutable { to.whom->complete(std::move(r)); });
    } else {
      hand_over([to, shared = std::make_shared<result<T>>(std::move(r))] {
        to.whom->complete(std::move(*shared));
      });
    }
  }

  // Runs what requests a stop, and with it code of the user: later, and never on the loop that
  // renews, unless that is the user's.
  void signal(std::function<void()> request);

  // Starts to close; the waiter hears when all is over.
  void close(waiter<void> w);

  // The loop thread's: leases that close() ended, and whose release no quorum has confirmed yet.
  void expect_release() noexcept { ++unconfirmed_; }
  void release_confirmed() noexcept { --unconfirmed_; }

  // Closes, and ends the threads. Waits at most one node time-out for the releases, and for user
  // code that is running, unless it runs on this very thread. With a loop of the user's, only
  // begins to, and never waits.
  void stop() noexcept;

 private:
  void run() noexcept;
  void on_gone() noexcept;
  [[nodiscard]] result<void> outcome_of_close() const;
  void hand_over(std::function<void()> completion);
  void post_on_loop(std::function<void()> what);

  fork_guard fork_guard_;
  const redlock::options options_;
  io::driver driver_;
  const std::thread::id loop_thread_;  // the user's loop's
  std::optional<worker> executor_;     // unless the user has one, or a loop
  std::optional<worker> signals_;      // unless that is the user's loop
  std::vector<waiter<void>> closers_;  // the loop thread's
  std::size_t unconfirmed_ = 0;        // the loop thread's
  bool gone_ = false;                  // the loop thread's: nothing is left on the user's loop
  std::shared_ptr<runtime> self_;      // while anything is
  std::thread loop_;
};

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_RUNTIME_H
