// The claim: its inputs, what follows from time passing, and its ends. Rounds are in
// claim_round.cc, replies in claim_reply.cc, tokens that change hands in claim_handover.cc.

#include "core/claim.h"

#include <algorithm>

namespace redlock::core {
namespace {

// How much of a wait its last attempt gets, at most.
constexpr nanoseconds last_attempt_max = milliseconds{10};

}  // namespace

nanoseconds terms::effective_timeout() const noexcept {
  return std::min<nanoseconds>(node_timeout, nanoseconds{ttl} / 2);
}

claim::claim(const terms& t, const base& who, const reach& nodes) noexcept
    : terms_(t),
      base_(who),
      reach_(nodes),
      random_(who[0] ^ std::rotl(who[1], 32)),
      ballot_(t.nodes, t.quorum),
      earlier_(ballot_) {
  check(t.ttl > milliseconds{0} && t.node_timeout > nanoseconds{0});
  check(t.stop_margin >= nanoseconds{0} && t.stop_margin < t.ttl);
}

void claim::acquire(time_point now, outbox& out) noexcept {
  check(state_ == state::idle);
  started_ = now;
  contact(now, out);
}

void claim::queue(time_point now, outbox& out) noexcept {
  check(state_ == state::idle);
  state_ = state::queued;
  started_ = now;
  why_ = errc::held_by_other;
  retry_at_ = never;
  skip_attempt(now, out);
}

// Behind others it asks nobody. What limits its attempts is used up all the same, as fast as it
// would have asked: who is to give up in the end must not wait for ever.
void claim::skip_attempt(time_point now, outbox& out) noexcept {
  if (is_limited()) ++skipped_;
  if (is_limited() || terms_.wait == nanoseconds{0}) pause(now, out);
}

bool claim::is_limited() const noexcept {
  return terms_.max_attempts != 0 || terms_.retry.policy == retry_policy::spin;
}

void claim::admit(time_point not_before, time_point now, outbox& out) noexcept {
  check(state_ == state::queued);
  if (not_before <= now) {
    contact(now, out);
    return;
  }
  state_ = state::pausing;
  retry_at_ = std::min(not_before, last_start());
  advance(now, out);
}

void claim::contact(time_point now, outbox& out) noexcept {
  state_ = state::contacting;
  contact_by_ = now + terms_.connect_timeout;
  advance(now, out);
}

void claim::cancel(outbox& out) noexcept {
  switch (state_) {
    case state::acquiring:
      round_kind_ = round_kind::none;
      release_touched(out);
      [[fallthrough]];
    case state::adopting:
    case state::idle:
    case state::queued:
    case state::contacting:
    case state::pausing:
      give_up(errc::cancelled, out);
      break;
    case state::held:
    case state::releasing:
    case state::lost:
    case state::ended:
      break;
  }
}

void claim::renew(time_point now, outbox& out) noexcept {
  check(state_ == state::held);
  advance(now, out);
  if (state_ != state::held) return;
  if (expiring_) {
    if (out.told() != news::none) return;
    why_ = errc::too_slow;
    out.tell(news::renew_failed);
  } else if (!is_round(round_kind::renew)) {
    open_renewal(now, out);
  }
}

void claim::release(time_point now, outbox& out) noexcept {
  check(state_ == state::held || state_ == state::lost);
  if (state_ == state::lost) {
    stop_signalled(out);
    return;
  }
  state_ = state::releasing;
  open_release(now, out);
}

void claim::owner_saw_expiry(time_point now, outbox& out) noexcept {
  if (state_ == state::held) lose(now, out);
  wake_debts(now, out);
}

void claim::stop_signalled(outbox& out) noexcept {
  if (state_ != state::lost) return;
  state_ = state::ended;
  leave_queues(joined_ - touched_, out);
  release_touched(out);
}

void claim::on_wake(time_point now, outbox& out) noexcept {
  advance(now, out);
  wake_debts(now, out);
}

void claim::on_reach(const reach& nodes, time_point now, outbox& out) noexcept {
  const node_set risen = nodes.up - reach_.up;
  const bool could = may_reach_quorum();
  const bool new_lead = nodes.lead && nodes.lead != reach_.lead;
  reach_ = nodes;
  if (is_round(round_kind::acquire)) void_guarded_votes();
  if (state_ == state::pausing && !could && may_reach_quorum()) {
    // Soon, whatever the pause was; but not all clients at the same moment.
    retry_at_ = std::min(retry_at_, now + soon(random()));
    ask_at_ = std::min(ask_at_, retry_at_);
  }
  for (const node_id n : risen& owing_) send_release(n, debts_[n].on_up(), out);
  advance(now, out);
  if (new_lead) on_new_lead(now);
  refill(now, out);  // a node that the last success missed, for want of a connection (N2)
}

void claim::on_step(node_id n, time_point now, outbox& out) noexcept {
  check(n < terms_.nodes);
  if (state_ == state::releasing || state_ == state::ended) return;  // "deleted" is final
  ballot_.retract(n, answer::guarded);
  confirmed_[n] = {};
  if (state_ == state::held && nodes_held() < terms_.quorum) lose(now, out);
  advance(now, out);
}

// D3, D4: no acquire vote of theirs counts, neither one already given nor one on its way.
void claim::void_guarded_votes() noexcept {
  for (const node_id n : reach_.guarded) {
    ballot_.retract(n, answer::guarded);
    ballot_.cast(n, vote::fault, answer::guarded);
  }
}

// What follows from the time alone, and from the votes so far.
void claim::advance(time_point now, outbox& out) noexcept {
  if (state_ == state::lost && now >= unsignalled_until_) stop_signalled(out);
  if (state_ == state::queued && now >= give_up_at()) give_up(why_, out);
  if (state_ == state::queued && now >= retry_at_) skip_attempt(now, out);
  if (state_ == state::contacting && contact_is_over(now)) begin(now, out);
  if (state_ == state::contacting && now >= give_up_at()) give_up(errc::no_quorum, out);
  if (state_ == state::pausing && now >= give_up_at()) give_up(why_, out);  // woken too late
  if (state_ == state::pausing && now >= retry_at_) {
    now >= ask_at_ || now >= last_start() ? open_attempt(now, out) : skip_attempt(now, out);
  }

  if (round_kind_ != round_kind::none && now >= round_deadline_) close_round_at_deadline();
  const bool settled = is_settled();
  if (settled && is_round(round_kind::acquire)) settle_acquire(now, out);
  if (settled && is_round(round_kind::release)) settle_release(out);
  if (settled && state_ == state::adopting) settle_adoption(now, out);
  if (state_ == state::held) advance_held(now, out);
}

void claim::advance_held(time_point now, outbox& out) noexcept {
  if (now >= valid_until_) {
    lose(now, out);
    return;
  }
  if (!expiring_ && now >= signal_at()) {
    expiring_ = true;
    round_kind_ = round_kind::none;  // what it may still bring is too late (rule N5)
    out.tell(news::expiring);
  }
  if (expiring_) return;
  if (is_round(round_kind::renew) && ballot_.result() != verdict::pending) {
    settle_renewal(now, out);
  } else if (round_kind_ == round_kind::none && now >= renew_at_) {
    open_renewal(now, out);
  }
}

void claim::begin(time_point now, outbox& out) noexcept {
  switch (entry_) {
    case entry::acquire:
      open_attempt(now, out);
      break;
    case entry::adopt:
      open_adoption(now, out);
      break;
    case entry::take_back:
      state_ = state::releasing;
      open_release(now, out);
      break;
  }
}

void claim::give_up(errc why, outbox& out) noexcept {
  state_ = state::ended;
  round_kind_ = round_kind::none;
  why_ = why;
  leave_queues(joined_, out);
  out.tell(news::gave_up);
}

// The releases wait for stop_signalled(), so that the owner is told before anybody gets in (N5,
// R5).
void claim::lose(time_point now, outbox& out) noexcept {
  state_ = state::lost;
  why_ = errc::lost;
  round_kind_ = round_kind::none;
  unsignalled_until_ = std::max(now, valid_until_) + terms_.ttl + terms_.drift(terms_.ttl);
  out.tell(news::lost);
}

// First contact: nobody is asked before as many nodes as make a quorum can be.
bool claim::contact_is_over(time_point now) const noexcept {
  const node_set able = entry_ == entry::acquire ? reach_.up - reach_.guarded : reach_.up;
  return able.size() >= terms_.quorum || reach_.fresh.empty() || now >= contact_by_;
}

// Whether an attempt could be granted.
bool claim::may_reach_quorum() const noexcept {
  return (reach_.up - reach_.guarded).size() >= terms_.quorum;
}

time_point claim::give_up_at() const noexcept {
  if (terms_.wait == nanoseconds{0}) return never;
  return terms_.wait < never - started_ ? started_ + terms_.wait : never;
}

// Rather a last try at the end of the wait than to give up early; but none so short that a busy
// machine would make a held lock look like nodes that do not answer.
time_point claim::last_start() const noexcept {
  const time_point end = give_up_at();
  if (end == never) return never;
  return end - std::min({terms_.effective_timeout(), last_attempt_max, terms_.wait / 10});
}

bool claim::wants(const command& c, time_point now) const noexcept {
  switch (c.what) {
    case verb::acquire:
      return is_round(round_kind::acquire) && c.round == round_ && now < round_deadline_ &&
             !reach_.guarded.contains(c.node);
    case verb::renew:
      return is_round(round_kind::renew) && c.round == round_ && now < round_deadline_ &&
             (state_ == state::adopting || now < signal_at());
    case verb::refill:
      return state_ == state::held && c.round == refill_round_ && !expiring_ && now < signal_at();
    case verb::release:
      return c.queue == queueing::leave || debts_[c.node].owes(c.attempt);
  }
  return false;
}

time_point claim::wake() const noexcept {
  time_point at = never;
  switch (state_) {
    case state::idle:
    case state::ended:
      break;
    case state::queued:
      at = std::min(give_up_at(), retry_at_);
      break;
    case state::contacting:
      at = std::min(contact_by_, give_up_at());
      break;
    case state::pausing:
      at = retry_at_;
      break;
    case state::lost:
      at = unsignalled_until_;
      break;
    case state::acquiring:
    case state::adopting:
    case state::releasing:
      at = round_deadline_;
      break;
    case state::held:
      at = expiring_ ? valid_until_ : signal_at();
      if (!expiring_) at = std::min(at, is_round(round_kind::renew) ? round_deadline_ : renew_at_);
      break;
  }
  for (const node_id n : owing_) at = std::min(at, debts_[n].wake());
  return at;
}

std::size_t claim::nodes_held() const noexcept {
  if (state_ != state::held) return 0;
  std::size_t held = 0;
  for (std::size_t n = 0; n < terms_.nodes; ++n) held += confirmed_[n] >= valid_until_ ? 1 : 0;
  return held;
}

// splitmix64: jitter only, never a token.
std::uint64_t claim::random() noexcept {
  std::uint64_t z = (random_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace redlock::core
