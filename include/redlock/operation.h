// operation<T>: something asked for that has not started yet. It starts when it is consumed, in one
// of two ways, and ends exactly once, in a result<T>:
//
//   result<T> r = std::move(op).get();                 // blocks this thread
//   std::move(op).then([](result<T> r) noexcept {…});  // calls back on the manager's executor
//   thread
//
// An operation that is dropped unconsumed never starts.

#ifndef REDLOCK_OPERATION_H
#define REDLOCK_OPERATION_H

#include <concepts>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "redlock/result.h"

namespace redlock {
namespace detail {

// Where an operation's result goes. `complete` is called exactly once and ends the object's use by
// the library.
template <class T>
struct completion {
  virtual void complete(result<T> r) noexcept = 0;

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

template <class T, class F>
class called final : public completion<T> {
 public:
  explicit called(F f) : function_(std::move(f)) {}
  // An exception thrown by a callback ends the process: there is nobody to hand it to.
  void complete(result<T> r) noexcept override {
    const std::unique_ptr<called> self(this);
    std::move(function_)(std::move(r));
  }

 private:
  F function_;
};

}  // namespace detail

// Move-only. Thread safety: one thread at a time; it may be consumed on another than made it.
template <class T>
class [[nodiscard]] operation {
 public:
  explicit operation(std::unique_ptr<detail::starter<T>> what) noexcept : what_(std::move(what)) {}

  // Starts, and waits for the end. On the thread of options::loop it fails with would_deadlock and
  // starts nothing. REQUIRES: not consumed before.
  result<T> get() && {
    if (what_->would_deadlock()) return errc::would_deadlock;
    detail::blocked<T> waiter;
    std::exchange(what_, nullptr)->start(waiter, detail::delivery::direct);
    return waiter.wait();
  }

  // Starts, and returns at once; f runs later on the executor, never inside this call. f must not
  // throw. Every call of the library may be made from it. REQUIRES: not consumed before.
  template <std::invocable<result<T>> F>
  void then(F f) && {
    auto* called = new detail::called<T, F>(std::move(f));
    std::exchange(what_, nullptr)->start(*called, detail::delivery::executor);
  }

 private:
  std::unique_ptr<detail::starter<T>> what_;
};

}  // namespace redlock

#endif  // REDLOCK_OPERATION_H
