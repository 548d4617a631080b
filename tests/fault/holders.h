// holders: clients that take one lock as soon as they can, and keep it until their time is over.

#ifndef REDLOCK_FAULT_HOLDERS_H
#define REDLOCK_FAULT_HOLDERS_H

#include <cstdint>

#include "client.h"
#include "client_plan.h"
#include "live/eventually.h"
#include "live/masters.h"

namespace redlock::fault {

// The ttl, in milliseconds, is also the max_ttl. Both guards are on.
[[nodiscard]] inline client_plan holder(live::masters& nodes, std::int64_t ttl_ms) {
  client_plan plan{.role = "hold", .max_ttl_ms = ttl_ms, .node_timeout_ms = 2000};
  for (live::redis_server& node : nodes) plan.uris.push_back(node.uri());
  return plan;
}

[[nodiscard]] inline bool is_granted(const client& one) {
  return live::eventually([&] { return one.written().grants > 0; }, live::patience * 2);
}

// On every node, and the client knows: none of its commands is under way that could put the key
// there later.
[[nodiscard]] inline bool is_granted_everywhere(const client& one) {
  return live::eventually([&] { return one.written().complete > 0; }, live::patience * 2);
}

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_HOLDERS_H
