// skewed_clock: a clock with a start, a rate and steps of its own, as a function of real time,
// which nobody in the world can read.

#ifndef REDLOCK_TESTS_SIM_SKEWED_CLOCK_H
#define REDLOCK_TESTS_SIM_SKEWED_CLOCK_H

#include <cstdint>
#include <limits>

namespace redlock::sim {

using ns = std::int64_t;    // durations, and local times
using real = std::int64_t;  // nanoseconds since the world began

inline constexpr ns us = 1'000;
inline constexpr ns ms = 1'000'000;
// Where the wall clocks of the world are when it begins, how far they are apart then, and how far
// clients believe them to be at most.
inline constexpr ns wall_clock = 100'000'000 * ms;
inline constexpr ns wall_spread = 200 * ms;
inline constexpr ns max_clock_offset = 1'000 * ms;

inline constexpr real no_time = std::numeric_limits<real>::max();

struct skewed_clock {
  ns offset = 0;
  std::int64_t ppm = 0;  // how much faster than real time

  [[nodiscard]] ns at(real t) const noexcept { return offset + t + t * ppm / 1'000'000; }

  // The first t with at(t) >= local.
  [[nodiscard]] real when(ns local) const noexcept {
    real t = (local - offset) * 1'000 / (1'000'000 + ppm) * 1'000;
    while (at(t) >= local) t -= us;
    while (at(t) + us < local) t += us / 2;
    while (at(t) < local) ++t;
    return t;
  }
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_SKEWED_CLOCK_H
