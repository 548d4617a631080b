// cluster: the masters that are measured against, and where they and we run.

#ifndef REDLOCK_BENCH_CLUSTER_H
#define REDLOCK_BENCH_CLUSTER_H

#include <sched.h>

#include <cstddef>
#include <memory>

#include "tests/live/masters.h"

namespace redlock::bench {

// Where the threads run: anywhere, or ours all on one CPU and the servers on the others.
enum class placement : bool { unpinned, pinned };

// While it lives, threads and servers that this thread starts are where `placement` says: servers
// made by the constructor, threads from then on. With a single CPU all are on it.
class cluster {
 public:
  cluster(std::size_t n, placement p);
  cluster(const cluster&) = delete;
  cluster& operator=(const cluster&) = delete;
  ~cluster();

  [[nodiscard]] live::masters& nodes() noexcept { return *nodes_; }
  [[nodiscard]] std::size_t quorum() const noexcept { return nodes_->size() / 2 + 1; }

 private:
  cpu_set_t before_{};
  std::unique_ptr<live::masters> nodes_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CLUSTER_H
