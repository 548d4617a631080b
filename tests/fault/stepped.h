// Servers whose wall clock can be stepped: redis_server::step_clock().

#ifndef REDLOCK_FAULT_STEPPED_H
#define REDLOCK_FAULT_STEPPED_H

#include <utility>

#include "live/redis_server.h"

namespace redlock::fault {

// The same server with the clock shim of this build.
[[nodiscard]] inline live::server_options stepped(live::server_options o = {}) {
  o.clock_shim = REDLOCK_FAULT_CLOCK_SHIM;
  return o;
}

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_STEPPED_H
