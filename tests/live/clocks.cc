// Defined in the program itself, these functions stand in for the C library's, in shared libraries
// too.

#include "clocks.h"

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace redlock::live {
namespace {

constexpr std::int64_t second = 1'000'000'000;

constinit std::array<std::atomic<std::int64_t>, 16> shifts{};  // by number of the clock

std::int64_t shift_of(clockid_t which) noexcept {
  if (which == CLOCK_REALTIME_COARSE) which = CLOCK_REALTIME;
  if (which == CLOCK_MONOTONIC_COARSE || which == CLOCK_MONOTONIC_RAW) which = CLOCK_MONOTONIC;
  const auto number = static_cast<std::size_t>(which);  // negative: a process's clock, not shifted
  return number < shifts.size() ? shifts[number].load(std::memory_order_relaxed) : 0;
}

int tell(clockid_t which, timespec* into) noexcept {
  if (::syscall(SYS_clock_gettime, which, into) != 0) return -1;
  const std::int64_t all = into->tv_sec * second + into->tv_nsec + shift_of(which);
  into->tv_sec = all / second;
  into->tv_nsec = all % second;
  return 0;
}

}  // namespace

shifted_clock::shifted_clock(clockid_t which, std::chrono::nanoseconds by) noexcept
    : which_(which) {
  shifts.at(static_cast<std::size_t>(which_)) = by.count();
}

shifted_clock::~shifted_clock() { shifts.at(static_cast<std::size_t>(which_)) = 0; }

}  // namespace redlock::live

// The C library declares them with attributes that are its own affair.
extern "C" {

int clock_gettime(clockid_t which, timespec* into) noexcept {
  return redlock::live::tell(which, into);
}

int gettimeofday(timeval* into, void*) noexcept {
  timespec t{};
  if (redlock::live::tell(CLOCK_REALTIME, &t) != 0) return -1;
  into->tv_sec = t.tv_sec;
  into->tv_usec = t.tv_nsec / 1000;
  return 0;
}

time_t time(time_t* into) noexcept {
  timespec t{};
  redlock::live::tell(CLOCK_REALTIME, &t);
  if (into != nullptr) *into = t.tv_sec;
  return t.tv_sec;
}

}  // extern "C"
