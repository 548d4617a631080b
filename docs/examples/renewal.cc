// Renewal by hand: the lock outlives its ttl only for as long as the work gets on. A worker that
// hangs loses it, instead of keeping everybody out for ever.

#include <redlock/redlock.h>

#include <chrono>
#include <cstdio>

#include "nodes.h"

using namespace std::chrono_literals;

int main() {
  redlock::lock_manager locks(options_from_environment());

  // max_hold is a second bound: however well the work gets on, five minutes are the end.
  auto lease = locks.acquire(
      "report/daily",
      {.ttl = 10s, .wait = 30s, .renewal = redlock::renewal::manual(), .max_hold = 5min});
  if (!lease) {
    std::fprintf(stderr, "not acquired: %s\n", lease.error().message().c_str());
    return 69;
  }

  for (int chunk = 1; chunk <= 5; ++chunk) {
    if (auto renewed = lease->renew(); !renewed) {
      // A renewal that failed has harmed nothing: the lease stands until expires_at(), and may be
      // renewed again before. Only held() says whether to go on.
      std::fprintf(stderr, "renewal: %s\n", renewed.error().message().c_str());
    }
    if (!lease->held()) return 74;
    const auto left = std::chrono::duration_cast<std::chrono::seconds>(lease->remaining());
    std::printf("chunk %d, held for %d more seconds at least\n", chunk,
                static_cast<int>(left.count()));
  }
  return 0;  // leaving the scope releases, without waiting for the nodes
}
