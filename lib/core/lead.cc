// The fallback timer of a queue.

#include "core/lead.h"

#include <algorithm>

#include "core/backoff.h"

namespace redlock::core {

nanoseconds ask_after(std::uint32_t ahead, nanoseconds key_left, std::uint64_t random) noexcept {
  constexpr nanoseconds first = milliseconds{100};
  constexpr nanoseconds step = milliseconds{20};
  // Also far behind: who asks seldom notices late that the lead is gone.
  constexpr nanoseconds most = milliseconds{250};
  const nanoseconds usual = std::min(first + step * std::min<std::uint32_t>(ahead, 100), most);
  const nanoseconds asks = between(usual * 3 / 4, usual * 5 / 4, random);
  if (key_left <= nanoseconds{0}) return asks;
  return std::min(asks, key_left + between(milliseconds{1}, milliseconds{4}, random >> 32));
}

}  // namespace redlock::core
