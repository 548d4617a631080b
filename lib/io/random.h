// Randomness from the operating system (rule T1).

#ifndef REDLOCK_LIB_IO_RANDOM_H
#define REDLOCK_LIB_IO_RANDOM_H

#include <sys/random.h>

#include "core/types.h"

namespace redlock::io {

// Drawn anew for every operation: a generator with a state would give a forked child the tokens of
// its parent.
[[nodiscard]] inline core::base draw_base() noexcept {
  core::base b{};
  // Up to 256 bytes come whole and without failure once the system is up.
  core::check(::getrandom(b.data(), sizeof b, 0) == static_cast<ssize_t>(sizeof b));
  return b;
}

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_RANDOM_H
