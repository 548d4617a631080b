#include "process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "sockets.h"

namespace redlock::live {
namespace {

// Between fork() and exec() of a process with threads, only async-signal-safe calls are allowed.
[[noreturn]] void become(char* const* argv, char* const* environment, const process_options& o,
                         int nowhere, pid_t parent) {
  if (o.dies_with_us) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died before we asked
  }
  const int output = o.output >= 0 ? o.output : nowhere;
  ::dup2(o.input >= 0 ? o.input : nowhere, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::execvpe(argv[0], argv, environment);
  ::_exit(127);
}

// Ends with a null pointer, as exec() wants it.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int exit_code(int status) noexcept {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

pid_t wait_for(pid_t pid, int* status, int flags) noexcept {
  pid_t changed = -1;
  do {
    changed = ::waitpid(pid, status, flags);
  } while (changed < 0 && errno == EINTR);
  return changed;
}

process::process(const std::vector<std::string>& argv, process_options o) {
  std::vector<std::string> words = argv;
  const std::vector<char*> arguments = pointers_to(words);
  std::vector<char*> environment = pointers_to(o.environment);
  for (char** ours = environ; *ours != nullptr; ++ours)
    environment.insert(environment.end() - 1, *ours);

  const descriptor nowhere(checked(::open("/dev/null", O_RDWR | O_CLOEXEC), "/dev/null"));
  const pid_t parent = ::getpid();
  pid_ = checked(::fork(), "fork");
  if (pid_ == 0) become(arguments.data(), environment.data(), o, nowhere.get(), parent);
}

process::~process() { kill(); }

bool process::ended() {
  if (status_) return true;
  int status = 0;
  if (wait_for(pid_, &status, WNOHANG) == pid_) status_ = exit_code(status);
  return status_.has_value();
}

void process::kill() noexcept {
  if (status_) return;
  ::kill(pid_, SIGKILL);  // not yet reaped, so the pid is still its own
  int status = 0;
  wait_for(pid_, &status, 0);
  status_ = exit_code(status);
  stopped_ = false;
}

void process::stop() {
  if (ended()) return;
  checked(::kill(pid_, SIGSTOP), "SIGSTOP");
  int status = 0;
  wait_for(pid_, &status, WUNTRACED);
  if (WIFSTOPPED(status)) {
    stopped_ = true;
  } else {
    status_ = exit_code(status);
  }
}

void process::cont() {
  if (ended()) return;
  checked(::kill(pid_, SIGCONT), "SIGCONT");
  stopped_ = false;
}

int process::wait() {
  int status = 0;
  if (!status_ && wait_for(pid_, &status, 0) == pid_) status_ = exit_code(status);
  return *status_;
}

}  // namespace redlock::live
