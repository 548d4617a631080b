// user_loop: a libuv loop as an application has one, run by the test turn by turn.

#ifndef REDLOCK_LIVE_USER_LOOP_H
#define REDLOCK_LIVE_USER_LOOP_H

#include <gtest/gtest.h>
#include <uv.h>

#include <concepts>
#include <optional>
#include <utility>

#include "live.h"

namespace redlock::live {

class user_loop {
 public:
  user_loop() {
    EXPECT_EQ(uv_loop_init(&loop_), 0);
    EXPECT_EQ(uv_timer_init(&loop_, &tick_), 0);
  }
  user_loop(const user_loop&) = delete;
  user_loop& operator=(const user_loop&) = delete;
  // By now nobody else may have anything on it.
  ~user_loop() {
    uv_close(reinterpret_cast<uv_handle_t*>(&tick_), nullptr);
    uv_run(&loop_, UV_RUN_NOWAIT);
    EXPECT_EQ(uv_loop_close(&loop_), 0) << "something is left on the loop";
  }

  [[nodiscard]] uv_loop_t* get() noexcept { return &loop_; }

  // Runs it until `holds()`, looking after every turn; false if that takes too long.
  template <std::predicate F>
  [[nodiscard]] bool run_until(F holds) {
    uv_timer_start(
        &tick_, [](uv_timer_t*) {}, 1, 1);
    const bool held = eventually([&] {
      uv_run(&loop_, UV_RUN_ONCE);
      return holds();
    });
    uv_timer_stop(&tick_);
    return held;
  }

  // Runs it until nothing is left on it but what is the test's own.
  [[nodiscard]] bool run_out() {
    return eventually([&] { return uv_run(&loop_, UV_RUN_NOWAIT) == 0; });
  }

  // Runs it until the operation has ended.
  template <class T>
  result<T> end_of(operation<T> op) {
    std::optional<result<T>> outcome;
    std::move(op).then([&](result<T> r) noexcept { outcome.emplace(std::move(r)); });
    EXPECT_FALSE(outcome) << "called back inside the call (H1)";
    if (!run_until([&] { return outcome.has_value(); })) return errc::shut_down;
    return std::move(*outcome);
  }

 private:
  uv_loop_t loop_{};
  uv_timer_t tick_{};
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_USER_LOOP_H
