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

std::string_view holdings::holder() const noexcept {
  const std::size_t at = token.find('@');
  return at == std::string::npos ? std::string_view(token) : std::string_view(token).substr(at + 1);
}

}  // namespace redlock
