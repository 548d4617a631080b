// task: a coroutine for tests. Runs at once up to its first co_await; its frame lives until it has
// run to its end, or until destroy().

#ifndef REDLOCK_TESTS_TASK_H
#define REDLOCK_TESTS_TASK_H

#include <coroutine>
#include <exception>
#include <utility>

namespace redlock {

class task {
 public:
  struct promise_type {
    task get_return_object() noexcept {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };

  // REQUIRES: it is suspended.
  void destroy() { std::exchange(handle_, {}).destroy(); }

 private:
  explicit task(std::coroutine_handle<> handle) noexcept : handle_(handle) {}
  std::coroutine_handle<> handle_;
};

}  // namespace redlock

#endif  // REDLOCK_TESTS_TASK_H
