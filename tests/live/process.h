// process: a child process that does not outlive the test, however the test ends.

#ifndef REDLOCK_LIVE_PROCESS_H
#define REDLOCK_LIVE_PROCESS_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace redlock::live {

// waitpid(), begun again where a signal interrupts it.
pid_t wait_for(pid_t pid, int* status, int flags) noexcept;

struct process_options {
  int input = -1;            // becomes its standard input; -1: /dev/null
  int output = -1;           // becomes its standard output and error; -1: /dev/null
  bool dies_with_us = true;  // killed when the thread that started it ends
  std::vector<std::string> environment = {};  // added to ours: "NAME=VALUE"
};

// Owns the child: the destructor kills and reaps it. Thread safety: one thread at a time.
class process {
 public:
  // Starts argv[0], looked up in PATH. Throws std::system_error. A program that cannot be run shows
  // as a child that exits with 127.
  explicit process(const std::vector<std::string>& argv, process_options o = {});
  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process();

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] bool ended();  // reaps it if it has
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  void kill() noexcept;  // SIGKILL, and waits for the end; harmless when it has ended
  void stop();           // SIGSTOP, and waits until it has stopped
  void cont();           // SIGCONT
  int wait();            // until it ends by itself; gives its exit code, or 128 + the signal

 private:
  pid_t pid_ = -1;
  bool stopped_ = false;
  std::optional<int> status_;  // once reaped
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_PROCESS_H
