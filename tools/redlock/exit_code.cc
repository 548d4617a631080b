// Which exit code stands for which failure. Prints nothing and ends nothing.

#include "exit_code.h"

#include <cerrno>
#include <system_error>

namespace redlock::tool {

failed system_failure(const std::string& what) {
  return {exit_code::system, what + ": " + std::generic_category().message(errno)};
}

int exit_code_of(errc code) noexcept {
  switch (code) {
    case errc::held_by_other:
      return exit_code::not_acquired;
    case errc::no_quorum:
    case errc::too_slow:
    case errc::overloaded:
      return exit_code::unavailable;
    case errc::lost:
    case errc::not_held:
      return exit_code::lost;
    case errc::invalid_argument:
      return exit_code::usage;
    case errc::bad_configuration:
      return exit_code::misconfigured;
    case errc::cancelled:
    case errc::shut_down:
    case errc::would_deadlock:
      break;
  }
  return exit_code::internal;
}

}  // namespace redlock::tool
