// Chains of callbacks, and threads.

#include "bench/redlock_client.h"

#include <atomic>
#include <deque>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/live/masters.h"

namespace redlock::bench {
namespace {

void await_all_up(const lock_manager& locks) {
  if (!live::all_up(locks)) throw std::runtime_error("not all nodes come up");
}

// What the chains of one run share. All callbacks are on one thread, so only the end is atomic.
struct race {
  lock_manager& locks;
  std::size_t to_start;
  std::size_t under_way;
  std::vector<sample>& out;
  std::string error;
  std::atomic<bool> over = false;

  void end_one() {
    if (--under_way > 0) return;
    over = true;
    over.notify_one();
  }
};

class chain {
 public:
  chain(race& r, std::size_t which) : race_(r), resource_("callback/" + std::to_string(which)) {}

  void acquire() {
    start_ = stopwatch::now();
    race_.locks.acquire_async(resource_).then(
        [this](result<lease> r) noexcept { on_acquired(std::move(r)); });
  }

 private:
  void on_acquired(result<lease> r) {
    if (!r) return fail(r.error());
    acquired_ = stopwatch::now() - start_;
    lease_ = std::move(*r);
    lease_.release_async().then([this](const result<void>& done) noexcept { on_released(done); });
  }

  void on_released(const result<void>& r) {
    if (!r) return fail(r.error());
    race_.out.push_back({acquired_, stopwatch::now() - start_});
    if (race_.to_start == 0) return race_.end_one();
    --race_.to_start;
    acquire();
  }

  void fail(const failure& why) {
    race_.error = why.message();
    race_.end_one();
  }

  race& race_;
  const std::string resource_;
  lease lease_;
  stopwatch::time_point start_{};
  nanoseconds acquired_{0};
};

}  // namespace

callback_client::callback_client(options o) : locks_(std::move(o)) { await_all_up(locks_); }

void callback_client::run(std::size_t pairs, std::size_t in_flight, std::vector<sample>& out) {
  const std::size_t chains = std::min(in_flight, pairs);
  race r{.locks = locks_, .to_start = pairs - chains, .under_way = chains, .out = out, .error = {}};
  std::deque<chain> running;
  for (std::size_t i = 0; i < chains; ++i) running.emplace_back(r, i);
  for (chain& c : running) c.acquire();
  r.over.wait(false);
  if (!r.error.empty()) throw std::runtime_error(r.error);
}

blocking_client::blocking_client(options o) : locks_(std::move(o)) { await_all_up(locks_); }

void blocking_client::run(std::size_t pairs, std::size_t in_flight, std::vector<sample>& out) {
  std::vector<std::vector<sample>> notes(in_flight);
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < in_flight; ++i) {
    threads.emplace_back([&, i] { run_here(pairs / in_flight, i, notes[i]); });
  }
  run_here(pairs / in_flight, 0, notes[0]);
  threads.clear();
  for (const auto& n : notes) out.insert(out.end(), n.begin(), n.end());
}

void blocking_client::run_here(std::size_t pairs, std::size_t which, std::vector<sample>& out) {
  const std::string resource = "blocking/" + std::to_string(which);
  for (; pairs > 0; --pairs) {
    const auto start = stopwatch::now();
    result<lease> held = locks_.acquire(resource);
    if (!held) throw std::runtime_error(held.error().message());
    const nanoseconds acquired = stopwatch::now() - start;
    const result<void> released = held->release();
    if (!released) throw std::runtime_error(released.error().message());
    out.push_back({acquired, stopwatch::now() - start});
  }
}

}  // namespace redlock::bench
