// child: a process that is a copy of ours, not another program. No thread may run when it is made.

#ifndef REDLOCK_BENCH_CONTENTION_CHILD_H
#define REDLOCK_BENCH_CONTENTION_CHILD_H

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <utility>

namespace redlock::bench {

// Owns the process: the destructor kills and reaps it; it dies with us, too. Thread safety: one
// thread at a time.
class child {
 public:
  // Runs `body`, and ends with 0, or with 1 if that throws. Runs no destructor of what we had
  // before. Throws std::system_error.
  explicit child(const std::function<void()>& body);
  child(child&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  child& operator=(child&& other) = delete;
  ~child() { kill(); }

  [[nodiscard]] bool runs() const noexcept { return pid_ > 0; }  // as far as we have looked
  // REQUIRES: runs(), for these two.
  [[nodiscard]] std::chrono::nanoseconds cpu_time() const;  // of all its threads so far
  void stop();                                              // SIGSTOP, and waits until it has

  void cont() noexcept;  // SIGCONT
  void kill() noexcept;  // SIGKILL, and waits for the end
  bool ended();          // true, and reaped, if it has; harmless afterwards
  [[nodiscard]] bool failed() const noexcept { return failed_; }  // ended, and not with 0

 private:
  pid_t pid_ = -1;
  bool failed_ = false;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_CHILD_H
