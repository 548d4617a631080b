// vitals: what the system says that a process uses.

#ifndef REDLOCK_FAULT_VITALS_H
#define REDLOCK_FAULT_VITALS_H

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace redlock::fault {

struct vitals {
  std::int64_t memory_kb = 0;    // its own: no files, nothing shared
  std::int64_t descriptors = 0;  // open
  std::int64_t threads = 0;
  std::chrono::milliseconds cpu{0};  // used so far
};

// Nothing if the process has ended.
[[nodiscard]] std::optional<vitals> vitals_of(pid_t pid);

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_VITALS_H
