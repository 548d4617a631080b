// look: what can be seen of a crowd and of the nodes while it competes. Two of them make the
// measured time.

#ifndef REDLOCK_BENCH_CONTENTION_LOOK_H
#define REDLOCK_BENCH_CONTENTION_LOOK_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/contention/arena.h"
#include "bench/contention/crowd.h"
#include "tests/live/masters.h"

namespace redlock::bench {

// Which commands count: those that clients send to lock and unlock. What a script calls is counted
// by the servers as well, so it must be none of these.
enum class counted : bool { scripts, scripts_and_set };

// So many calls of them so far, on each node; nothing of one that does not answer.
[[nodiscard]] std::vector<std::optional<std::uint64_t>> calls(live::masters& nodes, counted which);

struct look {
  nanoseconds at{0};
  std::vector<std::optional<std::uint64_t>> calls;  // of each node
  std::vector<std::optional<nanoseconds>> cpu;      // of each process that lives
  std::vector<nanoseconds> waiting;                 // of each waiter, for how long so far
};

[[nodiscard]] look take_look(live::masters& nodes, counted which, const crowd& all,
                             std::size_t waiters, const arena& notes);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_LOOK_H
