// ticket: a claim at work: it carries the core's commands to the nodes, their replies back to the
// core, and the core's news to the owner. Decides nothing.

#ifndef REDLOCK_LIB_IO_TICKET_H
#define REDLOCK_LIB_IO_TICKET_H

#include <memory>
#include <string>
#include <vector>

#include "core/claim.h"
#include "core/line.h"
#include "io/lines.h"
#include "io/owner.h"
#include "io/schedule.h"
#include "io/sink.h"

namespace redlock::io {

class driver;

// Lives on the loop thread, owned by the driver, which retires it once it is finished and every
// command it sent is settled.
class ticket final : public sink, public timer, public core::line::place {
 public:
  // `token`: one that came from elsewhere, for adopt() and take_back(); else empty. `line`: null if
  // it need not queue.
  ticket(driver& where, const core::terms& terms, const core::base& who, const core::reach& nodes,
         std::string key, std::string token, lines::entry* line, std::shared_ptr<owner> whose);
  ticket(const ticket&) = delete;
  ticket& operator=(const ticket&) = delete;
  ~ticket();

  // One of these three, once.
  void acquire(core::time_point now) noexcept;
  void adopt(core::attempt_id k, core::time_point now) noexcept;
  void take_back(core::attempt_id k, core::time_point now) noexcept;

  void admit(core::time_point not_before, core::time_point now) noexcept;  // REQUIRES: it queues
  void cancel(core::time_point now) noexcept;
  void renew(core::time_point now) noexcept;    // REQUIRES: is_held()
  void release(core::time_point now) noexcept;  // REQUIRES: is_held(), or lost
  void owner_saw_expiry(core::time_point now) noexcept;
  void stop_signalled(core::time_point now) noexcept;   // after on_lost() or on_closing()
  void notice_detached(core::time_point now) noexcept;  // ends it if owner::is_detached()
  void on_reach(core::reach nodes, core::time_point now) noexcept;
  void on_step(core::node_id n, core::time_point now) noexcept;
  // It is our turn, since this token was released.
  void on_turn(std::string_view released, core::time_point now) noexcept;

  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& base() const noexcept { return base_; }

  // Gives up the releases that wait for a node to come back. REQUIRES: ended.
  void forget_releases() noexcept;

  // Ends whatever is under way: the waiting with errc::shut_down, a lease with on_closing().
  void close(core::time_point now) noexcept;

  [[nodiscard]] bool is_held() const noexcept { return claim_.where() == core::claim::state::held; }
  [[nodiscard]] bool is_lost() const noexcept { return claim_.where() == core::claim::state::lost; }
  // Neither under way nor held: to its owner it is over.
  [[nodiscard]] bool is_over() const noexcept;
  [[nodiscard]] bool is_ended() const noexcept {
    return claim_.where() == core::claim::state::ended;
  }
  [[nodiscard]] bool is_finished() const noexcept { return claim_.finished() && pending_ == 0; }

  // Nothing of it is under way any more but releases that wait for a node to come back.
  [[nodiscard]] bool is_idle() const noexcept;

  // The driver's: where it is in its list, and whether it is to be taken off.
  std::size_t place = 0;
  bool retired = false;

 private:
  bool wants(const core::command& c, core::time_point now) noexcept override;
  script_call call(const core::command& c) noexcept override;
  void on_settled(const core::command& c, const node_reply& r,
                  core::time_point now) noexcept override;
  void on_time(core::time_point now) noexcept override;

  template <class Input>
  void step(core::time_point now, Input input) noexcept;
  void tell(core::news n, core::time_point now) noexcept;
  [[nodiscard]] failure why(errc code) const;
  void note_others(const core::command& c, const node_reply& r);
  void leave_line(bool held, core::time_point now);
  void write_token(core::attempt_id attempt);
  void watch_hold(std::string_view holder, core::time_point now);

  driver& driver_;
  std::optional<core::node_id> lead_;  // as the claim knows it
  core::claim claim_;
  const std::string key_;
  const std::string queue_;  // the key of those who wait for it, on the lead
  const std::string base_;   // in hexadecimal
  const std::string given_;  // the token that came from elsewhere
  std::string token_;        // scratch: written anew for every command
  std::string released_;     // whatever key carries this token is ours to take (T2, R4)
  lines::entry* line_;       // null: it need not queue, or has left
  std::shared_ptr<owner> owner_;
  std::vector<std::string> said_;  // the last text of each node; made when the first one has any
  std::size_t pending_ = 0;        // commands not yet settled
  std::size_t nodes_held_ = 0;
  const bool waits_;
  const bool watches_holds_;  // for the policies that go by them
  bool closing_ = false;
  bool over_ = false;  // the driver knows that it is over, and that the claim has ended
  bool ended_ = false;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_TICKET_H
