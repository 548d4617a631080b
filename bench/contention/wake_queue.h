// wake_queue: a process that knows in which order others wait, and wakes one of them at a time, by
// a byte on a pipe.

#ifndef REDLOCK_BENCH_CONTENTION_WAKE_QUEUE_H
#define REDLOCK_BENCH_CONTENTION_WAKE_QUEUE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bench/contention/child.h"
#include "bench/contention/signal_pipe.h"

namespace redlock::bench {

// Made before the processes that wait are forked, and outlives them. First in, first out. Thread
// and process safety: all but making and destroying, each waiter for itself.
class wake_queue {
 public:
  explicit wake_queue(std::size_t waiters);

  [[nodiscard]] bool wait(std::size_t waiter) const;  // for the turn; false: send_away() was called
  void pass_on() const;                               // whoever's turn it was
  void send_away(std::size_t waiter) const;           // now, or when it waits again

 private:
  struct request {
    enum class kind : std::uint32_t { wait, pass_on } what;
    std::uint32_t waiter;
  };
  void coordinate();

  signal_pipe requests_;
  std::vector<signal_pipe> wakes_;  // of each waiter
  std::optional<child> coordinator_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_WAKE_QUEUE_H
