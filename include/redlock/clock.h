// The clock by which every lease is judged (rule C1).
//
// It never goes back, and it keeps counting while the machine is suspended: CLOCK_BOOTTIME. A lease
// judged by std::chrono::steady_clock would seem to stand after a laptop or a VM slept.

#ifndef REDLOCK_CLOCK_H
#define REDLOCK_CLOCK_H

#include <chrono>

#include "redlock/export.h"

namespace redlock {

// Meets the standard's Clock requirements. Thread safety: any thread.
struct REDLOCK_API clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<clock>;
  static constexpr bool is_steady = true;

  [[nodiscard]] static time_point now() noexcept;
};

}  // namespace redlock

#endif  // REDLOCK_CLOCK_H
