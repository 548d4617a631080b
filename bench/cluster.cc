// Affinities.

#include "bench/cluster.h"

#include "tests/live/sockets.h"

namespace redlock::bench {
namespace {

void run_on(const cpu_set_t& cpus) {
  live::checked(::sched_setaffinity(0, sizeof cpus, &cpus), "sched_setaffinity");
}

}  // namespace

cluster::cluster(std::size_t n, placement p) {
  live::checked(::sched_getaffinity(0, sizeof before_, &before_), "sched_getaffinity");
  cpu_set_t ours = before_;
  cpu_set_t theirs = before_;
  if (p == placement::pinned && CPU_COUNT(&before_) > 1) {
    int first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    CPU_ZERO(&ours);
    CPU_SET(first, &ours);
    CPU_CLR(first, &theirs);
  }
  run_on(theirs);  // children inherit it
  nodes_ = std::make_unique<live::masters>(n);
  run_on(ours);
}

cluster::~cluster() { static_cast<void>(::sched_setaffinity(0, sizeof before_, &before_)); }

}  // namespace redlock::bench
