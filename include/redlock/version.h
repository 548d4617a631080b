// The version of these headers, and of the library that is linked.

#ifndef REDLOCK_VERSION_H
#define REDLOCK_VERSION_H

#include "redlock/export.h"

#define REDLOCK_VERSION "0.1.0"

namespace redlock {

// The linked library's own REDLOCK_VERSION. Thread safety: any thread.
REDLOCK_API const char* version() noexcept;

}  // namespace redlock

#endif  // REDLOCK_VERSION_H
