// What co_await of an operation waits in. For operation.h; users need none of this.

#ifndef REDLOCK_AWAITING_H
#define REDLOCK_AWAITING_H

#include <atomic>
#include <coroutine>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "redlock/completion.h"

namespace redlock::detail {

// Between the coroutine that awaits and the library, which ends the operation: whoever of the two
// comes first decides, and the other one finds that out from the state.
//
//              complete()             take()
//    waiting ────────────▶ resuming ─────────▶ taken
//       │
//       │ abandon()              complete()
//       └────────────▶ abandoned ─────────▶ (the result is dropped)
//
// `resuming` is the library's promise to resume: from then on the coroutine runs, and must not be
// destroyed, like any that runs. Owned by both sides, since either may be the last: the awaiter in
// the coroutine's frame, and the object itself until complete().
template <class T>
class awaited final : public completion<T> {
 public:
  awaited(std::coroutine_handle<> who) noexcept : coroutine_(who) {}  // NOLINT: make_shared's

  // Shares its ownership with the library.
  void keep(std::shared_ptr<awaited> self) noexcept { self_ = std::move(self); }

  void complete(result<T> r) noexcept override {
    const std::shared_ptr<awaited> self = std::move(self_);
    outcome_.emplace(std::move(r));
    state expected = state::waiting;
    if (state_.compare_exchange_strong(expected, state::resuming)) {
      coroutine_.resume();
    } else {
      outcome_.reset();  // a lease that came after all: dropping it releases it
    }
  }

  [[nodiscard]] std::stop_token abandoned() const noexcept override {
    return abandoned_.get_token();
  }

  // The coroutine's: it was resumed.
  result<T> take() noexcept {
    state_.store(state::taken);
    return std::move(*outcome_);
  }

  // The coroutine's frame is destroyed, or the awaiter after take().
  void abandon() noexcept {
    state found = state::waiting;
    if (state_.compare_exchange_strong(found, state::abandoned)) {
      abandoned_.request_stop();
    } else if (found == state::resuming) {
      broken("a coroutine was destroyed on one thread while it was resumed on another");
    }
  }

 private:
  enum class state : unsigned char { waiting, resuming, taken, abandoned };

  const std::coroutine_handle<> coroutine_;
  std::stop_source abandoned_;
  std::optional<result<T>> outcome_;  // complete()'s until `resuming`, take()'s after it
  std::shared_ptr<awaited> self_;
  std::atomic<state> state_ = state::waiting;
};

// In the coroutine's frame. Its end without a result abandons the operation.
template <class T>
class awaiter {
 public:
  explicit awaiter(std::unique_ptr<starter<T>> what) noexcept : what_(std::move(what)) {}
  awaiter(const awaiter&) = delete;
  awaiter& operator=(const awaiter&) = delete;
  ~awaiter() {
    if (state_ != nullptr) state_->abandon();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }

  void await_suspend(std::coroutine_handle<> who) {
    state_ = std::make_shared<awaited<T>>(who);
    state_->keep(state_);
    start(std::move(what_), *state_);
  }

  result<T> await_resume() noexcept { return state_->take(); }

 private:
  // The coroutine may be resumed, and this awaiter gone, before start() returns: so nothing of it
  // is touched, and no compiler may keep what is on this stack in the coroutine's frame.
  [[gnu::noinline]] static void start(std::unique_ptr<starter<T>> what, awaited<T>& whom) noexcept {
    what->start(whom, delivery::executor);
  }

  std::unique_ptr<starter<T>> what_;
  std::shared_ptr<awaited<T>> state_;
};

}  // namespace redlock::detail

#endif  // REDLOCK_AWAITING_H
