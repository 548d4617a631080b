// trouble: what goes wrong in the middle of a measurement, by signals.

#ifndef REDLOCK_BENCH_CONTENTION_TROUBLE_H
#define REDLOCK_BENCH_CONTENTION_TROUBLE_H

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/contention/arena.h"
#include "bench/contention/crowd.h"
#include "bench/contention/setting.h"
#include "tests/live/masters.h"

namespace redlock::bench {

// Thread safety: one thread at a time. What it is given must outlive it.
class trouble {
 public:
  trouble(const setting& s, live::masters& nodes, crowd& all, const arena& notes);

  void strike();  // the setting's fault. Throws std::runtime_error if there is no victim
  void heal();    // a lead goes on, or is started again; harmless otherwise

  struct victim {
    std::size_t process;
    nanoseconds dead_at;  // from then on it did nothing
  };
  [[nodiscard]] std::optional<victim> dead() const noexcept { return dead_; }

 private:
  [[nodiscard]] std::size_t lead();
  [[nodiscard]] std::vector<std::size_t> waiting_only() const;  // the longest first
  [[nodiscard]] nanoseconds holding_since(std::size_t process) const;
  [[nodiscard]] nanoseconds waiting_since(std::size_t process) const;
  [[nodiscard]] bool kill_a_holder();
  [[nodiscard]] bool kill_who_waits();
  void kill(std::size_t process);

  const setting setting_;
  live::masters& nodes_;
  crowd& all_;
  const arena& notes_;
  std::optional<std::size_t> harmed_;  // node
  std::optional<victim> dead_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_TROUBLE_H
