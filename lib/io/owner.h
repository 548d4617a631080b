// owner: whoever a ticket works for, above the driver. All calls come on the loop thread and must
// return at once; none may call back into the driver except through its inbox.

#ifndef REDLOCK_LIB_IO_OWNER_H
#define REDLOCK_LIB_IO_OWNER_H

#include <string_view>

#include "core/types.h"
#include "redlock/failure.h"

namespace redlock::io {

class owner {
 public:
  virtual ~owner() = default;

  // Exactly one of these two ends the acquire, or the adoption.
  virtual void on_acquired(std::string_view token, core::time_point valid_until) noexcept = 0;
  virtual void on_gave_up(failure why) noexcept = 0;

  // Whether the handle counts itself as held: no renewal is written for one that does not (N1, R5).
  [[nodiscard]] virtual bool is_held() const noexcept = 0;

  // Whether the handle let go of its keys without releasing them: nothing may be released (R5).
  [[nodiscard]] virtual bool is_detached() const noexcept = 0;

  // False if the owner has seen the validity end before: then the lease is lost (N4).
  [[nodiscard]] virtual bool on_renewed(core::time_point valid_until) noexcept = 0;
  virtual void on_renew_failed(failure why) noexcept = 0;
  virtual void on_nodes_held(std::size_t count) noexcept = 0;

  // Stop is to be signalled; the lease is still held.
  virtual void on_expiring() noexcept = 0;

  // The lease has ended. Stop is to be signalled, and then the ticket told: at once, by returning
  // true, if nobody listens; else later, by ticket::stop_signalled().
  [[nodiscard]] virtual bool on_lost(failure why) noexcept = 0;

  // The release that was asked for: confirmed by a quorum, or not.
  virtual void on_released(bool confirmed, failure why) noexcept = 0;

  // The manager is closing and the lease is held. As on_lost().
  [[nodiscard]] virtual bool on_closing() noexcept = 0;

  // The ticket is gone after this.
  virtual void on_retired() noexcept = 0;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_OWNER_H
