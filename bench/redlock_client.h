// The library itself, by callbacks and by threads that block.

#ifndef REDLOCK_BENCH_REDLOCK_CLIENT_H
#define REDLOCK_BENCH_REDLOCK_CLIENT_H

#include "bench/contestant.h"
#include "redlock/redlock.h"

namespace redlock::bench {

// Every acquire starts in the callback of the release before it. in_flight: so many such chains.
class callback_client final : public contestant {
 public:
  explicit callback_client(options o);  // waits until all nodes are up
  void run(std::size_t pairs, std::size_t in_flight, std::vector<sample>& out) override;

 private:
  lock_manager locks_;
};

// in_flight: so many threads, which start together; one is the caller's own.
class blocking_client final : public contestant {
 public:
  explicit blocking_client(options o);  // waits until all nodes are up
  void run(std::size_t pairs, std::size_t in_flight, std::vector<sample>& out) override;

 private:
  void run_here(std::size_t pairs, std::size_t which, std::vector<sample>& out);

  lock_manager locks_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_REDLOCK_CLIENT_H
