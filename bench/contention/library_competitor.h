// The library itself: one lock_manager for the threads of a process, which block in acquire().

#ifndef REDLOCK_BENCH_CONTENTION_LIBRARY_COMPETITOR_H
#define REDLOCK_BENCH_CONTENTION_LIBRARY_COMPETITOR_H

#include "bench/contention/arena.h"
#include "bench/contention/competitor.h"
#include "bench/contention/setting.h"
#include "tests/live/masters.h"

namespace redlock::bench {

// The arena must outlive what is made.
[[nodiscard]] competitor_maker library_competitors(const setting& s, const live::masters& nodes,
                                                   arena& notes);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_LIBRARY_COMPETITOR_H
