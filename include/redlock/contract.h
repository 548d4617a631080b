// What happens where a requirement of this library is not met, and where a failure becomes an
// exception. Out of line, so that the headers also compile without exceptions.

#ifndef REDLOCK_CONTRACT_H
#define REDLOCK_CONTRACT_H

#include "redlock/export.h"

namespace redlock {

class failure;

namespace detail {

// Writes "redlock: <what>" to standard error and aborts, in release builds too: a program that goes
// on after one of its assumptions proved wrong could let two holders in.
[[noreturn]] REDLOCK_API void broken(const char* what) noexcept;

// Throws lock_error.
[[noreturn]] REDLOCK_API void throw_lock_error(const failure& why);

}  // namespace detail
}  // namespace redlock

#endif  // REDLOCK_CONTRACT_H
