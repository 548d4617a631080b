// What `redlock acquire` and `redlock renew` print of a lease. Asks no node.

#ifndef REDLOCK_TOOLS_TOKEN_TEXT_H
#define REDLOCK_TOOLS_TOKEN_TEXT_H

#include <string>
#include <string_view>

#include "redlock/lease.h"

namespace redlock::tool {

// One line: {"resource","token","valid_ms"}; valid_ms is how long it is held from now on.
[[nodiscard]] std::string as_json(const lease& held);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_TOKEN_TEXT_H
