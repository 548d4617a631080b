// witness: watches one claim from outside and knows the rules of safety.md. It sees what goes in
// and what comes out, keeps its own count of votes and deadlines, and never asks the claim what it
// thinks of itself but for its state, its validity and its timer.
//
// What needs more than one claim, or the masters, is judged by the world.

#ifndef REDLOCK_TESTS_SIM_WITNESS_H
#define REDLOCK_TESTS_SIM_WITNESS_H

#include <array>
#include <optional>
#include <string>

#include "core/claim.h"
#include "sim/skewed_clock.h"

namespace redlock::sim {

// A rule that was broken: its name in safety.md, and how.
struct breach {
  std::string rule;
  std::string what;
  friend bool operator==(const breach&, const breach&) = default;
};

class witness {
 public:
  explicit witness(const core::terms& t) noexcept;

  // Inputs, told before the claim gets them. Local times of the client.
  void on_acquire(ns now) noexcept;
  void on_queue(ns now) noexcept;
  void on_admit(ns now) noexcept;
  void on_adopt(core::attempt_id k, ns now) noexcept;
  void on_take_back(core::attempt_id k, ns now) noexcept;
  void on_detach() noexcept;
  void on_cancel() noexcept { cancelled_ = true; }
  void on_release(ns now) noexcept;
  void on_renew() noexcept { asked_to_renew_ = true; }
  void on_owner_saw_expiry() noexcept { owner_saw_expiry_ = true; }
  void on_stop_signalled() noexcept { signalled_ = true; }
  void on_step(core::node_id n) noexcept;
  void on_reply(const core::reply& r, ns now) noexcept;

  // After every input, with all that came of it.
  void judge(const core::claim& c, const core::outbox& out, const core::reach& nodes, ns now);

  // After on_wake, in which nothing else happened.
  void judge_wake(const core::claim& c, ns now);

  // The driver is about to write a command.
  void judge_write(const core::command& cmd, ns now);

  [[nodiscard]] bool is_adoption() const noexcept { return adopts_; }
  // Whose votes made the last success.
  [[nodiscard]] core::node_set counted() const noexcept { return success_.yes; }

  // Of a grant.
  [[nodiscard]] bool asked_lead_first() const noexcept { return success_.lead_first; }
  [[nodiscard]] bool granted_leadless() const noexcept {
    return success_.lead && !success_.answered.contains(*success_.lead);
  }

  [[nodiscard]] const std::optional<breach>& found() const noexcept { return breach_; }

 private:
  using state = core::claim::state;
  struct round {
    core::verb what = core::verb::acquire;
    core::round_id id = 0;
    core::attempt_id attempt = 0;
    ns start = 0;
    ns ttl = 0;
    core::node_set asked, answered, yes, no;
    core::node_set to_ask = {};              // not yet: the lead is asked alone first
    std::optional<core::node_id> lead = {};  // of an attempt that heeds a queue
    bool lead_first = false;                 // … and is asked before the others
    bool lead_yes = false;                   // it said so, whatever that has been worth since
    bool queued = false;                     // the lead says that others come first
    bool open = false;
  };

  void judge_state(state now_in);
  void judge_commands(const core::claim& c, const core::outbox& out, const core::reach& nodes,
                      ns now);
  void judge_acquire(const core::command& cmd, const core::reach& nodes, ns now);
  void judge_queueing(const core::command& cmd);
  void judge_places(state is, const core::outbox& out, const core::reach& nodes);
  void judge_lead(const core::reach& nodes, ns now);
  [[nodiscard]] bool waits_for_lead(const core::reach& nodes) const noexcept;
  void settle_lead(const core::reach& nodes);
  void judge_renew(const core::command& cmd, const core::reach& nodes, state is, ns now);
  void judge_refill(const core::command& cmd, state is, ns now);
  void judge_release(const core::command& cmd, state is, ns now);
  void open(const core::command& cmd, const core::reach& nodes, ns now) noexcept;
  void judge_attempt(const core::claim& c, const core::outbox& out, const core::reach& nodes,
                     ns now);
  void judge_adoption(state is, ns now);
  void judge_rollback(const core::outbox& out, const core::reach& nodes);
  void judge_grant(const core::claim& c, ns now);
  void judge_renewed(const core::claim& c, ns now);
  void judge_renew_failed(const core::claim& c, ns now);
  void judge_loss(const core::claim& c, ns now);
  void judge_news(const core::claim& c, core::news told, ns now);
  void judge_validity(const core::claim& c, core::news told);
  void judge_refilled(const core::reach& nodes, ns now);
  void judge_owed(const core::outbox& out, const core::reach& nodes, ns now);
  void judge_timer(const core::claim& c, ns now);
  void judge_patience(state is, ns now);
  [[nodiscard]] bool is_lost(const round& r) const noexcept;
  [[nodiscard]] ns drift(ns ttl) const noexcept { return (ttl + 99) / 100 + 2 * ms; }
  [[nodiscard]] bool limited() const noexcept;  // by a wait budget
  [[nodiscard]] ns timeout() const noexcept;
  [[nodiscard]] ns renewal_ttl(ns now) const noexcept;
  [[nodiscard]] ns signal_at() const noexcept;
  [[nodiscard]] ns deadline() const noexcept;
  void expect(bool holds, const char* rule, const char* what);

  const core::terms terms_;
  std::optional<breach> breach_;

  // What it has seen.
  state was_ = state::idle;
  ns valid_until_ = 0;
  ns started_ = 0;
  ns contacted_ = 0;  // when it could first ask
  ns released_at_ = 0;
  ns lost_at_ = 0;
  core::reach nodes_;  // before this input
  core::attempt_id last_attempt_ = 0;
  round round_;    // the last acquire or renew round
  round success_;  // the last that succeeded
  ns grant_start_ = 0;
  bool capped_ = false;                              // max_hold allows no renewal after this
  core::node_set unsure_;                            // acquire emitted, and not known to be unsent
  core::node_set has_key_;                           // said so since the success, or with it
  core::node_set confirmed_;                         // … and its clock has not gone forward since
  core::node_set refilled_;                          // since the success
  core::round_id refill_round_ = 0, refill_of_ = 0;  // of the last refill, and its success
  core::node_set release_answered_;                  // finally, of the held attempt
  core::node_set release_lost_;                      // with its connection, of any attempt
  core::node_set places_;                            // where it may have one in a queue
  core::node_set maybe_free_;                        // a release may have been confirmed there
  std::array<ns, nodes_max> stands_until_{};         // at least so long a key may be there,
  std::array<ns, nodes_max> owed_until_{};           // and as of the loss of its release
  std::array<std::uint32_t, nodes_max> pending_{};   // of this attempt: acquire, renew, refill
  bool cancelled_ = false, signalled_ = false, asked_to_renew_ = false, owner_saw_expiry_ = false;
  bool adopts_ = false, takes_back_ = false, detached_ = false;  // tokens that change hands
  bool held_once_ = false;
  bool stepped_ = false;       // with this input
  bool renew_failed_ = false;  // since the success
  bool expiring_ = false, was_lost_ = false, ended_acquire_ = false, ended_release_ = false;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_WITNESS_H
