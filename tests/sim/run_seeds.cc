// Workers that take seeds in batches, each with counts of its own.

#include "sim/run_seeds.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace redlock::sim {
namespace {

constexpr std::uint64_t batch = 64;
constexpr std::size_t specimens_max = 10;

class runner {
 public:
  runner(seed_range range, const std::function<void(climate&)>& adapt)
      : range_(range), adapt_(adapt), next_(range.first) {}

  // Until no seed is left. Every worker counts for itself.
  void work() {
    coverage seen;
    for (;;) {
      const std::uint64_t from = next_.fetch_add(batch);
      if (from > range_.last || from < range_.first) break;
      const std::uint64_t to = std::min(range_.last, from + (batch - 1));
      for (std::uint64_t seed = from; seed <= to; ++seed) run(seed, seen);
      done_ += to - from + 1;
    }
    const std::lock_guard lock(mutex_);
    report_.seen += seen;
    --working_;
  }

  run_report run(unsigned jobs, const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    working_ = jobs;
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < jobs; ++i) workers.emplace_back([this] { work(); });
    while (working_ > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      progress(done_, violations_);
    }
    workers.clear();
    report_.violations = violations_;
    std::ranges::sort(report_.found, {}, &specimen::seed);
    return std::move(report_);
  }

 private:
  void run(std::uint64_t seed, coverage& seen) {
    climate c = climate::drawn(seed);
    adapt_(c);
    auto found = world(c, seed, seen).run();
    if (!found) return;
    ++violations_;
    const std::lock_guard lock(mutex_);
    if (report_.found.size() < specimens_max) {
      report_.found.push_back({c, seed, std::move(*found)});
    }
  }

  const seed_range range_;
  const std::function<void(climate&)>& adapt_;
  std::atomic<std::uint64_t> next_;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> violations_{0};
  std::atomic<unsigned> working_{0};
  std::mutex mutex_;
  run_report report_;
};

}  // namespace

run_report run_seeds(seed_range range, unsigned jobs, const std::function<void(climate&)>& adapt,
                     const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  return runner(range, adapt).run(std::max(jobs, 1U), progress);
}

}  // namespace redlock::sim
