// What the live tests share: how they judge results, and how they watch what happens elsewhere.

#ifndef REDLOCK_LIVE_LIVE_H
#define REDLOCK_LIVE_LIVE_H

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "eventually.h"
#include "masters.h"
#include "redlock/redlock.h"

namespace redlock::live {

using namespace std::chrono_literals;

template <class T>
[[nodiscard]] testing::AssertionResult succeeded(const result<T>& r) {
  if (r) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name(r.error().code()) << ": " << r.error().message();
}

template <class T>
[[nodiscard]] testing::AssertionResult failed_with(errc code, const result<T>& r) {
  if (!r && r.error().code() == code) return testing::AssertionSuccess();
  if (r) return testing::AssertionFailure() << "succeeded";
  return testing::AssertionFailure() << name(r.error().code()) << ": " << r.error().message();
}

// On how many nodes the answer was `a`.
[[nodiscard]] inline std::size_t count(const failure& why, answer a) {
  return static_cast<std::size_t>(std::count_if(
      why.nodes().begin(), why.nodes().end(), [a](const node_answer& n) { return n.answer == a; }));
}

// The stop signal of a lease: how often it came, and when first. Not to be moved, since the library
// calls back into it.
class signal_log {
 public:
  explicit signal_log(
      const lease& l, std::function<void()> also = [] {})
      : also_(std::move(also)), callback_(l.stop_token(), [this] { note(); }) {}

  [[nodiscard]] int count() const noexcept { return count_; }
  // REQUIRES: count() > 0.
  [[nodiscard]] clock::time_point at() const noexcept { return clock::time_point(at_.load()); }

 private:
  void note() {
    at_ = clock::now().time_since_epoch();
    ++count_;
    also_();
  }

  std::function<void()> also_;
  std::atomic<clock::duration> at_ = clock::duration{0};
  std::atomic<int> count_ = 0;
  std::stop_callback<std::function<void()>> callback_;
};

// An operation under way, and how often it ended.
template <class T>
class pending {
 public:
  explicit pending(operation<T> op) {
    std::move(op).then([state = state_](result<T> r) noexcept {
      const std::lock_guard lock(state->mutex);
      ++state->times;
      state->outcome.emplace(std::move(r));
    });
  }

  [[nodiscard]] int times() const {
    const std::lock_guard lock(state_->mutex);
    return state_->times;
  }
  [[nodiscard]] bool ended() const { return times() > 0; }

  // Waits for the end. `shut_down` with a failed test if there is none.
  result<T> take() {
    if (!eventually([this] { return ended(); })) {
      ADD_FAILURE() << "the operation does not end";
      return errc::shut_down;
    }
    const std::lock_guard lock(state_->mutex);
    return std::move(*state_->outcome);
  }

 private:
  struct shared {
    std::mutex mutex;
    int times = 0;
    std::optional<result<T>> outcome;
  };
  std::shared_ptr<shared> state_ = std::make_shared<shared>();
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_LIVE_H
