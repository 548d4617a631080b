// health: how far one node's votes can be trusted: its guard (core/guard.h) at work. It tells the
// guard who was connected to and what the node's clock shows, keeps our max_ttl known there, and
// tells the driver what follows. Decides nothing.

#ifndef REDLOCK_LIB_IO_HEALTH_H
#define REDLOCK_LIB_IO_HEALTH_H

#include <string>

#include "core/guard.h"
#include "io/identity.h"
#include "io/schedule.h"
#include "io/sink.h"

namespace redlock::io {

class driver;

// Lives on the loop thread, owned by its node. While that is up, the clock is looked at and the
// enrolment renewed every core::sample_every.
class health final : public sink, public timer {
 public:
  health(driver& where, core::node_id id);
  health(const health&) = delete;
  health& operator=(const health&) = delete;
  ~health();

  // A connection was set up, to this server.
  void on_set_up(const identity& who, bool durable, core::time_point now) noexcept;
  void on_down() noexcept;
  // Since on_set_up() it was made a replica and a master again, on the same connection.
  void on_promoted(const identity& who, core::time_point now) noexcept;

  // Every reply to a script, before the command is settled with it (D4).
  void on_reply(const node_reply& r, core::time_point sent, core::time_point now) noexcept;

  // Its clock against those of the other nodes.
  void compare(core::nanoseconds median, core::time_point now) noexcept;

  // Looks again whether it has its vote: time has passed, or the largest max_ttl has grown.
  void review(core::time_point now) noexcept;

  [[nodiscard]] bool is_guarded() const noexcept { return guarded_; }
  [[nodiscard]] const core::guard& guard() const noexcept { return guard_; }
  // "no vote for another 12.4 s: restarted"; empty if it has one.
  [[nodiscard]] std::string said(core::time_point now) const;

  // The call that enrolls; made here, and when a connection is set up.
  [[nodiscard]] script_call enrolment() const noexcept;

 private:
  bool wants(const core::command& c, core::time_point now) noexcept override;
  script_call call(const core::command& c) noexcept override;
  void on_settled(const core::command& c, const node_reply& r,
                  core::time_point now) noexcept override;
  void on_time(core::time_point now) noexcept override;
  void on_step(core::time_point now) noexcept;
  void arm() noexcept;

  driver& driver_;
  const core::node_id id_;
  core::guard guard_;
  std::string run_id_;  // as it last told
  std::string replid_;
  bool up_ = false;
  core::time_point until_ = core::never;  // from then on it has its vote
  bool guarded_ = true;                   // as the claims know it
  bool asked_ = false;                    // a look is under way
  core::time_point next_look_{};
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_HEALTH_H
