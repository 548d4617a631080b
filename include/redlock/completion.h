// Where the result of an operation goes, one class for each way to consume it, and the library's
// side that starts it. For operation.h; users need none of this.

#ifndef REDLOCK_COMPLETION_H
#define REDLOCK_COMPLETION_H

#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "redlock/result.h"

namespace redlock::detail {

// `complete` is called exactly once and ends the object's use by the library.
template <class T>
struct completion {
  virtual void complete(result<T> r) noexcept = 0;

  // Stopped when nobody wants the result any more: an acquire under way then stops waiting. Asked
  // for at most once, when the operation starts.
  [[nodiscard]] virtual std::stop_token abandoned() const noexcept { return {}; }

 protected:
  ~completion() = default;
};

// Which thread calls complete(): the loop's own, for code of this library that only hands over, or
// the executor's, for code of the user.
enum class delivery : bool { direct, executor };

// The library's side of an operation.
template <class T>
struct starter {
  virtual ~starter() = default;
  virtual void start(completion<T>& whom, delivery how) noexcept = 0;
  // Whether this thread, if it waited for the end, would itself be what it waits for.
  [[nodiscard]] virtual bool would_deadlock() const noexcept { return false; }
};

// get(). On the stack of the thread that waits.
template <class T>
class blocked final : public completion<T> {
 public:
  void complete(result<T> r) noexcept override {
    const std::lock_guard lock(mutex_);
    outcome_.emplace(std::move(r));
    // Under the lock: the waiter owns this object and may destroy it as soon as it can look.
    ended_.notify_one();
  }

  result<T> wait() noexcept {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return outcome_.has_value(); });
    return std::move(*outcome_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<result<T>> outcome_;
};

// then(). Owns itself until it is called.
template <class T, class F>
class called final : public completion<T> {
 public:
  explicit called(F f) : function_(std::move(f)) {}
  // An exception thrown by a callback ends the process: there is nobody to hand it to.
  void complete(result<T> r) noexcept override {
    const std::unique_ptr<called> self(this);
    static_cast<void>(std::invoke(std::move(function_), std::move(r)));
  }

 private:
  F function_;
};

// future(). Owns itself until it is called.
template <class T>
class promised final : public completion<T> {
 public:
  // If nobody kept the future, the result ends here, and a lease in it is released.
  void complete(result<T> r) noexcept override {
    const std::unique_ptr<promised> self(this);
    promise_.set_value(std::move(r));
  }
  [[nodiscard]] std::future<result<T>> future() { return promise_.get_future(); }

 private:
  std::promise<result<T>> promise_;
};

}  // namespace redlock::detail

#endif  // REDLOCK_COMPLETION_H
