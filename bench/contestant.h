// contestant: one way to acquire a lock on a majority and release it, to be measured against
// others.

#ifndef REDLOCK_BENCH_CONTESTANT_H
#define REDLOCK_BENCH_CONTESTANT_H

#include <chrono>
#include <cstddef>
#include <vector>

namespace redlock::bench {

using std::chrono::nanoseconds;
using stopwatch = std::chrono::steady_clock;

// One acquire, and the release right after it.
struct sample {
  nanoseconds acquire;  // until it was granted
  nanoseconds pair;     // until the release was confirmed
};

class contestant {
 public:
  virtual ~contestant() = default;

  // Acquires and releases `pairs` times, at most `in_flight` at once, each of those on a resource
  // of its own, and adds a sample for each pair. Throws std::runtime_error if anything fails.
  // REQUIRES: in_flight > 0.
  virtual void run(std::size_t pairs, std::size_t in_flight, std::vector<sample>& out) = 0;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTESTANT_H
