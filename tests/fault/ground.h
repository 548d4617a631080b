// ground: what a storm rages over. Servers, paths to them, and clients.

#ifndef REDLOCK_FAULT_GROUND_H
#define REDLOCK_FAULT_GROUND_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "client_plan.h"
#include "crowd.h"
#include "live/masters.h"
#include "live/paths.h"
#include "redlock/clock.h"
#include "stepped.h"

namespace redlock::fault {

inline constexpr std::size_t nodes_count = 5;
inline constexpr std::size_t durable_from = 3;  // nodes from this one on keep their data
inline constexpr std::size_t groups_count = 2;  // of clients; each has paths of its own
inline constexpr std::size_t clients_count = 8;

// Clients go to the nodes through proxies, so that one group may be cut off from a node that the
// other one sees. Thread safety: one thread, which must outlive it.
struct ground {
  explicit ground(client_plan plan);

  live::proxy& path(std::size_t place) { return paths[place / nodes_count][place % nodes_count]; }

  live::masters nodes;
  std::deque<live::paths> paths;
  crowd clients;

  // What the bench itself did to a node, for those who judge what they see there.
  struct history {
    std::chrono::milliseconds set_back{0};  // its clock, in all: keys live longer by that
    clock::time_point emptied{};            // when last
  };
  std::array<history, nodes_count> past;
};

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_GROUND_H
