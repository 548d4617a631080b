// client_plan: what a client process is to do, on its way through a command line.

#ifndef REDLOCK_FAULT_CLIENT_PLAN_H
#define REDLOCK_FAULT_CLIENT_PLAN_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "redlock/options.h"

namespace redlock::fault {

struct client_plan {
  std::string role = "wander";  // or "hold": takes resource 0 as soon as it can, and keeps it
  std::string ledger = {};      // the file
  std::size_t page = 0;         // and the page in it
  std::uint64_t seed = 0;
  std::uint32_t resources = 4;
  std::int64_t max_ttl_ms = 2000;
  std::int64_t node_timeout_ms = 100;
  bool restart_guard = true;
  bool clock_guard = true;
  std::vector<std::string> uris = {};

  [[nodiscard]] std::vector<std::string> words() const;
  // Throws std::invalid_argument or std::out_of_range for what words() did not make.
  [[nodiscard]] static client_plan of(std::span<const std::string> words);

  [[nodiscard]] redlock::options options() const;
};

// The name of a resource in the ledger.
[[nodiscard]] std::string resource_name(std::uint32_t number);

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_CLIENT_PLAN_H
