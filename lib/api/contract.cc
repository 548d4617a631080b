// How a broken requirement ends the process, and how a failure is thrown.

#include "redlock/contract.h"

#include <cstdio>
#include <cstdlib>

#include "redlock/failure.h"

namespace redlock::detail {

void broken(const char* what) noexcept {
  std::fprintf(stderr, "redlock: %s\n", what);
  std::abort();
}

void throw_lock_error(const failure& why) { throw lock_error(why); }

}  // namespace redlock::detail
