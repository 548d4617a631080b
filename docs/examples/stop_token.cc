// Being told: work that sleeps or blocks cannot ask held() all the time. It is stopped through a
// std::stop_token, here 300 ms before the lease runs out, so that it can end in good order.

#include <redlock/redlock.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>

#include "nodes.h"

using namespace std::chrono_literals;

namespace {

// Works until it is told to stop, and sleeps in between. Knows nothing of locks.
int work(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  int steps = 0;
  while (!stop.stop_requested()) {
    ++steps;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, 50ms, [] { return false; });  // returns at once when told to stop
  }
  return steps;
}

}  // namespace

int main() {
  redlock::lock_manager locks(options_from_environment());

  // This lease is not renewed, so that it runs out before our eyes.
  auto lease = locks.acquire(
      "report/daily",
      {.ttl = 1s, .wait = 30s, .renewal = redlock::renewal::manual(), .stop_margin = 300ms});
  if (!lease) {
    std::fprintf(stderr, "not acquired: %s\n", lease.error().message().c_str());
    return 69;
  }

  const int steps = work(lease->stop_token());
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(lease->remaining());
  std::printf("told to stop after %d steps, with %d ms left\n", steps,
              static_cast<int>(left.count()));

  // These milliseconds are for what must still happen under the lock: flush, close, say good-bye.
  auto released = lease->release();
  std::printf("released: %s\n", released ? "confirmed" : released.error().message().c_str());
  return 0;
}
