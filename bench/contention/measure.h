// measure: one crowd, on nodes of its own, from the start to the figures.

#ifndef REDLOCK_BENCH_CONTENTION_MEASURE_H
#define REDLOCK_BENCH_CONTENTION_MEASURE_H

#include <cstdint>
#include <vector>

#include "bench/contention/account.h"
#include "bench/contention/setting.h"

namespace redlock::bench {

enum class side : std::uint8_t { library, wake_one };

// Throws std::runtime_error if anything goes wrong that the setting does not want to go wrong,
// above all if two held the key at once. No thread may run meanwhile: this forks.
[[nodiscard]] std::vector<figure> measure(const setting& s, side who);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_MEASURE_H
