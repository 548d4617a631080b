// check: an invariant that must hold in release builds too. A lock that continues after one is
// broken could let two holders in; ending the process cannot.

#ifndef REDLOCK_LIB_CORE_CHECK_H
#define REDLOCK_LIB_CORE_CHECK_H

#include <cstdlib>

namespace redlock::core {

constexpr void check(bool holds) noexcept {
  if (!holds) [[unlikely]] {
    std::abort();
  }
}

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_CHECK_H
