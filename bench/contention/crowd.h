// crowd: the processes that compete.

#ifndef REDLOCK_BENCH_CONTENTION_CROWD_H
#define REDLOCK_BENCH_CONTENTION_CROWD_H

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "bench/contention/arena.h"
#include "bench/contention/child.h"
#include "bench/contention/competitor.h"
#include "bench/contention/setting.h"
#include "bench/contention/signal_pipe.h"

namespace redlock::bench {

// Each process makes its competitor, and its threads acquire, hold and release until the end.
// Thread safety: one thread at a time. What goes wrong in a process is a complaint in the arena.
class crowd {
 public:
  // Returns once all are connected. Throws std::runtime_error if that takes too long.
  crowd(const setting& s, arena& notes, const competitor_maker& make);
  crowd(const crowd&) = delete;
  crowd& operator=(const crowd&) = delete;
  ~crowd() = default;  // kills what has not ended

  void start() noexcept { start_.close_writer(); }  // all at once
  void end();  // lets them end, and waits for it. Throws std::runtime_error if one ended badly

  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  child& operator[](std::size_t process) { return members_[process]; }

  // None of those that were killed.
  [[nodiscard]] std::vector<std::optional<nanoseconds>> cpu_times() const;

 private:
  void live_as(std::size_t process, const competitor_maker& make);
  void compete(competitor& way, std::size_t process, std::size_t thread) noexcept;
  void await_ready();

  const setting setting_;
  arena& notes_;
  signal_pipe ready_;
  signal_pipe start_;
  signal_pipe end_;
  std::vector<child> members_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_CROWD_H
