// Waiting for a lock while heeding signals: what `run` and `acquire` have in common.

#ifndef REDLOCK_TOOLS_WAITING_H
#define REDLOCK_TOOLS_WAITING_H

#include <string>
#include <variant>

#include "redlock/lock_manager.h"
#include "signals.h"

namespace redlock::tool {

// The signal that ended the waiting for the lock.
struct interrupted {
  int signal;
};

[[nodiscard]] std::variant<interrupted, result<lease>> wait_for_lock(lock_manager& locks,
                                                                     const std::string& resource,
                                                                     lock_options o,
                                                                     signal_queue& signals);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_WAITING_H
