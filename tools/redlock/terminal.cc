// Job control, as far as one child needs it.

#include "terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace redlock::tool {
namespace {

// Stops our process group until somebody continues it, as reading from the background would:
// whoever started us, a script perhaps, must stop with us for its own parent to notice. All other
// threads have the signal blocked, so kill() returns after the stop. An orphaned group is not
// stopped.
void ask_for_foreground() noexcept {
  sigset_t ttin;
  sigset_t before;
  sigemptyset(&ttin);
  sigaddset(&ttin, SIGTTIN);
  ::pthread_sigmask(SIG_UNBLOCK, &ttin, &before);
  ::kill(0, SIGTTIN);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

terminal::~terminal() {
  // Only from whom we lent it to: somebody else may have taken it meanwhile.
  if (is_lent() && ::tcgetpgrp(tty_.fd()) == lent_to_) ::tcsetpgrp(tty_.fd(), ::getpgrp());
}

bool terminal::lend(pid_t group) {
  if (!tty_) tty_ = descriptor(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!tty_) return false;
  const auto serves = [this](pid_t whom) { return ::tcgetpgrp(tty_.fd()) == whom; };
  if (serves(group)) return true;
  if (!serves(::getpgrp())) ask_for_foreground();
  if (!serves(::getpgrp()) || ::tcsetpgrp(tty_.fd(), group) != 0) return false;
  lent_to_ = group;
  return true;
}

}  // namespace redlock::tool
