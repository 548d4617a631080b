// setting: what one measurement of contention is about: who competes, for how long each of them
// holds the key, on how many nodes, and what goes wrong meanwhile.

#ifndef REDLOCK_BENCH_CONTENTION_SETTING_H
#define REDLOCK_BENCH_CONTENTION_SETTING_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "redlock/options.h"

namespace redlock::bench {

using std::chrono::nanoseconds;

enum class fault : std::uint8_t {
  none,
  stop_lead,    // SIGSTOP to the lead, the node that most commands go to
  kill_lead,    // SIGKILL to it
  kill_head,    // SIGKILL to the process that has waited longest, the head of a fair queue
  kill_waiter,  // SIGKILL to any process that waits
  kill_holder,  // SIGKILL to the one that holds the key
};

// Limits, for the command line.
inline constexpr std::size_t processes_max = 256;
inline constexpr std::size_t threads_max = 64;
inline constexpr std::size_t runs_max = 99;
inline constexpr nanoseconds measured_max = std::chrono::minutes{1};

struct setting {
  std::size_t processes = 8;
  std::size_t threads = 1;  // in each process, all of which wait
  std::size_t nodes = 5;
  nanoseconds hold = std::chrono::milliseconds{5};
  nanoseconds pause{0};  // from a release to the next acquire of the same thread
  nanoseconds ttl = std::chrono::seconds{10};
  retry_policy policy = retry_policy::hybrid;
  bool fairness = true;
  bool wakeups = true;

  nanoseconds warm_up = std::chrono::milliseconds{300};  // not counted
  nanoseconds measured = std::chrono::seconds{2};
  std::size_t runs = 3;

  // Strikes when a third of the measured time is over. With one, only the library is measured.
  bench::fault fault = bench::fault::none;
  nanoseconds fault_lasts{0};            // of the lead; 0: to the end
  std::optional<std::size_t> lead = {};  // which node it is; none: the busiest

  [[nodiscard]] std::size_t waiters() const noexcept { return processes * threads; }
};

// For people: "8 processes, 5 nodes, hold 5 ms, hybrid, fair".
[[nodiscard]] std::string description(const setting& s);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_SETTING_H
