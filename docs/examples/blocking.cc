// Blocking: wait for a lock, work in steps while it is held, give it back.

#include <redlock/redlock.h>

#include <chrono>
#include <cstdio>

#include "nodes.h"

using namespace std::chrono_literals;

int main() {
  redlock::lock_manager locks(options_from_environment());

  // The nodes keep the lock for 10 s; it is renewed every third of that until it is released.
  auto lease = locks.acquire("report/daily", {.ttl = 10s, .wait = 30s});
  if (!lease) {
    // One line that says which node said what.
    std::fprintf(stderr, "not acquired: %s\n", lease.error().message().c_str());
    return lease.error().code() == redlock::errc::held_by_other ? 75 : 69;
  }

  for (int page = 1; page <= 3; ++page) {
    if (!lease->held()) {  // reads the clock: ask right before every step that must not overlap
      std::fprintf(stderr, "lost: %s\n", lease->failure()->message().c_str());
      return 74;
    }
    std::printf("page %d\n", page);
  }

  if (auto released = lease->release(); !released) {
    // The work is done all the same. The lock ends by itself, at the latest after its ttl.
    std::fprintf(stderr, "release: %s\n", released.error().message().c_str());
  }
  return 0;
}
