// The nodes that a command is to use, from its --node options or the environment.

#ifndef REDLOCK_TOOLS_NODE_LIST_H
#define REDLOCK_TOOLS_NODE_LIST_H

#include <string>
#include <vector>

#include "redlock/options.h"

namespace redlock::tool {

// The variable that names the nodes, separated by commas, where no --node does. Blanks around them
// do not count; a comma within a URI is written %2C.
inline constexpr const char* nodes_variable = "REDLOCK_NODES";

// Throws failed(exit_code::usage), saying which node is wrong and never a password.
[[nodiscard]] std::vector<endpoint> node_list(const std::vector<std::string>& given);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_NODE_LIST_H
