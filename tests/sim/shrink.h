// shrink: the smallest world that still breaks the same rule.

#ifndef REDLOCK_TESTS_SIM_SHRINK_H
#define REDLOCK_TESTS_SIM_SHRINK_H

#include <cstdint>
#include <optional>

#include "sim/climate.h"
#include "sim/world.h"

namespace redlock::sim {

// A world that is violated, and how.
struct specimen {
  climate where;
  std::uint64_t seed = 0;
  violation found;
};

// Runs one world.
[[nodiscard]] std::optional<violation> run_world(const climate& c, std::uint64_t seed,
                                                 history::printer print = {});

// Turns every knob towards calm for as long as some seed near by breaks the same rule, and takes
// the shortest history that is found. Runs some ten thousand worlds.
[[nodiscard]] specimen shrink(specimen from);

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_SHRINK_H
