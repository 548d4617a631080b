// The retry policies.

#include "core/backoff.h"

#include <algorithm>

namespace redlock::core {
namespace {

constexpr nanoseconds shortest = milliseconds{1};

// Uniform in [from, to].
nanoseconds between(nanoseconds from, nanoseconds to, std::uint64_t random) noexcept {
  const auto span = static_cast<std::uint64_t>((to - from).count()) + 1;
  return from + nanoseconds{static_cast<std::int64_t>(random % span)};
}

nanoseconds exponential(const backoff& how, std::uint32_t failed, std::uint64_t random) noexcept {
  nanoseconds window = how.delay;
  for (std::uint32_t i = 1; i < failed && window < how.max; ++i) window *= 2;
  return between(shortest, std::max(shortest, std::min(window, how.max)), random);
}

nanoseconds hybrid(const backoff& how, std::uint32_t failed, nanoseconds key_left,
                   std::uint64_t random) noexcept {
  const nanoseconds wanted = failed <= quick_tries ? between(shortest, 4 * shortest, random)
                                                   : exponential(how, failed - quick_tries, random);
  if (key_left <= nanoseconds{0}) return wanted;
  // A few random milliseconds past the expiry, or all waiters would meet there.
  return std::min(wanted, key_left + between(shortest, 4 * shortest, random >> 32));
}

}  // namespace

nanoseconds pause(const backoff& how, std::uint32_t failed, nanoseconds key_left,
                  std::uint64_t random) noexcept {
  check(failed >= 1 && how.delay >= shortest && how.max >= how.delay);
  switch (how.policy) {
    case retry_policy::fixed:
      return between(std::max(shortest, how.delay / 2), how.delay / 2 * 3, random);
    case retry_policy::exponential:
      return exponential(how, failed, random);
    case retry_policy::hybrid:
      return hybrid(how, failed, key_left, random);
  }
  return how.max;
}

}  // namespace redlock::core
