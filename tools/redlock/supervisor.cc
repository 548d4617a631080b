// Every wait is for a descriptor or for the moment of SIGKILL; nothing polls.

#include "supervisor.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>

#include "exit_code.h"
#include "text.h"

namespace redlock::tool {

supervisor::supervisor(pid_t command, signal_queue& signals, supervision how)
    : command_(command), signals_(signals), how_(std::move(how)) {}

int supervisor::wait() {
  for (;;) {
    ask();
    take_signals();
    reap();
    if (over()) return *status_;
    std::optional<std::chrono::nanoseconds> left;
    if (kill_at_ && !killed_) {
      left = *kill_at_ - clock::now();
      if (*left <= left->zero()) {
        send(SIGKILL);
        killed_ = true;
        continue;
      }
    }
    signals_.wait(had_to_end_ ? -1 : how_.wake, left);
  }
}

void supervisor::ask() {
  if (had_to_end_ || !how_.must_end()) return;
  had_to_end_ = true;
  begin_to_end(SIGTERM);
}

void supervisor::take_signals() {
  while (const auto signal = signals_.next()) {
    if (*signal == SIGCHLD) {
      how_.on_child();
    } else if (how_.signals_end_it && (*signal == SIGTERM || *signal == SIGHUP)) {
      begin_to_end(*signal);
    } else {
      send(*signal);
    }
  }
}

void supervisor::reap() {
  int state = 0;
  while (!status_ && ::waitpid(command_, &state, WNOHANG | WUNTRACED) > 0) {
    if (WIFEXITED(state)) status_ = WEXITSTATUS(state);
    if (WIFSIGNALED(state)) status_ = exit_code::signal_base + WTERMSIG(state);
    if (WIFSTOPPED(state)) on_stop(WSTOPSIG(state));
  }
  // Orphans of the group, which are ours since it is to end.
  while (status_ && ::waitpid(-command_, nullptr, WNOHANG) > 0) {
  }
}

void supervisor::on_stop(int signal) {
  const bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
  // A suspended CMD under a lock that goes on being renewed would look hung: it is not suspended.
  const bool suspended = signal == SIGTSTP && terminal_.is_lent();
  if (!suspended && !(wants_terminal && terminal_.lend(command_))) return;
  // We may have been stopped ourselves for long. Whoever must end is told so before it continues.
  ask();
  send(SIGCONT);
}

void supervisor::begin_to_end(int signal) {
  // From now on orphans of CMD become our children, whose end we are told.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  send(signal);
  send(SIGCONT);
  if (!kill_at_) kill_at_ = clock::now() + how_.kill_after;
}

void supervisor::send(int signal) {
  if (::kill(-command_, signal) == 0) return;
  // It may have left the group that it was started in.
  if (errno == ESRCH && (status_ || ::kill(command_, signal) == 0)) return;
  warn(fmt::format("cannot signal process {}: {}", command_,
                   std::generic_category().message(errno)));
}

bool supervisor::group_is_left() const { return ::kill(-command_, 0) == 0 || errno == EPERM; }

bool supervisor::over() const { return status_ && (!kill_at_ || killed_ || !group_is_left()); }

}  // namespace redlock::tool
