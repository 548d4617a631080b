// wake_one: the least that handing a lock over to another process can cost: a central queue wakes
// just the next one, which writes SET NX once to each node and counts to a majority; a release
// writes a compare-and-delete to each node and waits for nothing. Bare sockets, no deadlines, no
// renewal, nothing survives a fault.

#ifndef REDLOCK_BENCH_CONTENTION_WAKE_ONE_H
#define REDLOCK_BENCH_CONTENTION_WAKE_ONE_H

#include "bench/contention/arena.h"
#include "bench/contention/competitor.h"
#include "bench/contention/setting.h"
#include "bench/contention/wake_queue.h"
#include "tests/live/masters.h"

namespace redlock::bench {

// The queue and the arena must outlive what is made. Loads its script into the nodes.
[[nodiscard]] competitor_maker wake_one_competitors(const setting& s, live::masters& nodes,
                                                    const wake_queue& queue, arena& notes);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_WAKE_ONE_H
