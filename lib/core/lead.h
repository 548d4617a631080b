// lead: which node keeps the queue of a resource. All clients choose the same without asking each
// other: the highest weight of those that can be asked (rendezvous hashing). A node that comes or
// goes moves the resources that it leads, and no others.
//
// They may still differ while a node is down for one of them only, or restarts. That costs turns;
// exclusion does not rest on it.

#ifndef REDLOCK_LIB_CORE_LEAD_H
#define REDLOCK_LIB_CORE_LEAD_H

#include <string_view>

#include "core/types.h"

namespace redlock::core {

// FNV-1a, 64 bits, of the node's identity, a zero byte and the lock key; stirred once more, since
// its high bits hardly depend on the last bytes. Part of the contract between clients.
[[nodiscard]] constexpr std::uint64_t lead_weight(std::string_view identity,
                                                  std::string_view key) noexcept {
  std::uint64_t h = 14695981039346656037U;
  const auto add = [&h](char c) { h = (h ^ static_cast<unsigned char>(c)) * 1099511628211U; };
  for (const char c : identity) add(c);
  add('\0');
  for (const char c : key) add(c);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebU;
  return h ^ (h >> 31);
}

// How long a place in a queue outlives the last that was heard of whoever waits there: longer for
// one that is told when its turn comes, since nobody waits for it then. It asks again every third
// of that at the latest (Q2).
inline constexpr milliseconds place_life_told{4000};
inline constexpr milliseconds place_life_untold{1000};

// When one asks that was not told of its turn: never much later than it would have come (Q5), since
// a wake-up can be lost, whoever is before it can be gone, and so can the lead. `key_left`: 0 if
// unknown.
[[nodiscard]] nanoseconds ask_after(std::uint32_t ahead, nanoseconds key_left,
                                    std::uint64_t random) noexcept;

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_LEAD_H
