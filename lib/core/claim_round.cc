// The rounds of a claim: how they open, and what they settle.

#include <algorithm>
#include <limits>

#include "core/claim.h"
#include "core/outcome.h"

namespace redlock::core {

void claim::open_attempt(time_point now, outbox& out) noexcept {
  choose_lead(out);
  state_ = state::acquiring;
  ++attempt_;  // a token of its own for every attempt (T1)
  touched_ = {};
  pending_.fill(0);
  confirmed_.fill({});
  key_left_ = nanoseconds{0};
  open_round(round_kind::acquire, terms_.ttl, now);
  round_deadline_ = std::min(round_deadline_, give_up_at());
  ask_all(verb::acquire, out);
}

void claim::open_renewal(time_point now, outbox& out) noexcept {
  milliseconds ttl = terms_.ttl;
  if (hold_end_ != never) {
    const auto left = std::chrono::floor<milliseconds>(hold_end_ - now);
    ttl = std::clamp(left, milliseconds{1}, ttl);  // N7
  }
  open_round(round_kind::renew, ttl, now);
  round_deadline_ = std::min(round_deadline_, signal_at());
  ask_all(verb::renew, out);
  // No node to ask: failed already. If this input has told something, its deadline will settle it.
  if (ballot_.result() != verdict::pending && out.told() == news::none) settle_renewal(now, out);
}

void claim::open_release(time_point now, outbox& out) noexcept {
  open_round(round_kind::release, milliseconds{0}, now);
  for (const node_id n : node_set::first(terms_.nodes)) {
    if (!reachable(n)) ballot_.cast(n, vote::fault, absence(n));
    debts_[n].key_may_stand(round_deadline_);  // also where nothing was set, for its answer's sake
    if (reachable(n) || touched_.contains(n)) owe_release(n, out);
  }
  touched_ = {};
  if (ballot_.result() != verdict::pending) settle_release(out);
}

void claim::open_round(round_kind k, milliseconds ttl, time_point now) noexcept {
  round_kind_ = k;
  round_ = ++last_round_;
  round_ttl_ = ttl;
  round_start_ = now;  // before the first byte is handed to a connection (G2)
  round_deadline_ = now + terms_.effective_timeout();
  ballot_ = ballot(terms_.nodes, terms_.quorum);
}

void claim::ask_all(verb what, outbox& out) noexcept {
  for (const node_id n : node_set::first(terms_.nodes)) {
    if (!reachable(n)) ballot_.cast(n, vote::fault, absence(n));
  }
  if (what == verb::acquire) void_guarded_votes();
  if (ballot_.result() != verdict::pending) return;  // no answer could help
  for (const node_id n : ballot_.pending()) {
    if (what == verb::acquire && lead_alone_ && n != lead_) continue;
    emit(n, what, round_ttl_, round_deadline_, out);
  }
}

void claim::emit(node_id n, verb what, milliseconds ttl, time_point written_by,
                 outbox& out) noexcept {
  const round_id round = what == verb::refill ? refill_round_ : round_;
  const queueing queue = queueing_of(n, what);
  if (queue == queueing::join) joined_.insert(n);
  out.send(
      {.node = n, .what = what, .attempt = attempt_, .round = round, .ttl = ttl, .queue = queue});
  ++pending_[n];
  if (what != verb::renew) touched_.insert(n);
  debts_[n].key_may_stand(gone_by(written_by, ttl));
}

// All nodes past the deadline are counted together, so that none of them decides alone why.
void claim::close_round_at_deadline() noexcept {
  for (const node_id n : ballot_.pending()) {
    if (lead_alone_ && n != lead_) continue;  // it was not asked
    ballot_.cast(n, vote::fault, reach_.fresh.contains(n) ? answer::unsent : answer::timed_out);
  }
}

void claim::settle_acquire(time_point now, outbox& out) noexcept {
  if (ballot_.result() != verdict::won || overtaken_) {
    errc why = why_not_granted();
    const bool cut_short = round_deadline_ < round_start_ + terms_.effective_timeout();
    if (why == errc::no_quorum && cut_short && now >= round_deadline_ && attempt_ > 1) {
      // The end of the wait left the nodes too little time: the attempt before says more.
      why = why_;
      ballot_ = earlier_;
    }
    fail_attempt(why, now, out);
    return;
  }
  const time_point valid_until = confirmed_by(round_start_, round_ttl_);
  if (leaves_enough(valid_until, now)) {
    hold(valid_until, now, out);
  } else {
    fail_attempt(errc::too_slow, now, out);
  }
}

errc claim::why_not_granted() const noexcept {
  if (overtaken_) return errc::held_by_other;
  if (!lead_alone_ || ballot_.result() == verdict::lost) return reason(ballot_);
  return ballot_.no().contains(*lead_) ? errc::held_by_other : errc::no_quorum;
}

// G3
bool claim::leaves_enough(time_point until, time_point now) const noexcept {
  return until - now > std::max(terms_.min_validity, terms_.stop_margin);
}

void claim::hold(time_point until, time_point now, outbox& out) noexcept {
  state_ = state::held;
  valid_until_ = until;
  if (terms_.max_hold > nanoseconds{0}) hold_end_ = round_start_ + terms_.max_hold;
  out.tell(news::acquired);
  succeed(now, out);
}

void claim::settle_renewal(time_point now, outbox& out) noexcept {
  round_kind_ = round_kind::none;
  if (ballot_.result() == verdict::won) {
    // Never sooner: the script does not shorten either, and commands may be executed out of order.
    valid_until_ = std::max(valid_until_, confirmed_by(round_start_, round_ttl_));
    out.tell(news::renewed);
    succeed(now, out);
    return;
  }
  if (is_disowned()) {
    lose(now, out);
    return;
  }
  why_ = why_not_renewed();
  renew_at_ = never;
  if (terms_.renew_every > nanoseconds{0}) {
    // Within what remains: ever sooner, but never in a busy loop.
    renew_at_ = now + std::clamp<nanoseconds>((signal_at() - now) / 4, milliseconds{1},
                                              terms_.effective_timeout());
  }
  out.tell(news::renew_failed);
  refill(now, out);  // whoever came up meanwhile and missed the last success
}

// So many do not have our key that no quorum can (N3).
bool claim::is_disowned() const noexcept {
  return ballot_.no().size() > terms_.nodes - terms_.quorum;
}

errc claim::why_not_renewed() const noexcept {
  if (is_disowned()) return errc::lost;
  const errc why = reason(ballot_);
  return why == errc::held_by_other ? errc::no_quorum : why;
}

void claim::settle_release(outbox& out) noexcept {
  round_kind_ = round_kind::none;
  state_ = state::ended;
  why_ = errc::no_quorum;
  out.tell(ballot_.result() == verdict::won ? news::released : news::unconfirmed);
}

void claim::fail_attempt(errc why, time_point now, outbox& out) noexcept {
  round_kind_ = round_kind::none;
  release_touched(out);  // at once, before any pause (R1)
  why_ = why;
  earlier_ = ballot_;
  if (why == errc::bad_configuration) {
    give_up(why, out);
    return;
  }
  state_ = state::pausing;
  plan_to_ask(lead_ && ballot_.no().contains(*lead_), now);
  pause(now, out);
  if (turn_ && state_ == state::pausing) ask_at_once(now);
}

// Until the next attempt, if there is to be one.
void claim::pause(time_point now, outbox& out) noexcept {
  const std::uint32_t attempts = attempt_ + skipped_;
  const bool last = (terms_.max_attempts != 0 && attempts >= terms_.max_attempts) ||
                    attempt_ == std::numeric_limits<attempt_id>::max();
  std::optional<nanoseconds> span;
  if (!last && terms_.wait > nanoseconds{0}) {
    span = pacing_.next(terms_.retry,
                        {.attempts = attempts,
                         .waited = now - started_,
                         .key_left = key_left_,
                         .usual_hold = terms_.usual_hold},
                        random());
  }
  if (span) retry_at_ = std::min(now + until_asked(*span, now), last_start());
  if (!span || retry_at_ < now + milliseconds{1}) give_up(why_, out);
}

void claim::succeed(time_point now, outbox& out) noexcept {
  round_kind_ = round_kind::none;
  for (const node_id n : ballot_.yes()) {
    confirmed_[n] = std::max(confirmed_[n], confirmed_by(round_start_, round_ttl_));
  }
  renew_at_ = never;
  const bool capped = round_ttl_ < terms_.ttl;  // that was the last renewal that max_hold allows
  if (terms_.renew_every > nanoseconds{0} && !capped) {
    // From the confirmed start, so that lateness does not add up; a little earlier, so that leases
    // taken together do not renew together (N6).
    const auto spread = static_cast<std::uint64_t>(terms_.renew_every.count() / 10 + 1);
    const nanoseconds early{static_cast<std::int64_t>(random() % spread)};
    renew_at_ = round_start_ + terms_.renew_every - early;
  }
  refill_round_ = ++last_round_;
  refill_start_ = now;
  refill_due_ = node_set::first(terms_.nodes) - ballot_.yes();
  refill(now, out);
}

time_point claim::confirmed_by(time_point start, milliseconds ttl) const noexcept {
  return start + ttl - terms_.drift(ttl);
}

// When the key of a command must have expired: the node may take a time-out to execute it.
time_point claim::gone_by(time_point written_by, milliseconds ttl) const noexcept {
  return written_by + terms_.effective_timeout() + ttl + terms_.drift(ttl);
}

// Why a node is not asked at all.
answer claim::absence(node_id n) const noexcept {
  if (reach_.guarded.contains(n)) return answer::guarded;
  if (reach_.duplicate.contains(n)) return answer::duplicate;
  if (reach_.replica.contains(n)) return answer::replica;
  return reach_.denied.contains(n) ? answer::denied : answer::unreachable;
}

bool claim::reachable(node_id n) const noexcept {
  return reach_.up.contains(n) || reach_.fresh.contains(n);
}

}  // namespace redlock::core
