// With: a function that runs under a lock, and a caller that is told if the lock did not last. The
// loss is staged: the first lock is not renewed, and its work takes longer than its ttl.

#include <redlock/redlock.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>

#include "nodes.h"

using namespace std::chrono_literals;

namespace {

// Copies rows until all are done, or it is told to stop. Knows nothing of locks.
int copy_rows(const std::stop_token& stop, int rows) {
  std::mutex mutex;
  std::condition_variable_any wake;
  int done = 0;
  while (done < rows && !stop.stop_requested()) {
    ++done;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, stop, 20ms, [] { return false; });  // returns at once when told to stop
  }
  return done;
}

}  // namespace

int main() {
  redlock::lock_manager locks(options_from_environment());

  redlock::lock_options options{.ttl = 500ms, .wait = 30s, .renewal = redlock::renewal::manual()};
  auto copied = locks.with("report/daily", options,
                           [](std::stop_token stop) { return copy_rows(stop, 1000); });
  if (copied) return 1;
  if (copied.error().code() != redlock::errc::lost) {
    std::fprintf(stderr, "not acquired: %s\n", copied.error().message().c_str());
    return 69;
  }
  // Some rows were copied, but not all of them for sure under the lock: others may have worked
  // beside us at the end. What must be looked at before going on, only the application knows.
  std::printf("lost: %s\n", copied.error().message().c_str());

  // Once more, with renewals: the lock lasts for as long as the work does.
  options.renewal = redlock::renewal::automatic();
  copied =
      locks.with("report/daily", options, [](std::stop_token stop) { return copy_rows(stop, 50); });
  if (!copied) {
    std::fprintf(stderr, "%s\n", copied.error().message().c_str());
    return 74;
  }
  std::printf("copied %d rows under the lock\n", *copied);
  return 0;
}
