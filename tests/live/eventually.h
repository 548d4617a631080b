// eventually: waits for something to become true, and gives up after a generous time.
//
// The only way in which the live tests let time pass. The limit is far beyond what a loaded machine
// needs, so that a test never fails for being slow, and never waits longer than it has to.

#ifndef REDLOCK_LIVE_EVENTUALLY_H
#define REDLOCK_LIVE_EVENTUALLY_H

#include <chrono>
#include <concepts>
#include <thread>

namespace redlock::live {

inline constexpr std::chrono::milliseconds patience{20'000};

// True as soon as `holds()` is; false if it is not within `limit`.
template <std::predicate F>
[[nodiscard]] bool eventually(F holds, std::chrono::nanoseconds limit = patience) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

// True if `holds()` stayed true for all of `period`. Proves an absence only as far as it looks.
template <std::predicate F>
[[nodiscard]] bool throughout(std::chrono::nanoseconds period, F holds) {
  return !eventually([&] { return !holds(); }, period);
}

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_EVENTUALLY_H
