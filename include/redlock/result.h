// result<T>: a T, or the failure that stood in its way.
//
// The members of std::expected<T, failure>, so that a reader knows them already; never an alias of
// it, which would make the ABI depend on the language version of whoever includes this header.

#ifndef REDLOCK_RESULT_H
#define REDLOCK_RESULT_H

#include <cassert>
#include <functional>
#include <type_traits>
#include <utility>
#include <variant>

#include "redlock/failure.h"

namespace redlock {

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
  explicit operator bool() const noexcept { return has_value(); }

  // REQUIRES: has_value().
  T& operator*() & noexcept { return held(*this); }
  const T& operator*() const& noexcept { return held(*this); }
  T&& operator*() && noexcept { return std::move(held(*this)); }
  T* operator->() noexcept { return &held(*this); }
  const T* operator->() const noexcept { return &held(*this); }

  // Throws lock_error unless has_value().
  T& value() & { return check(), held(*this); }
  const T& value() const& { return check(), held(*this); }
  T&& value() && { return check(), std::move(held(*this)); }

  template <class U>
  [[nodiscard]] T value_or(U&& otherwise) const& {
    return has_value() ? held(*this) : static_cast<T>(std::forward<U>(otherwise));
  }
  template <class U>
  [[nodiscard]] T value_or(U&& otherwise) && {
    return has_value() ? std::move(held(*this)) : static_cast<T>(std::forward<U>(otherwise));
  }

  // REQUIRES: !has_value().
  [[nodiscard]] const failure& error() const& noexcept { return wrong(*this); }
  [[nodiscard]] failure& error() & noexcept { return wrong(*this); }
  [[nodiscard]] failure&& error() && noexcept { return std::move(wrong(*this)); }

  // f(T&&) -> result<U>, called if there is a value.
  template <class F>
  auto and_then(F&& f) && -> std::remove_cvref_t<std::invoke_result_t<F, T&&>> {
    if (!has_value()) return std::move(wrong(*this));
    return std::invoke(std::forward<F>(f), std::move(held(*this)));
  }

  // f(failure&&) -> result<T>, called if there is none.
  template <class F>
  result or_else(F&& f) && {
    if (has_value()) return std::move(*this);
    return std::invoke(std::forward<F>(f), std::move(wrong(*this)));
  }

  // f(T&&) -> U, or void; gives result<U>.
  template <class F>
  auto transform(F&& f) && -> result<std::remove_cv_t<std::invoke_result_t<F, T&&>>> {
    if (!has_value()) return std::move(wrong(*this));
    if constexpr (std::is_void_v<std::invoke_result_t<F, T&&>>) {
      std::invoke(std::forward<F>(f), std::move(held(*this)));
      return {};
    } else {
      return std::invoke(std::forward<F>(f), std::move(held(*this)));
    }
  }

 private:
  template <class Self>
  static auto& held(Self& self) noexcept {
    assert(self.has_value());
    return *std::get_if<0>(&self.state_);
  }
  template <class Self>
  static auto& wrong(Self& self) noexcept {
    assert(!self.has_value());
    return *std::get_if<1>(&self.state_);
  }
  void check() const {
    if (!has_value()) throw lock_error(wrong(*this));
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
  void operator*() const noexcept { assert(has_value()); }

  // Throws lock_error unless has_value().
  void value() const {
    if (!has_value()) throw lock_error(error());
  }

  // REQUIRES: !has_value().
  [[nodiscard]] const failure& error() const& noexcept {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] failure&& error() && noexcept {
    assert(!has_value());
    return std::move(*std::get_if<1>(&state_));
  }

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
