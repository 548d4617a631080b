// result<T>: a T, or the failure that stood in its way.
//
// The members of std::expected<T, failure>, so that a reader knows them already; never an alias of
// it, which would make the ABI depend on the language version of whoever includes this header.

#ifndef REDLOCK_RESULT_H
#define REDLOCK_RESULT_H

#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

#include "redlock/contract.h"
#include "redlock/failure.h"

namespace redlock {
namespace detail {

// Whether a T that is dropped gives something back, so that a temporary result<T> must not be
// tested: `if (locks.acquire("x")) {…}` would hold nothing inside its block.
template <class T>
inline constexpr bool gives_back_when_dropped = false;

// The one of a result's two sides that is asked for, or the end of the process.
template <class State>
auto& value_of(State& state) noexcept {
  auto* value = std::get_if<0>(&state);
  if (value == nullptr) broken("the value of a result that is a failure was used");
  return *value;
}
template <class State>
auto& failure_of(State& state) noexcept {
  auto* why = std::get_if<1>(&state);
  if (why == nullptr) broken("the error of a result that is a success was used");
  return *why;
}

}  // namespace detail

// Asking for what is not there ends the process with a message, in release builds too, except for
// value(), which throws. Thread safety: as of the T in it.
template <class T>
class [[nodiscard]] result {
 public:
  using value_type = T;
  using error_type = failure;

  result(T value) noexcept(std::is_nothrow_move_constructible_v<T>)  // NOLINT: implicit by design
      : state_(std::in_place_index<0>, std::move(value)) {}
  result(failure why) noexcept : state_(std::in_place_index<1>, std::move(why)) {}  // NOLINT
  result(errc code) noexcept : state_(std::in_place_index<1>, code) {}              // NOLINT

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const& noexcept { return has_value(); }
  // Keep it in a variable: if (auto lease = locks.acquire("x")) {…}
  explicit operator bool() && requires detail::gives_back_when_dropped<T>
  = delete;
  explicit operator bool() const&& requires detail::gives_back_when_dropped<T>
  = delete;

  // REQUIRES: has_value().
  T& operator*() & noexcept { return detail::value_of(state_); }
  const T& operator*() const& noexcept { return detail::value_of(state_); }
  T&& operator*() && noexcept { return std::move(detail::value_of(state_)); }
  T* operator->() noexcept { return &detail::value_of(state_); }
  const T* operator->() const noexcept { return &detail::value_of(state_); }

  // Throws lock_error unless has_value().
  [[nodiscard]] T& value() & { return check(), detail::value_of(state_); }
  [[nodiscard]] const T& value() const& { return check(), detail::value_of(state_); }
  [[nodiscard]] T&& value() && { return check(), std::move(detail::value_of(state_)); }

  template <class U>
  [[nodiscard]] T value_or(U&& otherwise) const& {
    return has_value() ? detail::value_of(state_) : static_cast<T>(std::forward<U>(otherwise));
  }
  template <class U>
  [[nodiscard]] T value_or(U&& otherwise) && {
    return has_value() ? std::move(detail::value_of(state_))
                       : static_cast<T>(std::forward<U>(otherwise));
  }

  // REQUIRES: !has_value().
  [[nodiscard]] const failure& error() const& noexcept { return detail::failure_of(state_); }
  [[nodiscard]] failure& error() & noexcept { return detail::failure_of(state_); }
  [[nodiscard]] failure&& error() && noexcept { return std::move(detail::failure_of(state_)); }

  // f(T&&) -> result<U>, called if there is a value.
  template <class F>
  auto and_then(F&& f) && -> std::remove_cvref_t<std::invoke_result_t<F, T&&>> {
    if (!has_value()) return std::move(detail::failure_of(state_));
    return std::invoke(std::forward<F>(f), std::move(detail::value_of(state_)));
  }

  // f(failure&&) -> result<T>, called if there is none.
  template <class F>
  result or_else(F&& f) && {
    if (has_value()) return std::move(*this);
    return std::invoke(std::forward<F>(f), std::move(detail::failure_of(state_)));
  }

  // f(T&&) -> U, or void; gives result<U>.
  template <class F>
  auto transform(F&& f) && -> result<std::remove_cv_t<std::invoke_result_t<F, T&&>>> {
    if (!has_value()) return std::move(detail::failure_of(state_));
    if constexpr (std::is_void_v<std::invoke_result_t<F, T&&>>) {
      std::invoke(std::forward<F>(f), std::move(detail::value_of(state_)));
      return {};
    } else {
      return std::invoke(std::forward<F>(f), std::move(detail::value_of(state_)));
    }
  }

 private:
  void check() const {
    if (!has_value()) detail::throw_lock_error(detail::failure_of(state_));
  }

  std::variant<T, failure> state_;
};

template <>
class [[nodiscard]] result<void> {
 public:
  using value_type = void;
  using error_type = failure;

  result() noexcept = default;
  result(failure why) noexcept : state_(std::in_place_index<1>, std::move(why)) {}  // NOLINT
  result(errc code) noexcept : state_(std::in_place_index<1>, code) {}              // NOLINT

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  // REQUIRES: has_value().
  void operator*() const noexcept { static_cast<void>(detail::value_of(state_)); }

  // Throws lock_error unless has_value().
  void value() const {
    if (!has_value()) detail::throw_lock_error(error());
  }

  // REQUIRES: !has_value().
  [[nodiscard]] const failure& error() const& noexcept { return detail::failure_of(state_); }
  [[nodiscard]] failure&& error() && noexcept { return std::move(detail::failure_of(state_)); }

  // f() -> result<U>, called on success.
  template <class F>
  auto and_then(F&& f) && -> std::remove_cvref_t<std::invoke_result_t<F>> {
    if (!has_value()) return std::move(*this).error();
    return std::invoke(std::forward<F>(f));
  }

  // f(failure&&) -> result<void>, called on failure.
  template <class F>
  result or_else(F&& f) && {
    if (has_value()) return {};
    return std::invoke(std::forward<F>(f), std::move(*this).error());
  }

  // f() -> U, or void; gives result<U>.
  template <class F>
  auto transform(F&& f) && -> result<std::remove_cv_t<std::invoke_result_t<F>>> {
    if (!has_value()) return std::move(*this).error();
    if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
      std::invoke(std::forward<F>(f));
      return {};
    } else {
      return std::invoke(std::forward<F>(f));
    }
  }

 private:
  std::variant<std::monostate, failure> state_;
};

}  // namespace redlock

#endif  // REDLOCK_RESULT_H
