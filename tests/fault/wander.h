// wander: a client that takes, renews, loses and gives back locks at random, until the ledger says
// that it is over.

#ifndef REDLOCK_FAULT_WANDER_H
#define REDLOCK_FAULT_WANDER_H

#include <chrono>
#include <memory>

#include "client_plan.h"
#include "ledger.h"
#include "random.h"
#include "redlock/redlock.h"

namespace redlock::fault {

// Ends the process with a message where the library breaks a promise that only its user can see.
// One thread.
class wanderer {
 public:
  wanderer(const client_plan& plan, book& shared);
  void run();

 private:
  using milliseconds = std::chrono::milliseconds;

  void round();
  void hold(lease held, std::uint32_t resource, milliseconds ttl);
  void give_back(lease held, std::uint32_t resource, const lock_options& o);
  void expect_signal(const lease& lost);
  void close_manager();

  [[nodiscard]] phase now() const { return static_cast<phase>(shared_.now.load()); }

  const client_plan plan_;
  book& shared_;
  page& page_;
  random random_;
  const redlock::options options_;
  std::unique_ptr<lock_manager> locks_;
};

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_WANDER_H
