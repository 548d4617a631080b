// How long to pause before the next attempt. No clock; the randomness is an argument.

#ifndef REDLOCK_LIB_CORE_BACKOFF_H
#define REDLOCK_LIB_CORE_BACKOFF_H

#include <optional>

#include "core/types.h"

namespace redlock::core {

// The policy and its numbers, within the limits of options.h.
struct backoff {
  retry_policy policy = retry_policy::hybrid;
  nanoseconds delay{0};  // at least 1 ms
  nanoseconds max{0};    // at least delay
  nanoseconds spin_interval = milliseconds{5};
  nanoseconds spin_budget = milliseconds{200};
  std::uint32_t spin_tries = 0;  // 0: no limit but the budget
  nanoseconds short_hold = milliseconds{50};
  nanoseconds long_hold = milliseconds{200};
  pause_function own = nullptr;  // of retry_policy::custom
  void* context = nullptr;

  // Whether it goes by how long the resource is usually held.
  [[nodiscard]] bool asks_for_holds() const noexcept {
    return policy == retry_policy::adaptive || policy == retry_policy::custom;
  }
};

// The pauses of one operation, one after the other.
class pacing {
 public:
  // At least 1 ms; at most about `max` (fixed: 1.5 delay), or spin_interval (1.5 times), or what
  // the user's function says. Nothing: the policy gives up.
  [[nodiscard]] std::optional<nanoseconds> next(const backoff& how, const pause_request& at,
                                                std::uint64_t random) noexcept;

 private:
  [[nodiscard]] std::optional<nanoseconds> spin(const backoff& how, const pause_request& at,
                                                std::uint64_t random) noexcept;
  [[nodiscard]] nanoseconds exponential(const backoff& how, std::uint64_t random) noexcept;
  [[nodiscard]] nanoseconds hybrid(const backoff& how, const pause_request& at,
                                   std::uint64_t random) noexcept;

  std::uint32_t spun_ = 0;
  std::uint32_t backed_off_ = 0;
};

// Uniform in [from, to].
[[nodiscard]] nanoseconds between(nanoseconds from, nanoseconds to, std::uint64_t random) noexcept;

// When what was in the way is gone for all clients at once: a short pause, but not the same for
// all.
[[nodiscard]] nanoseconds soon(std::uint64_t random) noexcept;

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_BACKOFF_H
