// operation<T>: something asked for that has not started yet. It starts when it is consumed, in one
// of four ways, and ends exactly once, in a result<T>:
//
//   result<T> r = std::move(op).get();                 // blocks this thread
//   std::future<result<T>> f = std::move(op).future(); // to be looked at later
//   std::move(op).then([](result<T> r) noexcept {…});  // calls back on the executor
//   result<T> r = co_await std::move(op);              // goes on on the executor
//
// An operation that is dropped unconsumed never starts. One that is consumed twice, or after it was
// moved from, ends the process with a message, in release builds too.

#ifndef REDLOCK_OPERATION_H
#define REDLOCK_OPERATION_H

#include <concepts>
#include <future>
#include <memory>
#include <type_traits>
#include <utility>

#include "redlock/awaiting.h"
#include "redlock/completion.h"
#include "redlock/contract.h"
#include "redlock/result.h"

namespace redlock {

// Move-only. Thread safety: one thread at a time; it may be consumed on another than made it.
template <class T>
class [[nodiscard]] operation {
 public:
  explicit operation(std::unique_ptr<detail::starter<T>> what) noexcept : what_(std::move(what)) {}

  // Starts, and waits for the end. On the thread of options::loop it fails with would_deadlock and
  // starts nothing. REQUIRES: not consumed before, as all four.
  [[nodiscard]] result<T> get() && {
    const auto what = consume();
    if (what->would_deadlock()) return errc::would_deadlock;
    detail::blocked<T> waiter;
    what->start(waiter, detail::delivery::direct);
    return waiter.wait();
  }

  // Starts, and returns at once. The future never has an exception in it. A future that is dropped
  // does not end the operation (lock_options::stop does); what it then ends in is dropped too: a
  // lease is released.
  [[nodiscard]] std::future<result<T>> future() && {
    auto promised = std::make_unique<detail::promised<T>>();
    std::future<result<T>> later = promised->future();
    consume()->start(*promised.release(), detail::delivery::direct);
    return later;
  }

  // Starts, and returns at once; f runs once, later, on the executor, never inside this call. f may
  // be whatever std::invoke can call with a result<T>, move-only or callable only once too; what it
  // returns is ignored. f must not throw. Every call of the library may be made from it.
  template <class F>
  requires std::invocable<std::decay_t<F>, result<T>> && std::constructible_from<std::decay_t<F>, F>
  void then(F&& f) && {
    auto called =
        std::make_unique<detail::called<T, std::decay_t<F>>>(std::decay_t<F>(std::forward<F>(f)));
    consume()->start(*called.release(), detail::delivery::executor);
  }

  // co_await std::move(op): starts, and suspends the coroutine; it goes on on the executor, where
  // it may call, block and await as a callback of then() may.
  //
  // The coroutine may be destroyed while it awaits. Then nobody is resumed, an acquire under way
  // stops waiting as if by lock_options::stop, and a lease that is granted all the same is
  // released. As with every coroutine, it must not be running at that moment: destroy it on the
  // executor (in a callback of the same manager), or where you know that the operation cannot have
  // ended yet. To end the waiting from any other thread, use lock_options::stop: the coroutine goes
  // on with errc::cancelled. A mistake that is noticed ends the process with a message.
  [[nodiscard]] detail::awaiter<T> operator co_await() && { return detail::awaiter<T>(consume()); }

 private:
  std::unique_ptr<detail::starter<T>> consume() noexcept {
    if (what_ == nullptr) detail::broken("an operation was consumed twice, or after a move");
    return std::move(what_);
  }

  std::unique_ptr<detail::starter<T>> what_;
};

}  // namespace redlock

#endif  // REDLOCK_OPERATION_H
