// Cancelling: waiting for a lock ends as soon as a std::stop_token says so.

#include <redlock/redlock.h>

#include <chrono>
#include <cstdio>
#include <stop_token>
#include <thread>

#include "nodes.h"

using namespace std::chrono_literals;

int main() {
  redlock::lock_manager locks(options_from_environment());

  const auto first = locks.acquire("report/daily", {.wait = 30s});
  if (!first) {
    std::fprintf(stderr, "not acquired: %s\n", first.error().message().c_str());
    return 69;
  }

  // Whoever runs the program may want it to end: a signal handler's thread, a server's shutdown.
  std::stop_source shutdown;
  std::jthread somebody([&shutdown] {
    std::this_thread::sleep_for(100ms);
    shutdown.request_stop();
  });

  // Nobody ever releases the first lease. Only the stop ends this.
  const auto second =
      locks.acquire("report/daily", {.wait = redlock::wait_forever, .stop = shutdown.get_token()});
  if (second || second.error().code() != redlock::errc::cancelled) return 1;
  std::printf("%s\n", second.error().message().c_str());

  // It ends the waiting, never a lease: the first one stands.
  return first->held() ? 0 : 74;
}
