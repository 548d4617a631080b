// Future: the lock is asked for now, and looked at later; in between there is other work to do.

#include <redlock/redlock.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <stop_token>

#include "nodes.h"

using namespace std::chrono_literals;

int main() {
  redlock::lock_manager locks(options_from_environment());

  // future() starts the operation. Dropping the future would not end it: the stop token does. (A
  // lease that nobody takes out of its future is released with it.)
  std::stop_source enough;
  auto later =
      locks.acquire_async("report/daily", {.wait = 30s, .stop = enough.get_token()}).future();

  std::puts("preparing, without the lock");

  if (later.wait_for(10s) == std::future_status::timeout) {
    std::puts("this takes too long");
    enough.request_stop();  // get() gives `cancelled`, unless the lock was granted just now
  }
  auto lease = later.get();  // a result: a failure is a value here too, never an exception
  if (!lease) {
    std::fprintf(stderr, "not acquired: %s\n", lease.error().message().c_str());
    return 69;
  }
  std::printf("working under the lock, on %d nodes\n", static_cast<int>(lease->nodes_held()));
  return lease->release() ? 0 : 69;
}
