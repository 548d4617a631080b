// How long to pause before the next attempt. A pure function; the randomness is an argument.

#ifndef REDLOCK_LIB_CORE_BACKOFF_H
#define REDLOCK_LIB_CORE_BACKOFF_H

#include "core/types.h"

namespace redlock::core {

struct backoff {
  retry_policy policy = retry_policy::hybrid;
  nanoseconds delay{0};  // at least 1 ms
  nanoseconds max{0};    // at least delay
};

// hybrid: so many tries in quick succession before it backs off. With short holds one of them wins;
// with long ones they are a handful of commands.
inline constexpr std::uint32_t quick_tries = 4;

// The pause after attempt number `failed` (1, 2, …). `key_left` is the least that was left of a key
// that stood in the way, 0 if none is known. At least 1 ms, at most about `max` (fixed: 1.5 delay).
[[nodiscard]] nanoseconds pause(const backoff& how, std::uint32_t failed, nanoseconds key_left,
                                std::uint64_t random) noexcept;

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_BACKOFF_H
