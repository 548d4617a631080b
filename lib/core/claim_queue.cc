// The lead, and the queue that it keeps (G3). It costs an attempt nothing where nobody waits but
// that it hears the lead's answer too.

#include <algorithm>

#include "core/claim.h"
#include "core/lead.h"

namespace redlock::core {

// Before an attempt. Places that it has elsewhere are of no use any more.
void claim::choose_lead(outbox& out) noexcept {
  lead_ = terms_.fair ? reach_.lead : std::nullopt;
  node_set elsewhere = joined_;
  if (lead_) elsewhere.erase(*lead_);
  leave_queues(elsewhere, out);
  // Who does not wait tries once, everywhere; who has the turn need not ask whether it has it.
  const bool waits = terms_.wait > nanoseconds{0};
  lead_alone_ = lead_ && waits && others_ && !turn_ && terms_.nodes > 1;
  overtaken_ = turn_ = false;
}

void claim::on_lead(const reply& r, outbox& out) noexcept {
  ahead_ = r.waiting;
  others_ = r.queued || r.answer == answer::refused;
  overtaken_ = r.queued;
  if (r.answer != answer::granted || !lead_alone_) return;
  lead_alone_ = false;
  for (const node_id n : ballot_.pending()) {
    if (!reachable(n)) ballot_.cast(n, vote::fault, absence(n));
  }
  if (ballot_.result() == verdict::lost) return;
  for (const node_id n : ballot_.pending())
    emit(n, verb::acquire, round_ttl_, round_deadline_, out);
}

// The others decided the attempt before it: it has a place all the same.
void claim::on_late_lead(const reply& r, time_point now) noexcept {
  if (r.to.node != lead_ || r.answer != answer::refused || !joined_.contains(*lead_)) return;
  others_ = true;
  ahead_ = r.waiting;
  plan_to_ask(true, now);
  if (ask_at_ > now && !is_limited()) retry_at_ = std::min(ask_at_, last_start());
}

// Its queue is of no use any more to those who wait in it, and its silence says nothing.
void claim::on_new_lead(time_point now) noexcept {
  if (state_ == state::pausing && others_) ask_at_once(now);
}

// With the next wake-up: one input opens one round at most.
void claim::ask_at_once(time_point now) noexcept {
  ask_at_ = now;
  retry_at_ = now + nanoseconds{1};
}

// G3. A lead that has fallen silent is the lead no more.
bool claim::waits_for_lead() const noexcept {
  return is_round(round_kind::acquire) && lead_ && ballot_.pending().contains(*lead_) &&
         reach_.lead == lead_;
}

bool claim::is_settled() const noexcept {
  if (round_kind_ == round_kind::none) return false;
  const verdict so_far = ballot_.result();
  if (is_round(round_kind::acquire) && so_far != verdict::lost) {
    if (overtaken_) return true;
    if (lead_alone_) return !waits_for_lead();  // it did not say yes, and will not
  }
  return so_far == verdict::lost || (so_far == verdict::won && !waits_for_lead());
}

// What an acquire joins, a release leaves: also on a node that is not the lead any more, or not the
// lead of those who wait there.
queueing claim::queueing_of(node_id n, verb what) const noexcept {
  if (!terms_.fair) return queueing::none;
  if (what == verb::acquire) {
    if (n != lead_) return queueing::none;
    return terms_.wait > nanoseconds{0} ? queueing::join : queueing::look;
  }
  if (what != verb::release) return queueing::none;
  if (state_ == state::releasing || state_ == state::ended) return queueing::leave;
  // Where an attempt was refused, its rollback frees nothing.
  return ballot_.no().contains(n) ? queueing::none : queueing::look;
}

// After a failed attempt: when to ask again unless it is told of its turn.
void claim::plan_to_ask(bool refused, time_point now) noexcept {
  ask_at_ = now;
  if (refused && joined_.contains(*lead_) && reach_.told.contains(*lead_)) {
    ask_at_ = now + ask_after(ahead_, key_left_, random());
  }
}

// How long a pause is that the policy would make so long. Where its turn is told, the policy's only
// uses up what limits the attempts; a place must be kept up in any case.
nanoseconds claim::until_asked(nanoseconds paced, time_point now) const noexcept {
  if (joined_.empty()) return paced;
  if (ask_at_ <= now) return std::min<nanoseconds>(paced, place_life_untold / 3);
  return is_limited() ? std::min(paced, ask_at_ - now) : ask_at_ - now;
}

void claim::on_turn(time_point now, outbox& out) noexcept {
  if (state_ != state::acquiring && state_ != state::pausing) return;
  turn_ = true;  // the answers that an attempt has yet to hear may be from before
  if (state_ == state::pausing) retry_at_ = ask_at_ = now;
  advance(now, out);
}

void claim::leave_queues(node_set nodes, outbox& out) noexcept {
  for (const node_id n : nodes) {
    if (!reachable(n)) continue;  // the place there has an end; but it may come back before that
    joined_.erase(n);
    out.send({.node = n,
              .what = verb::release,
              .attempt = attempt_,
              .round = 0,
              .ttl = {},
              .queue = queueing::leave});
  }
}

}  // namespace redlock::core
