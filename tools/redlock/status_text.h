// What `redlock status` prints: a table for people, JSON for programs. Asks no node.

#ifndef REDLOCK_TOOLS_STATUS_TEXT_H
#define REDLOCK_TOOLS_STATUS_TEXT_H

#include <string>
#include <vector>

#include "redlock/status.h"

namespace redlock::tool {

struct resource_status {
  std::string resource;
  holdings seen;
};

[[nodiscard]] std::string as_table(const std::vector<resource_status>& all);

// One line: [{"resource","held","holder","votes","nodes":[{"node","answer","holder","ttl_ms"}]}].
// "held" is true, false, or null for unknown; a "holder" or "ttl_ms" that there is not, is null.
// Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string as_json(const std::vector<resource_status>& all);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_STATUS_TEXT_H
