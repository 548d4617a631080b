// The version that was linked.

#include "redlock/version.h"

namespace redlock {

const char* version() noexcept { return REDLOCK_VERSION; }

}  // namespace redlock
