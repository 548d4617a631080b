// The public API.

#include "bench/contention/library_competitor.h"

#include <algorithm>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "redlock/redlock.h"
#include "tests/live/eventually.h"

namespace redlock::bench {
namespace {

// With the library's own time-outs, since these are what it lives with a fault by.
options manager_options(const setting& s, std::vector<endpoint> nodes) {
  options o;
  o.nodes = std::move(nodes);
  o.fairness = s.fairness;
  o.wakeups = s.wakeups;
  o.max_ttl = s.ttl;
  // The servers have just been started, and only such a one is started again.
  o.restart_guard = s.fault == fault::kill_lead;
  return o;
}

bool all_vote(const lock_manager& locks) {
  return live::eventually([&] {
    const std::vector<node_status> nodes = locks.nodes();
    return std::all_of(nodes.begin(), nodes.end(), [](const node_status& n) {
      return n.state == node_state::up && n.guard == node_guard::none;
    });
  });
}

class library_competitor final : public competitor {
 public:
  library_competitor(options o, const setting& s, arena& notes)
      : locks_(std::move(o)), leases_(s.threads), notes_(notes) {
    if (!all_vote(locks_)) throw std::runtime_error("not all nodes come up");
    how_.ttl = s.ttl;
    how_.wait = wait_forever;
    how_.policy = s.policy;
    how_.stop = end_.get_token();
  }

  bool acquire(std::size_t thread) override {
    for (;;) {
      result<lease> got = locks_.acquire("contention", how_);
      if (got) {
        leases_[thread] = std::move(*got);
        return true;
      }
      if (end_.stop_requested()) return false;
      // One that spins gives up after a while, and begins anew: that is how long it waits.
      if (got.error().code() == errc::held_by_other) continue;
      notes_.count_failure();
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  void release(std::size_t thread) override {
    if (!leases_[thread].held()) throw std::runtime_error("a lease was lost while it was held");
    if (!leases_[thread].release()) notes_.count_failure();
  }

  void end() override { end_.request_stop(); }

 private:
  std::stop_source end_;
  lock_manager locks_;
  lock_options how_;
  std::vector<lease> leases_;
  arena& notes_;
};

}  // namespace

competitor_maker library_competitors(const setting& s, const live::masters& nodes, arena& notes) {
  const options o = manager_options(s, nodes.endpoints());
  return [o, s, &notes](std::size_t /*process*/) {
    return std::make_unique<library_competitor>(o, s, notes);
  };
}

}  // namespace redlock::bench
