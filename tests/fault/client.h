// client: a client process of the bench, as the bench sees it.

#ifndef REDLOCK_FAULT_CLIENT_H
#define REDLOCK_FAULT_CLIENT_H

#include <cstdint>
#include <optional>

#include "client_plan.h"
#include "ledger.h"
#include "live/process.h"

namespace redlock::fault {

// Runs from construction on, and not longer than this object. Thread safety: one thread, which must
// outlive it.
class client {
 public:
  // `where` is the plan's page of the plan's ledger.
  client(client_plan plan, page& where);

  void stop();     // SIGSTOP
  void cont();     // SIGCONT
  void kill();     // SIGKILL
  void restart();  // after kill(): another one like it, with another seed

  [[nodiscard]] bool stopped() const noexcept { return process_->stopped(); }
  [[nodiscard]] bool ended() { return process_->ended(); }
  [[nodiscard]] int wait() { return process_->wait(); }  // its exit code
  [[nodiscard]] pid_t pid() const noexcept { return process_->pid(); }
  [[nodiscard]] page& written() const noexcept { return page_; }
  [[nodiscard]] std::size_t number() const noexcept { return plan_.page; }
  [[nodiscard]] std::int64_t running_since() const noexcept { return since_; }

  // How far the call that it is in is past the time by which it must have ended, had the process
  // run all the time: at most since it was continued last. 0 if it is stopped, in none, or in time.
  [[nodiscard]] nanoseconds overdue() const;

 private:
  void start();

  client_plan plan_;
  page& page_;
  std::int64_t since_ = 0;  // started or continued last
  std::optional<live::process> process_;
};

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_CLIENT_H
