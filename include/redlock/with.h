// lock_manager::with: runs a function under a lock, and says whether the lock lasted.
//
//   redlock::result<int> rows = locks.with("invoice/42", {.wait = 2s}, [](std::stop_token stop) {
//     return pay_until(stop);
//   });
//
// Takes the lock as acquire(resource, options) does, calls f on the calling thread, and releases.
// f is called once, if the lock was granted, with one of
//   - a std::stop_token: lease::stop_token() of the lease;
//   - a const lease&: for held() before each step. If f takes either, it gets the stop_token.
//
// What comes back:
//   - the failure of acquire: f was not called;
//   - what f returned, if lease::held() was still true right after that. Then nobody else held the
//     lock at any time while f ran. How the release went is not told: the work was done under the
//     lock, and the keys end by their ttl at the latest;
//   - `lost`, or `shut_down` if the manager was closed meanwhile: the lease had ended when f
//     returned. What f returned is dropped, since others may have held the lock while f ran. f's
//     effects stay: look at them before you try again.
//
// A function that returns R gives result<R>, void gives result<void>, and result<R> gives result<R>
// as it is, so that f may fail with a failure of its own. An exception that leaves f goes on to the
// caller; the lease is released on the way, without waiting for the nodes, and whether it had been
// lost is not told.
//
// Blocks for up to lock_options::wait, while f runs, and for up to one node time-out to release.
// Nothing stops f when the lock is lost but f itself, asked through its argument. Thread safety:
// any thread.

#ifndef REDLOCK_WITH_H
#define REDLOCK_WITH_H

#include <concepts>
#include <functional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "redlock/lease.h"
#include "redlock/result.h"

namespace redlock::detail {

template <class F>
concept guarded_function = std::invocable<F, std::stop_token> || std::invocable<F, const lease&>;

template <class F>
using guarded_returned = typename std::conditional_t<std::invocable<F, std::stop_token>,
                                                     std::invoke_result<F, std::stop_token>,
                                                     std::invoke_result<F, const lease&>>::type;

template <class F>
guarded_returned<F> guarded_invoke(F&& f, const lease& l) {
  if constexpr (std::invocable<F, std::stop_token>) {
    return std::invoke(std::forward<F>(f), l.stop_token());
  } else {
    return std::invoke(std::forward<F>(f), l);
  }
}

template <class R>
struct guarded {
  using type = result<R>;
};
template <class R>
struct guarded<result<R>> {
  using type = result<R>;
};

template <class F>
using guarded_result = typename guarded<std::remove_cvref_t<guarded_returned<F>>>::type;

// The lease had ended when f returned.
[[nodiscard]] inline failure why_ended(const lease& l) {
  auto why = l.failure();
  return why ? std::move(*why) : failure(errc::lost);
}

template <class F>
guarded_result<F> guarded_call(lease& l, F&& f) {
  if constexpr (std::is_void_v<guarded_returned<F>>) {
    guarded_invoke(std::forward<F>(f), l);
    if (!l.held()) return why_ended(l);
    static_cast<void>(l.release());
    return {};
  } else {
    guarded_result<F> r = guarded_invoke(std::forward<F>(f), l);
    if (!l.held()) return why_ended(l);
    static_cast<void>(l.release());
    return r;
  }
}

}  // namespace redlock::detail

#endif  // REDLOCK_WITH_H
