// Everything a user of the library needs.

#ifndef REDLOCK_REDLOCK_H
#define REDLOCK_REDLOCK_H

#include "redlock/clock.h"
#include "redlock/failure.h"
#include "redlock/lease.h"
#include "redlock/lock_manager.h"
#include "redlock/mutex.h"
#include "redlock/operation.h"
#include "redlock/options.h"
#include "redlock/result.h"
#include "redlock/status.h"
#include "redlock/stop_slot.h"
#include "redlock/version.h"
#include "redlock/with.h"

#endif  // REDLOCK_REDLOCK_H
