#include "redlock/clock.h"

#include <ctime>

namespace redlock {

clock::time_point clock::now() noexcept {
  timespec t{};
#ifdef CLOCK_BOOTTIME
  clock_gettime(CLOCK_BOOTTIME, &t);
#else
  clock_gettime(CLOCK_MONOTONIC, &t);
#endif
  return time_point{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

}  // namespace redlock
