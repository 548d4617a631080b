// Between fork() and exec() other threads' locks may be held for good, malloc's among them: all
// that happens there is in child_main(), which makes system calls only.

#include "spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>
#include <vector>

#include "descriptor.h"
#include "exit_code.h"
#include "signals.h"
#include "text.h"

namespace redlock::tool {
namespace {

// All that the child needs, ready to use.
struct image {
  const char* path;
  char* const* arguments;
  char* const* as_script;  // for /bin/sh, where the kernel knows no interpreter
  char* const* environment;
  const char* output;  // null: leave the standard descriptors as they are
  belonging own;
  int death_signal;
  bool ignore_hangup;
  pid_t parent;
  int report;  // where errno goes if all fails
};

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  // exec() takes char* for historical reasons and writes to none of them.
  for (const auto& s : strings) out.push_back(const_cast<char*>(s.c_str()));
  out.push_back(nullptr);
  return out;
}

void reset_signals(bool ignore_hangup) noexcept {
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  for (int s = 1; s <= SIGRTMAX; ++s) {
    if (s == SIGHUP && ignore_hangup) continue;
    ::sigaction(s, &by_default, nullptr);  // refused for SIGKILL and SIGSTOP, which have no other
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool redirect(const char* output) noexcept {
  const int in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = ::open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  return in >= 0 && out >= 0 && ::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
         ::dup2(out, STDERR_FILENO) >= 0;
}

[[noreturn]] void child_main(const image& i) noexcept {
  const bool placed = i.own == belonging::session ? ::setsid() >= 0 : ::setpgid(0, 0) == 0;
  bool ready = placed && (i.output == nullptr || redirect(i.output));
  if (i.death_signal != 0) {
    ready = ready && ::prctl(PR_SET_PDEATHSIG, i.death_signal) == 0;
    // The parent may have died before it was asked to tell.
    if (::getppid() != i.parent) ::_exit(exit_code::system);
  }
  if (ready) {
    reset_signals(i.ignore_hangup);
    ::execve(i.path, i.arguments, i.environment);
    if (errno == ENOEXEC) ::execve("/bin/sh", i.as_script, i.environment);
  }
  const int error = errno;
  // If this is not written, the parent takes the exit code below for the program's own.
  [[maybe_unused]] const ssize_t n = ::write(i.report, &error, sizeof error);
  ::_exit(exit_code::not_found);
}

// The child's errno, or 0 once its program runs.
int read_report(int fd) {
  int error = 0;
  ssize_t n = 0;
  do {
    n = ::read(fd, &error, sizeof error);
  } while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof error) ? error : 0;
}

}  // namespace

pid_t spawn(const program& what, const spawn_options& o) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw system_failure("pipe");
  const descriptor read_end(ends[0]);
  descriptor write_end(ends[1]);

  std::vector<std::string> script = what.arguments;
  script.front() = what.path;
  script.insert(script.begin(), "sh");
  const auto arguments = pointers(what.arguments);
  const auto as_script = pointers(script);
  const auto environment = pointers(what.environment);
  const image i{.path = what.path.c_str(),
                .arguments = arguments.data(),
                .as_script = as_script.data(),
                .environment = environment.data(),
                .output = o.output.empty() ? nullptr : o.output.c_str(),
                .own = o.own,
                .death_signal = o.death_signal,
                .ignore_hangup = is_ignored(SIGHUP),
                .parent = ::getpid(),
                .report = write_end.fd()};

  const pid_t child = ::fork();
  if (child < 0) throw system_failure("fork");
  if (child == 0) child_main(i);
  write_end.close();
  if (const int error = read_report(read_end.fd()); error != 0) {
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    const int code = error == ENOENT || error == ENOTDIR  ? exit_code::not_found
                     : error == EAGAIN || error == ENOMEM ? exit_code::system
                                                          : exit_code::not_executable;
    throw failed(code, fmt::format("cannot run {}: {}", printable(what.path),
                                   std::generic_category().message(error)));
  }
  return child;
}

}  // namespace redlock::tool
