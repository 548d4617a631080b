// claim: one operation, from asking for a resource until nothing of it is left on any node. A pure
// state machine: inputs are calls, outputs are values, time is an argument.
//
//           acquire()          a quorum is set up            a quorum said yes, in time
//     idle ──────────► contacting ──────────► acquiring ──────────────────────────► held
//                                              │     ▲                               │
//                                 vote lost:   │     │ pause over      renew rounds, │ refills
//                                 roll back    ▼     │                               │
//                                             pausing                                │
//                                                │ out of patience, or cancelled     │
//                                                ▼                                   │
//     ended ◄────────────────────────────────────┴───────────────┐                   │
//       ▲   ▲                                                    │                   │
//       │   └── a quorum answered, or time-out ── releasing ◄────┼── release() ──────┤
//       │                                                        │                   │
//       └── stop_signalled() ── lost ◄── out of time, or so many "not yours" that no ┘
//                                        quorum can be
//
// With a lead (lead.h) an attempt also waits for what that says, and ends if others come first. Who
// knows of others asks the lead alone, and the rest only once it has said yes:
//
//                   the lead says yes             a quorum said yes, and the lead
//     lead asked ─────────────────────► all asked ──────────────────────────────► held
//          ▲   └─ refused: it has a place in the queue now       │ vote lost: roll back,
//          │                   ▼                                 ▼ keep the place
//          └── in case ── pausing ── on_turn(): all are asked at once
//
// Behind others of its process (line.h) it waits before it comes to that:
//
//          queue()            admit()
//     idle ───────► queued ────────────► contacting, or pausing for a moment
//                      │ out of patience, or cancelled: ended
//
// A lock changes hands by its token, without a moment in which it is free:
//
//          detach()
//     held ────────► ended, owing nothing: the keys stay until their time is up
//
//          adopt()             a quorum is set up           a quorum said yes, in time
//     idle ──────► contacting ──────────► adopting ────────────────────────────────────► held
//                                             │ vote lost, or cancelled: ended, owing nothing
//
//          take_back()
//     idle ──────────► contacting ──────────► releasing ──────► ended
//
// adopting is one renew round under the token of the handle that was detached. A round that fails
// takes nothing back: the keys may be those of a handle that lives (N3). A claim has one way in,
// and no attempt is ever made under a token that came from outside (T1).
//
// An ended claim still owes the nodes the release of what it may have left there; it is finished()
// when that is confirmed, or the keys must have expired.
//
// The driver calls one input at a time, sends what comes out, calls on_wake() at wake(), and tells
// what became of every command. `now` never goes back.

#ifndef REDLOCK_LIB_CORE_CLAIM_H
#define REDLOCK_LIB_CORE_CLAIM_H

#include "core/backoff.h"
#include "core/ballot.h"
#include "core/debt.h"
#include "core/drift.h"
#include "core/types.h"

namespace redlock::core {

// What holds for one claim. The limits of options.h are already checked.
struct terms {
  std::size_t nodes = 1;
  std::size_t quorum = 1;
  nanoseconds node_timeout{0};
  nanoseconds connect_timeout{0};
  milliseconds max_ttl{0};  // of any client (D6); less than ttl: unknown
  double drift_factor = 0.01;

  milliseconds ttl{0};
  nanoseconds wait{0};  // wait_forever: no end
  std::uint32_t max_attempts = 0;
  backoff retry;
  nanoseconds usual_hold{0};   // of the resource, for the policies that ask; 0: unknown
  nanoseconds renew_every{0};  // 0: never by itself
  nanoseconds max_hold{0};     // 0: no limit
  nanoseconds min_validity{0};
  nanoseconds stop_margin{0};
  bool fair = false;  // gives others their turn

  // By how much a ttl that was confirmed at `start` outlives what its owner may count on.
  [[nodiscard]] nanoseconds drift(milliseconds of) const noexcept {
    return drift_of(of, drift_factor);
  }

  // How long a round waits for a node.
  [[nodiscard]] nanoseconds effective_timeout() const noexcept;
};

class claim {
 public:
  enum class state : std::uint8_t {
    idle,
    queued,
    contacting,
    acquiring,
    adopting,
    pausing,
    held,
    releasing,
    lost,
    ended
  };

  claim(const terms& t, const base& who, const reach& nodes) noexcept;

  // The user's inputs.
  void acquire(time_point now, outbox& out) noexcept;  // REQUIRES: idle
  // The same once it is let in; at once over if it does not wait.
  void queue(time_point now, outbox& out) noexcept;                         // REQUIRES: idle
  void admit(time_point not_before, time_point now, outbox& out) noexcept;  // REQUIRES: queued
  void cancel(outbox& out) noexcept;  // ends the waiting; else does nothing
  void adopt(attempt_id k, time_point now, outbox& out) noexcept;      // REQUIRES: idle, k > 0
  void take_back(attempt_id k, time_point now, outbox& out) noexcept;  // REQUIRES: idle, k > 0
  void renew(time_point now, outbox& out) noexcept;    // REQUIRES: held; joins a round under way
  void release(time_point now, outbox& out) noexcept;  // REQUIRES: held or lost
  void detach() noexcept;                              // REQUIRES: held or lost

  // The owner has seen the validity end before the claim did (two threads, one clock).
  void owner_saw_expiry(time_point now, outbox& out) noexcept;

  // The driver's inputs.
  void on_reply(const reply& r, time_point now, outbox& out) noexcept;
  void on_wake(time_point now, outbox& out) noexcept;  // early and late calls are harmless
  void on_reach(const reach& nodes, time_point now, outbox& out) noexcept;
  // The clock of node n went forward: what it said before is void (D4).
  void on_step(node_id n, time_point now, outbox& out) noexcept;
  void stop_signalled(outbox& out) noexcept;  // after news::lost
  // Others are known to want it too: the next attempt asks the lead first.
  void expect_others() noexcept { others_ = true; }
  // A release has made it our turn. A hint: whoever else may have it, the nodes know.
  void on_turn(time_point now, outbox& out) noexcept;

  // Gives up the releases that wait for a node to come back: the keys expire there by themselves.
  // REQUIRES: ended.
  void forget_releases() noexcept;

  // Whether a command that was not written yet, or that the node did not execute, should still be
  // (rules R3, R5, N1).
  [[nodiscard]] bool wants(const command& c, time_point now) const noexcept;

  [[nodiscard]] state where() const noexcept { return state_; }
  [[nodiscard]] time_point wake() const noexcept;  // `never`: no timer
  [[nodiscard]] bool finished() const noexcept { return state_ == state::ended && owing_.empty(); }

  // What the owner may believe. The end of validity means something in `held` only.
  [[nodiscard]] time_point valid_until() const noexcept { return valid_until_; }
  [[nodiscard]] attempt_id attempt() const noexcept { return attempt_; }
  [[nodiscard]] std::size_t nodes_held() const noexcept;

  // Why it gave up, a renewal failed, or it was lost; and the vote that decided it.
  [[nodiscard]] errc why() const noexcept { return why_; }
  [[nodiscard]] const ballot& votes() const noexcept { return ballot_; }

 private:
  enum class round_kind : std::uint8_t { none, acquire, renew, release };
  enum class entry : std::uint8_t { acquire, adopt, take_back };

  // claim.cc: what follows from time passing, and from ends.
  void advance(time_point now, outbox& out) noexcept;
  void advance_held(time_point now, outbox& out) noexcept;
  void skip_attempt(time_point now, outbox& out) noexcept;
  void contact(time_point now, outbox& out) noexcept;
  void begin(time_point now, outbox& out) noexcept;
  void give_up(errc why, outbox& out) noexcept;
  void lose(time_point now, outbox& out) noexcept;
  [[nodiscard]] bool contact_is_over(time_point now) const noexcept;
  [[nodiscard]] bool may_reach_quorum() const noexcept;
  void void_guarded_votes() noexcept;
  [[nodiscard]] bool is_round(round_kind k) const noexcept { return round_kind_ == k; }
  [[nodiscard]] time_point signal_at() const noexcept { return valid_until_ - terms_.stop_margin; }
  [[nodiscard]] time_point give_up_at() const noexcept;
  [[nodiscard]] time_point last_start() const noexcept;
  [[nodiscard]] bool is_limited() const noexcept;
  [[nodiscard]] std::uint64_t random() noexcept;

  // claim_queue.cc: the lead, and its queue.
  void choose_lead(outbox& out) noexcept;
  void on_lead(const reply& r, outbox& out) noexcept;
  void on_late_lead(const reply& r, time_point now) noexcept;
  void on_new_lead(time_point now) noexcept;
  void ask_at_once(time_point now) noexcept;
  [[nodiscard]] bool waits_for_lead() const noexcept;
  [[nodiscard]] bool is_settled() const noexcept;
  [[nodiscard]] nanoseconds until_asked(nanoseconds paced, time_point now) const noexcept;
  [[nodiscard]] queueing queueing_of(node_id n, verb what) const noexcept;
  void plan_to_ask(bool refused, time_point now) noexcept;
  void leave_queues(node_set nodes, outbox& out) noexcept;

  // claim_handover.cc: tokens that come from another claim, or go to one.
  void enter(entry how, attempt_id k, time_point now, outbox& out) noexcept;
  void open_adoption(time_point now, outbox& out) noexcept;
  void settle_adoption(time_point now, outbox& out) noexcept;
  void expect_keys_everywhere(time_point now) noexcept;

  // claim_round.cc: rounds, and what they settle.
  void open_attempt(time_point now, outbox& out) noexcept;
  void open_renewal(time_point now, outbox& out) noexcept;
  void open_release(time_point now, outbox& out) noexcept;
  void open_round(round_kind k, milliseconds ttl, time_point now) noexcept;
  void settle_acquire(time_point now, outbox& out) noexcept;
  void settle_renewal(time_point now, outbox& out) noexcept;
  void settle_release(outbox& out) noexcept;
  void fail_attempt(errc why, time_point now, outbox& out) noexcept;
  void pause(time_point now, outbox& out) noexcept;
  [[nodiscard]] bool leaves_enough(time_point until, time_point now) const noexcept;
  [[nodiscard]] bool is_disowned() const noexcept;
  [[nodiscard]] errc why_not_granted() const noexcept;
  [[nodiscard]] errc why_not_renewed() const noexcept;
  void hold(time_point until, time_point now, outbox& out) noexcept;
  void succeed(time_point now, outbox& out) noexcept;
  void ask_all(verb what, outbox& out) noexcept;
  void emit(node_id n, verb what, milliseconds ttl, time_point written_by, outbox& out) noexcept;
  void close_round_at_deadline() noexcept;
  [[nodiscard]] time_point confirmed_by(time_point start, milliseconds ttl) const noexcept;
  [[nodiscard]] time_point gone_by(time_point written_by, milliseconds ttl) const noexcept;
  [[nodiscard]] answer absence(node_id n) const noexcept;
  [[nodiscard]] bool reachable(node_id n) const noexcept;

  // claim_reply.cc: replies, refills, and the releases owed.
  void on_vote(const reply& r, outbox& out) noexcept;
  void on_late(const reply& r, time_point now, outbox& out) noexcept;
  void on_released(const reply& r, time_point now, outbox& out) noexcept;
  void refill(time_point now, outbox& out) noexcept;
  void release_touched(outbox& out) noexcept;
  void owe_release(node_id n, outbox& out) noexcept;
  void send_release(node_id n, debt::request r, outbox& out) noexcept;
  void wake_debts(time_point now, outbox& out) noexcept;

  terms terms_;
  base base_;
  reach reach_;
  std::uint64_t random_;

  state state_ = state::idle;
  entry entry_ = entry::acquire;
  errc why_ = errc::not_held;
  time_point started_{};
  time_point contact_by_{};  // contacting
  attempt_id attempt_ = 0;

  // The round under way, or the last one. Replies of another round never count in it (rule G5).
  ballot ballot_;
  round_kind round_kind_ = round_kind::none;  // none: no round is open
  round_id round_ = 0;
  round_id last_round_ = 0;  // the last number given away
  milliseconds round_ttl_{0};
  time_point round_start_{};
  time_point round_deadline_{};

  // queued, pausing
  std::uint32_t skipped_ = 0;  // attempts for which others were in the way
  pacing pacing_;
  time_point retry_at_{};
  nanoseconds key_left_{0};  // the least seen in this attempt; 0: none
  ballot earlier_;           // how the attempt before was lost

  // The lead of this attempt, and its queue.
  std::optional<node_id> lead_;
  bool lead_alone_ = false;  // nobody else was asked yet
  bool overtaken_ = false;   // others come first, says the lead
  bool others_ = false;      // are known to want it
  bool turn_ = false;        // it was told so since the attempt began
  node_set joined_;          // where it may have a place
  std::uint32_t ahead_ = 0;  // in the queue
  time_point ask_at_{};      // pausing: not before, unless it is told of its turn

  // held
  time_point valid_until_{};
  time_point hold_end_ = never;
  time_point renew_at_ = never;
  bool expiring_ = false;  // news::expiring was told
  round_id refill_round_ = 0;
  time_point refill_start_{};  // the success that it follows; refills count from it, or later
  node_set refill_due_;        // not confirmed in the last successful round, nor refilled since

  // lost: when the keys must have expired, so that no owner's code can keep the claim for ever by
  // never letting the signal through
  time_point unsignalled_until_{};

  // Of this attempt's token, per node.
  node_set touched_;                                // a command that may set the key was emitted
  std::array<std::uint32_t, nodes_max> pending_{};  // acquire, renew, refill not yet answered
  std::array<time_point, nodes_max> confirmed_{};   // the key is known to stand so long

  std::array<debt, nodes_max> debts_;
  node_set owing_;
};

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_CLAIM_H
