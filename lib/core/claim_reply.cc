// What the replies mean to a claim: votes, late answers that call for a refill, confirmed releases.

#include <algorithm>

#include "core/claim.h"
#include "core/outcome.h"

namespace redlock::core {

void claim::on_reply(const reply& r, time_point now, outbox& out) noexcept {
  check(r.to.node < terms_.nodes);
  advance(now, out);  // first what has run out meanwhile (C4)
  if (r.to.what == verb::release) {
    on_released(r, now, out);
  } else {
    const node_id n = r.to.node;
    if (r.answer == answer::unreachable) debts_[n].unsure(gone_by(now, r.to.ttl));
    // A lost refill may set the key once more, after the one that stood was deleted.
    if (r.answer == answer::unreachable && r.to.what == verb::refill) debts_[n].set_again();
    if (r.answer == answer::unsent && r.to.what == verb::acquire) {
      debts_[n].forget(r.to.attempt, now);
      if (debts_[n].settled()) owing_.erase(n);
      if (r.to.attempt == attempt_) touched_.erase(n);
    }
    if (r.to.attempt == attempt_) {
      check(pending_[n] > 0);
      --pending_[n];
      if (round_kind_ != round_kind::none && r.to.round == round_) {
        on_vote(r, out);
      } else {
        on_late(r, now, out);
      }
    }
  }
  advance(now, out);
}

void claim::on_vote(const reply& r, outbox& out) noexcept {
  const answer a = r.answer == answer::unsent ? absence(r.to.node) : r.answer;
  const bool counts = ballot_.pending().contains(r.to.node);  // else it has lost its vote (D3, D4)
  ballot_.cast(r.to.node, vote_of(a), a);
  if (counts && is_round(round_kind::acquire) && r.to.node == lead_) on_lead(r, out);
  if (a == answer::granted) refill_due_.erase(r.to.node);
  if (a == answer::refused && r.key_left > milliseconds{0}) {
    key_left_ =
        key_left_ == nanoseconds{0} ? r.key_left : std::min<nanoseconds>(key_left_, r.key_left);
  }
}

// After the round was decided: it changes neither the outcome nor the validity (N1), but tells
// where the key stands, and where it is missing.
void claim::on_late(const reply& r, time_point now, outbox& out) noexcept {
  if (state_ == state::pausing && r.to.round == round_) on_late_lead(r, now);
  if (state_ != state::held) return;
  const node_id n = r.to.node;
  const bool no_vote = r.to.what == verb::acquire && reach_.guarded.contains(n);
  if (r.answer == answer::granted && !no_vote) {
    refill_due_.erase(n);
    const bool refilled = r.to.what == verb::refill && r.to.round == refill_round_;
    if (refilled || r.to.round == round_) {
      const time_point start = refilled ? refill_start_ : round_start_;
      confirmed_[n] = std::max(confirmed_[n], confirmed_by(start, r.to.ttl));
    }
  } else {
    refill(now, out);
  }
}

void claim::on_released(const reply& r, time_point now, outbox& out) noexcept {
  const node_id n = r.to.node;
  send_release(
      n, debts_[n].on_answer(r.to.attempt, r.answer, reachable(n), terms_.effective_timeout(), now),
      out);
  if (is_round(round_kind::release) && r.to.attempt == attempt_) {
    const answer a = r.answer == answer::unsent ? absence(n) : r.answer;
    ballot_.cast(n, vote_of_release(a), a);
  }
}

// N2: a separate command, after the success and outside of rounds, to every node that is not known
// to have the key and has no command of this token pending. Once per success and node.
void claim::refill(time_point now, outbox& out) noexcept {
  if (state_ != state::held || round_kind_ != round_kind::none) return;
  if (expiring_ || now >= signal_at()) return;
  for (const node_id n : refill_due_& reach_.up) {
    if (pending_[n] > 0) continue;
    refill_due_.erase(n);
    debts_[n].set_again();
    emit(n, verb::refill, round_ttl_, signal_at(), out);
  }
}

// Everything that may have been set under this attempt's token is taken back (R1).
void claim::release_touched(outbox& out) noexcept {
  for (const node_id n : touched_) owe_release(n, out);
  touched_ = {};
}

void claim::owe_release(node_id n, outbox& out) noexcept {
  send_release(n, debts_[n].owe(attempt_, reachable(n)), out);
}

void claim::send_release(node_id n, debt::request r, outbox& out) noexcept {
  if (r) {
    out.send({.node = n,
              .what = verb::release,
              .attempt = *r,
              .round = 0,
              .ttl = {},
              .queue = queueing_of(n, verb::release)});
  }
  if (debts_[n].settled()) {
    owing_.erase(n);
  } else {
    owing_.insert(n);
  }
}

void claim::forget_releases() noexcept {
  check(state_ == state::ended);
  for (const node_id n : owing_ - reach_.up) {
    debts_[n].settle();
    owing_.erase(n);
  }
}

void claim::wake_debts(time_point now, outbox& out) noexcept {
  for (const node_id n : owing_) send_release(n, debts_[n].on_wake(reachable(n), now), out);
}

}  // namespace redlock::core
