// terminal: lends the controlling terminal to CMD, which runs in a process group of its own.
//
// The terminal stays ours, and its Ctrl-C comes to us and is passed on, until CMD wants to read
// from it or to change its modes: then the kernel stops CMD, and we lend it. So CMD gets each
// signal once, a pager behind us in a pipe keeps its terminal, and CMD may be an editor all the
// same.

#ifndef REDLOCK_TOOLS_TERMINAL_H
#define REDLOCK_TOOLS_TERMINAL_H

#include <sys/types.h>

#include "descriptor.h"

namespace redlock::tool {

// REQUIRES: SIGTTIN and SIGTTOU are blocked in every thread (signal_queue).
class terminal {
 public:
  terminal() = default;
  terminal(const terminal&) = delete;
  terminal& operator=(const terminal&) = delete;
  ~terminal();  // takes it back

  // Makes `group` the one that the terminal serves, if we are it now. If not, stops this process,
  // as the kernel would, until somebody (a shell's `fg`) brings us to the foreground. False if that
  // did not help, or there is no terminal.
  bool lend(pid_t group);

  [[nodiscard]] bool is_lent() const noexcept { return lent_to_ != 0; }

 private:
  descriptor tty_;
  pid_t lent_to_ = 0;
};

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_TERMINAL_H
