// supervisor: stands by CMD until it ends, passes signals on to it, and can bring it to an end.
// Knows neither locks nor servers.

#ifndef REDLOCK_TOOLS_SUPERVISOR_H
#define REDLOCK_TOOLS_SUPERVISOR_H

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>

#include "signals.h"
#include "terminal.h"

namespace redlock::tool {

struct supervision {
  // Readable when must_end may have become true; -1: nothing to wait for.
  int wake = -1;
  // Asked until it says yes; then CMD is ended.
  std::function<bool()> must_end = [] { return false; };
  // Called when any child of ours has changed its state.
  std::function<void()> on_child = [] {};
  // Whether SIGTERM and SIGHUP, once passed on, leave CMD only kill_after to live.
  bool signals_end_it = false;
  // From the signal that should end CMD to SIGKILL.
  std::chrono::nanoseconds kill_after{0};
};

// Not thread-safe; the main thread's.
//
//              must_end, or a signal that ends it       kill_after
//   running -------------------------------------> ending --------> killed
//      |  CMD ended           CMD and its group ended |               | CMD ended
//      +-----------------------------> over <---------+---------------+
class supervisor {
 public:
  // `command` leads a process group of its own.
  supervisor(pid_t command, signal_queue& signals, supervision how);

  // Waits until CMD has ended, and gives the exit code that stands for how: its own, or 128 + n.
  // When it was being ended, what is left of its process group has ended too, or was killed.
  int wait();

  // Whether must_end said yes before CMD's end was seen.
  [[nodiscard]] bool had_to_end() const noexcept { return had_to_end_; }

 private:
  using clock = std::chrono::steady_clock;

  void ask();
  void take_signals();
  void reap();
  void on_stop(int signal);
  void begin_to_end(int signal);
  void send(int signal);
  [[nodiscard]] bool group_is_left() const;
  [[nodiscard]] bool over() const;

  const pid_t command_;
  signal_queue& signals_;
  const supervision how_;
  terminal terminal_;
  std::optional<int> status_;                 // once CMD has ended
  std::optional<clock::time_point> kill_at_;  // once it is to end
  bool had_to_end_ = false;
  bool killed_ = false;
};

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_SUPERVISOR_H
