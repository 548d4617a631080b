// run_seeds: many worlds, on as many threads as wanted.

#ifndef REDLOCK_TESTS_SIM_RUN_SEEDS_H
#define REDLOCK_TESTS_SIM_RUN_SEEDS_H

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/climate.h"
#include "sim/coverage.h"
#include "sim/shrink.h"

namespace redlock::sim {

struct seed_range {
  std::uint64_t first = 1;
  std::uint64_t last = 1;  // included
};

struct run_report {
  coverage seen;
  std::uint64_t violations = 0;
  std::vector<specimen> found;  // the first few, by seed
};

// `adapt` changes what each seed has drawn. `progress` is called on this thread, now and then, with
// the number of worlds run and of violations so far.
[[nodiscard]] run_report run_seeds(
    seed_range range, unsigned jobs, const std::function<void(climate&)>& adapt,
    const std::function<void(std::uint64_t, std::uint64_t)>& progress);

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_RUN_SEEDS_H
