// The words for the states of nodes, and what a token says.

#include "redlock/status.h"

namespace redlock {

std::string_view name(node_state s) noexcept {
  switch (s) {
    case node_state::connecting:
      return "connecting";
    case node_state::up:
      return "up";
    case node_state::down:
      return "down";
    case node_state::denied:
      return "denied";
    case node_state::duplicate:
      return "duplicate";
    case node_state::replica:
      return "replica";
  }
  return "unknown";
}

std::string_view name(node_guard g) noexcept {
  switch (g) {
    case node_guard::none:
      return "";
    case node_guard::restarted:
      return "restarted";
    case node_guard::promoted:
      return "promoted";
    case node_guard::unverified:
      return "unverified";
    case node_guard::clock_stepped:
      return "clock stepped";
    case node_guard::not_enrolled:
      return "not enrolled";
  }
  return "unknown";
}

std::string node_status::guarded() const {
  if (guard == node_guard::none) return {};
  const std::string why = ": " + std::string(redlock::name(guard));
  if (no_vote_for == std::chrono::nanoseconds::max()) return "no vote for now" + why;
  // Tenths of a second, rounded up: it has no vote before.
  const auto tenths =
      std::chrono::ceil<std::chrono::duration<std::int64_t, std::deci>>(no_vote_for).count();
  return "no vote for another " + std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) +
         " s" + why;
}

std::string_view holdings::holder() const noexcept {
  const std::size_t at = token.find('@');
  return at == std::string::npos ? std::string_view(token) : std::string_view(token).substr(at + 1);
}

}  // namespace redlock
