// account: from who held the key when, to figures. No I/O, no clock.

#ifndef REDLOCK_BENCH_CONTENTION_ACCOUNT_H
#define REDLOCK_BENCH_CONTENTION_ACCOUNT_H

#include <cstddef>
#include <string>
#include <vector>

#include "bench/contention/arena.h"
#include "bench/contention/look.h"

namespace redlock::bench {

struct figure {
  std::string name;
  double value = 0;
  int decimals = 0;  // that are of interest
};

// Fills in the ends of those that were killed; a grant that still has none is an error.
// Throws std::runtime_error if two waiters held the key at once. REQUIRES: in order of `granted`.
void check_exclusion(std::vector<grant>& all, nanoseconds dead_at);

// Of a measurement without a fault, or with one. All waits and grants of what begins before
// `before` or after `after` are left out; who still waits at the end counts with what it waited.
struct story {
  std::vector<grant> grants;  // in order, and checked
  std::size_t processes = 0;
  std::size_t threads = 0;
  look before;
  look after;
};
// Throws std::runtime_error if nobody was granted the key, or no node was asked for it.
[[nodiscard]] std::vector<figure> figures_of(const story& s);

// What became of them after a fault that struck then; what is counted is counted from half a second
// after it. Processes that are dead at the end count for nothing.
[[nodiscard]] std::vector<figure> figures_after(const story& s, nanoseconds struck_at);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_ACCOUNT_H
