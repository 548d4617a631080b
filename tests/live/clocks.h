// clocks: what this test program is told when it asks the system for the time.
//
// A program that links this has the clocks of the system shifted under all of its code, libraries
// included; other processes, and timers of the kernel, go by the true ones.

#ifndef REDLOCK_LIVE_CLOCKS_H
#define REDLOCK_LIVE_CLOCKS_H

#include <chrono>
#include <ctime>

namespace redlock::live {

// Shifts one of CLOCK_REALTIME (with all calls that tell the same), CLOCK_MONOTONIC and
// CLOCK_BOOTTIME for as long as it lives. One at a time for each clock.
class shifted_clock {
 public:
  shifted_clock(clockid_t which, std::chrono::nanoseconds by) noexcept;
  ~shifted_clock();
  shifted_clock(const shifted_clock&) = delete;
  shifted_clock& operator=(const shifted_clock&) = delete;

 private:
  clockid_t which_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_CLOCKS_H
