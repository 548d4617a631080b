// redlock::clock, read from the system.

#include "redlock/clock.h"

#include <ctime>

namespace redlock {

clock::time_point clock::now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return time_point{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

}  // namespace redlock
