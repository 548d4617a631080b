// Signals read from a signalfd. No handler is ever installed.

#include "signals.h"

#include <poll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <limits>

namespace redlock::tool {

bool is_ignored(int signal) noexcept {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
         now.sa_handler == SIG_IGN;
}

signal_queue::signal_queue()
    : interrupt_ignored_(is_ignored(SIGINT)), quit_ignored_(is_ignored(SIGQUIT)) {
  // Ignored, it would make children vanish without a status.
  if (is_ignored(SIGCHLD)) std::signal(SIGCHLD, SIG_DFL);

  sigset_t read_here;
  sigemptyset(&read_here);
  for (const int s : {SIGINT, SIGTERM, SIGQUIT, SIGCHLD}) sigaddset(&read_here, s);
  if (!is_ignored(SIGHUP)) sigaddset(&read_here, SIGHUP);

  sigset_t blocked = read_here;
  for (const int s : {SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE}) sigaddset(&blocked, s);
  if (const int rc = ::pthread_sigmask(SIG_BLOCK, &blocked, nullptr); rc != 0) {
    errno = rc;
    throw system_failure("pthread_sigmask");
  }
  fd_ = descriptor(::signalfd(-1, &read_here, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd_) throw system_failure("signalfd");
}

std::optional<int> signal_queue::next() {
  signalfd_siginfo info{};
  while (::read(fd_.fd(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const int signal = static_cast<int>(info.ssi_signo);
    const bool from_terminal = info.ssi_code == SI_KERNEL;
    const bool ignored =
        (signal == SIGINT && interrupt_ignored_) || (signal == SIGQUIT && quit_ignored_);
    if (!(from_terminal && ignored)) return signal;
  }
  return std::nullopt;
}

void signal_queue::wait(int other, std::optional<std::chrono::nanoseconds> at_most) const {
  int timeout = -1;
  if (at_most) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(*at_most).count();
    const auto longest = decltype(ms){std::numeric_limits<int>::max()};
    timeout = static_cast<int>(std::clamp<decltype(ms + 0)>(ms, 0, longest));
  }
  // poll() passes over a descriptor of -1.
  std::array<pollfd, 2> both{{{fd_.fd(), POLLIN, 0}, {other, POLLIN, 0}}};
  if (::poll(both.data(), both.size(), timeout) < 0 && errno != EINTR) throw system_failure("poll");
}

}  // namespace redlock::tool
