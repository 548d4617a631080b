// The retry policies.

#include "core/backoff.h"

#include <algorithm>

namespace redlock::core {
namespace {

constexpr nanoseconds shortest = milliseconds{1};
constexpr nanoseconds longest = std::chrono::hours{1};

// Half to three halves, so that those who failed together do not try together.
nanoseconds about(nanoseconds middle, std::uint64_t random) noexcept {
  return between(std::max(shortest, middle / 2), std::max(shortest, middle / 2 * 3), random);
}

// Not past the expiry of the key that was met, but for a few random milliseconds, or all waiters
// would meet there.
nanoseconds no_later_than(nanoseconds key_left, nanoseconds wanted, std::uint64_t random) noexcept {
  if (key_left <= nanoseconds{0}) return wanted;
  return std::min(wanted, key_left + between(shortest, 4 * shortest, random >> 32));
}

}  // namespace

nanoseconds between(nanoseconds from, nanoseconds to, std::uint64_t random) noexcept {
  const auto span = static_cast<std::uint64_t>((to - from).count()) + 1;
  return from + nanoseconds{static_cast<std::int64_t>(random % span)};
}

std::optional<nanoseconds> pacing::next(const backoff& how, const pause_request& at,
                                        std::uint64_t random) noexcept {
  check(at.attempts >= 1 && how.delay >= shortest && how.max >= how.delay);
  check(how.spin_interval >= shortest);
  switch (how.policy) {
    case retry_policy::fixed:
      return about(how.delay, random);
    case retry_policy::exponential:
      return exponential(how, random);
    case retry_policy::hybrid:
      return hybrid(how, at, random);
    case retry_policy::spin:
      return spin(how, at, random);
    case retry_policy::adaptive:
      if (at.usual_hold <= nanoseconds{0}) return hybrid(how, at, random);
      if (at.usual_hold < how.short_hold) return about(how.spin_interval, random);
      if (at.usual_hold <= how.long_hold) return hybrid(how, at, random);
      return no_later_than(at.key_left, exponential(how, random), random);
    case retry_policy::custom:
      check(how.own != nullptr);
      return std::clamp(how.own(at, how.context), shortest, longest);
  }
  return how.max;
}

// The last one ends with the budget.
std::optional<nanoseconds> pacing::spin(const backoff& how, const pause_request& at,
                                        std::uint64_t random) noexcept {
  const nanoseconds left = how.spin_budget - at.waited;
  if (left < shortest || (how.spin_tries != 0 && spun_ >= how.spin_tries)) return {};
  ++spun_;
  return std::min(left, about(how.spin_interval, random));
}

// Full jitter.
nanoseconds pacing::exponential(const backoff& how, std::uint64_t random) noexcept {
  constexpr std::uint32_t doublings_max = 63;
  backed_off_ = std::min(backed_off_ + 1, doublings_max);
  nanoseconds window = how.delay;
  for (std::uint32_t i = 1; i < backed_off_ && window < how.max; ++i) window *= 2;
  return between(shortest, std::max(shortest, std::min(window, how.max)), random);
}

nanoseconds pacing::hybrid(const backoff& how, const pause_request& at,
                           std::uint64_t random) noexcept {
  const auto spun = spin(how, at, random);
  return no_later_than(at.key_left, spun ? *spun : exponential(how, random), random);
}

nanoseconds soon(std::uint64_t random) noexcept { return between(shortest, 20 * shortest, random); }

}  // namespace redlock::core
