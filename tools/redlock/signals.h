// The signals that the tool takes as messages instead of dying of them.

#ifndef REDLOCK_TOOLS_SIGNALS_H
#define REDLOCK_TOOLS_SIGNALS_H

#include <chrono>
#include <optional>

#include "descriptor.h"

namespace redlock::tool {

// From its construction on, SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD are read here, by the one
// thread that asks. SIGTSTP, SIGTTIN, SIGTTOU and SIGPIPE are held back: a tool that is suspended
// renews no lock and stops no server, and one that dies of a closed pipe cleans up nothing.
//
// What was ignored when the tool was started stays ignored: SIGHUP altogether (nohup), SIGINT and
// SIGQUIT when they come from the terminal (a shell's background job); a kill(1) is meant for us.
//
// REQUIRES: made on the main thread before any other thread is started, once per process.
class signal_queue {
 public:
  signal_queue();

  // Readable when next() has something.
  [[nodiscard]] int fd() const noexcept { return fd_.fd(); }

  // The next signal that arrived, if any. Never blocks.
  [[nodiscard]] std::optional<int> next();

  // Waits until a signal arrives, `other` (if not -1) is readable, or the time is over.
  void wait(int other, std::optional<std::chrono::nanoseconds> at_most) const;

 private:
  descriptor fd_;
  bool interrupt_ignored_;
  bool quit_ignored_;
};

// Whether the disposition of `signal` is to ignore it.
[[nodiscard]] bool is_ignored(int signal) noexcept;

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_SIGNALS_H
