// Mutex: for code that is written for a std::timed_mutex. It promises less than one: nothing stops
// the code inside when the lock is lost, so the code has to ask. See redlock/mutex.h.

#include <redlock/redlock.h>

#include <chrono>
#include <cstdio>
#include <mutex>

#include "nodes.h"

using namespace std::chrono_literals;

int main() {
  redlock::lock_manager locks(options_from_environment());
  redlock::mutex from(locks, "account/1", {.ttl = 10s});
  redlock::mutex to(locks, "account/2", {.ttl = 10s});

  try {
    // Both, whatever the order in which others take them. lock() throws where it cannot wait.
    const std::scoped_lock both(from, to);
    for (int step = 1; step <= 3; ++step) {
      if (!from.held() || !to.held()) return 74;  // locked is not held: ask before every step
      std::printf("step %d\n", step);
    }
  } catch (const redlock::lock_error& error) {
    std::fprintf(stderr, "not locked: %s\n", error.what());
    return 69;
  }

  // With a time limit nothing is thrown; the mutex says why.
  const std::unique_lock lock(from, 5s);
  if (!lock) {
    std::fprintf(stderr, "not locked: %s\n", from.last_failure()->message().c_str());
    return 75;
  }
  std::puts("locked again");
  return 0;
}
