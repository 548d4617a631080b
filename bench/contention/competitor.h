// competitor: one way in which a process and its threads compete for one key.

#ifndef REDLOCK_BENCH_CONTENTION_COMPETITOR_H
#define REDLOCK_BENCH_CONTENTION_COMPETITOR_H

#include <cstddef>
#include <functional>
#include <memory>

namespace redlock::bench {

class competitor {
 public:
  virtual ~competitor() = default;

  // Called in turns by each thread of the process, which has a number of its own. Both throw
  // std::runtime_error if the measurement makes no sense any more.
  virtual bool acquire(std::size_t thread) = 0;  // waits for the key; false: it is the end
  virtual void release(std::size_t thread) = 0;

  // From now on acquire() gives false, also to threads that are waiting in it. On any thread.
  virtual void end() = 0;
};

// Makes the competitor of a process, in that process; returns once it is connected.
using competitor_maker = std::function<std::unique_ptr<competitor>(std::size_t process)>;

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_COMPETITOR_H
