// settings: options, checked and completed; what every part of the driver works by.

#ifndef REDLOCK_LIB_IO_SETTINGS_H
#define REDLOCK_LIB_IO_SETTINGS_H

#include <functional>
#include <string>
#include <vector>

#include "core/guard.h"
#include "redlock/options.h"

namespace redlock::io {

struct settings {
  std::vector<endpoint> nodes;
  std::size_t quorum = 1;
  core::nanoseconds node_timeout{0};
  core::nanoseconds connect_timeout{0};
  core::nanoseconds hung_timeout{0};
  std::size_t max_leases = 0;
  bool fairness = true;
  bool wakeups = true;
  core::milliseconds max_ttl{0};
  core::guard_terms guard;
  std::string key_prefix;
  std::string client_name;      // in tokens
  std::string connection_name;  // the same, as CLIENT SETNAME takes it
  std::function<redlock::credentials(const endpoint&)> credentials;  // may block; may be none
  uv_loop_s* loop = nullptr;  // the user's; null: one of our own
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_SETTINGS_H
