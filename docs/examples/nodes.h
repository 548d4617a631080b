// Where the examples find their nodes: REDLOCK_NODES, URIs separated by commas.

#ifndef REDLOCK_EXAMPLES_NODES_H
#define REDLOCK_EXAMPLES_NODES_H

#include <redlock/redlock.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>

// Throws redlock::lock_error if a URI is none. Without any node, lock_manager's constructor does.
inline redlock::options options_from_environment() {
  redlock::options o;
  const char* nodes = std::getenv("REDLOCK_NODES");
  std::istringstream list(nodes != nullptr ? nodes : "");
  for (std::string uri; std::getline(list, uri, ',');) o.nodes.emplace_back(uri);
  return o;
}

#endif  // REDLOCK_EXAMPLES_NODES_H
