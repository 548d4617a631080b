// fork() without exec().

#include "bench/contention/child.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <system_error>

#include "tests/live/process.h"
#include "tests/live/sockets.h"

namespace redlock::bench {

child::child(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = live::checked(::fork(), "fork");
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before we asked
  try {
    body();
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

std::chrono::nanoseconds child::cpu_time() const {
  clockid_t clock{};
  timespec t{};
  const int error = ::clock_getcpuclockid(pid_, &clock);
  if (error != 0) throw std::system_error(error, std::generic_category(), "clock_getcpuclockid");
  live::checked(::clock_gettime(clock, &t), "clock_gettime");
  return std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec};
}

void child::stop() {
  live::checked(::kill(pid_, SIGSTOP), "SIGSTOP");
  live::wait_for(pid_, nullptr, WUNTRACED);
}

void child::cont() noexcept {
  if (runs()) ::kill(pid_, SIGCONT);
}

void child::kill() noexcept {
  if (!runs()) return;
  ::kill(pid_, SIGKILL);  // not yet reaped, so the pid is still its own
  live::wait_for(pid_, nullptr, 0);
  pid_ = -1;
}

bool child::ended() {
  int status = 0;
  if (!runs() || live::wait_for(pid_, &status, WNOHANG) != pid_) return !runs();
  failed_ = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  pid_ = -1;
  return true;
}

}  // namespace redlock::bench
