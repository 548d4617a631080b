// Coroutine: co_await an operation. It reads like the blocking form, and blocks no thread.

#include <redlock/redlock.h>

#include <chrono>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <future>
#include <utility>

#include "nodes.h"

using namespace std::chrono_literals;

namespace {

// The least that a coroutine needs: it gives a std::future<int>. Your own task type will do, or
// that of your framework; the library has none.
struct future_of_int {
  std::future<int> value;

  struct promise_type {
    std::promise<int> promise;
    future_of_int get_return_object() { return {promise.get_future()}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_value(int n) { promise.set_value(n); }
    void unhandled_exception() { promise.set_exception(std::current_exception()); }
  };
};

future_of_int work(redlock::lock_manager& locks) {
  // From here on it runs on the manager's executor, where callbacks of then() run as well.
  auto lease = co_await locks.acquire_async("report/daily", {.ttl = 10s, .wait = 30s});
  if (!lease) {
    std::fprintf(stderr, "not acquired: %s\n", lease.error().message().c_str());
    co_return 69;
  }

  for (int page = 1; page <= 3; ++page) {
    if (!lease->held()) co_return 74;
    std::printf("page %d\n", page);
  }

  auto released = co_await lease->release_async();
  std::printf("released: %s\n", released ? "confirmed" : "unconfirmed");
  co_return 0;
}

}  // namespace

int main() {
  redlock::lock_manager locks(options_from_environment());
  return work(locks).value.get();
}
