// Rounds: who was asked, who said what, and what may follow from it.

#include <algorithm>

#include "sim/witness.h"

namespace redlock::sim {
namespace {

ns local(core::time_point t) noexcept { return t.time_since_epoch().count(); }
ns length(core::milliseconds d) noexcept { return core::nanoseconds{d}.count(); }

// Whether a node said that the key is not ours to take, or not ours.
bool is_no(answer a) noexcept {
  return a == answer::refused || a == answer::absent || a == answer::foreign;
}

}  // namespace

void witness::on_reply(const core::reply& r, ns now) noexcept {
  const core::node_id n = r.to.node;
  if (r.to.what == core::verb::release) {
    const bool final = r.answer == answer::granted || is_no(r.answer);
    // Where nothing was set it only left the queue, and is not owed.
    const bool owed = held_once_ || takes_back_ || unsure_.contains(n);
    if (r.answer == answer::unreachable && r.to.attempt == last_attempt_ && owed) {
      release_lost_.insert(n);
      owed_until_[n] = stands_until_[n];
    }
    if (final) maybe_free_.insert(n);
    if (final && released_at_ != 0 && r.to.attempt == last_attempt_) release_answered_.insert(n);
    return;
  }
  if (r.answer == answer::unsent) maybe_free_.insert(n);
  if (r.to.attempt != last_attempt_) return;
  const bool no_vote = r.to.what == core::verb::acquire && nodes_.guarded.contains(n);  // D3, D4
  if (r.answer == answer::granted && !no_vote) {
    has_key_.insert(n);
    confirmed_.insert(n);
  }
  if (pending_[n] > 0) --pending_[n];
  if (r.to.what == core::verb::acquire && r.answer == answer::unsent) unsure_.erase(n);
  // It was executed, and has set nothing.
  const bool in_vain = r.answer == answer::refused || r.answer == answer::foreign;
  if (r.to.what == core::verb::acquire && in_vain) unsure_.erase(n);
  if (r.to.what != round_.what || r.to.round != round_.id) return;  // G5
  if (round_.answered.contains(n) || now >= deadline()) return;
  round_.answered.insert(n);
  if (r.answer == answer::granted) round_.yes.insert(n);
  if (r.answer == answer::granted && n == round_.lead) round_.lead_yes = true;
  if (is_no(r.answer)) round_.no.insert(n);
  if (r.queued) round_.queued = true;
}

// From then on what a node says changes nothing (G4, D5, N1).
ns witness::deadline() const noexcept {
  const ns late = round_.start + timeout();
  if (adopts_ && !held_once_) return late;
  if (round_.what == core::verb::renew) return std::min(late, signal_at());
  const bool limited = terms_.wait > core::nanoseconds{0} && terms_.wait != wait_forever;
  return limited ? std::min(late, started_ + terms_.wait.count()) : late;
}

// So many nodes have not said yes that no quorum can (G4).
bool witness::is_lost(const round& r) const noexcept {
  const core::node_set open = (r.asked - r.answered) | r.to_ask;
  return r.yes.size() + open.size() < terms_.quorum;
}

void witness::judge_commands(const core::claim& c, const core::outbox& out,
                             const core::reach& nodes, ns now) {
  const state is = c.where();
  for (const core::command& cmd : out.commands()) {
    expect(nodes.up.contains(cmd.node) || nodes.fresh.contains(cmd.node), "R3",
           "a command for a node without a connection");
    if (cmd.what != core::verb::release) {
      expect(cmd.ttl > core::milliseconds{0}, "G6", "a key without a TTL");
      expect(cmd.ttl <= terms_.ttl, "D6", "a TTL above what was asked for");
      stands_until_[cmd.node] = std::max(stands_until_[cmd.node], now + length(cmd.ttl));
    }
    switch (cmd.what) {
      case core::verb::acquire:
        judge_acquire(cmd, nodes, now);
        break;
      case core::verb::renew:
        judge_renew(cmd, nodes, is, now);
        break;
      case core::verb::refill:
        judge_refill(cmd, is, now);
        break;
      case core::verb::release:
        judge_release(cmd, is, now);
        break;
    }
  }
  expect(!asked_to_renew_ || was_ != state::held || round_.open || is != state::held || expiring_ ||
             out.told() != core::news::none,
         "N6", "a renewal that was asked for is not begun");
}

void witness::open(const core::command& cmd, const core::reach& nodes, ns now) noexcept {
  if (cmd.what == core::verb::acquire) {
    last_attempt_ = cmd.attempt;
    pending_.fill(0);
    unsure_ = has_key_ = confirmed_ = {};
  }
  round_ = {.what = cmd.what,
            .id = cmd.round,
            .attempt = cmd.attempt,
            .start = now,
            .ttl = length(cmd.ttl),
            .asked = {},
            .answered = {},
            .yes = {},
            .no = {},
            .to_ask = {},
            .lead = {},
            .open = true};
  if (cmd.what != core::verb::acquire || !terms_.fair) return;
  round_.lead = nodes.lead;
  round_.to_ask = (nodes.up | nodes.fresh) - nodes.guarded;
}

void witness::judge_acquire(const core::command& cmd, const core::reach& nodes, ns now) {
  expect(!nodes.guarded.contains(cmd.node), "D3", "a guarded node is asked");
  expect(was_ > state::contacting || (nodes.up - nodes.guarded).size() >= terms_.quorum ||
             nodes.fresh.empty() || now >= contacted_ + terms_.connect_timeout.count(),
         "D1", "nodes are asked before first contact is over");
  if (cmd.round != round_.id) {
    expect(cmd.attempt > last_attempt_, "T1", "a token is used again");
    open(cmd, nodes, now);
  }
  judge_queueing(cmd);
  expect(length(cmd.ttl) == length(terms_.ttl), "G2", "a TTL that was not asked for");
  expect(!round_.asked.contains(cmd.node), "G5", "a node is asked twice in one round");
  round_.asked.insert(cmd.node);
  round_.to_ask.erase(cmd.node);
  unsure_.insert(cmd.node);
  ++pending_[cmd.node];
}

void witness::judge_renew(const core::command& cmd, const core::reach& nodes, state is, ns now) {
  const bool adopting = adopts_ && is == state::adopting;
  expect(adopting || (is == state::held && released_at_ == 0), "R5",
         "a renewal of what is not held");
  expect(!expiring_, "N5", "a renewal after the stop signal");
  expect(adopting || now < valid_until_, "N1", "a renewal after the end of validity");
  expect(cmd.attempt == last_attempt_, "T1", "a renewal of another attempt's token");
  if (cmd.round != round_.id) {
    expect(round_.what != core::verb::renew || !round_.open, "N6", "two renewals under way");
    open(cmd, nodes, now);
  }
  expect(length(cmd.ttl) == renewal_ttl(now), "N1", "a renewal for another TTL than is due");
  round_.asked.insert(cmd.node);
  ++pending_[cmd.node];
}

void witness::judge_refill(const core::command& cmd, state is, ns now) {
  expect(is == state::held && released_at_ == 0, "R5", "a refill of what is not held");
  expect(!expiring_ && now < signal_at(), "N5", "a refill after the stop signal");
  expect(cmd.attempt == last_attempt_, "T1", "a refill with another attempt's token");
  expect(!round_.open, "N2", "a refill within a round");
  expect(!success_.yes.contains(cmd.node), "N2", "a refill of a node that has the key");
  expect(!has_key_.contains(cmd.node), "N2", "a refill of a node that said it has the key");
  expect(pending_[cmd.node] == 0, "N2", "a refill behind a command under way");
  expect(!refilled_.contains(cmd.node), "N2", "a node is refilled twice after one success");
  refilled_.insert(cmd.node);
  refill_round_ = cmd.round;
  refill_of_ = success_.id;
  ++pending_[cmd.node];
}

void witness::judge_release(const core::command& cmd, state is, ns now) {
  if (cmd.attempt != last_attempt_) return;  // of an earlier attempt: any time
  expect(!detached_, "R5", "a release of what was detached");
  expect(!adopts_ || held_once_, "N3", "an adoption that failed takes keys back");
  expect(is != state::held, "R5", "a release of a held lease");
  expect(is != state::acquiring || !round_.open, "R1", "a release within its attempt");
  // A signal that nobody lets through holds nobody up once the key must have expired.
  const ns expired =
      std::max(lost_at_, valid_until_) + length(terms_.ttl) + drift(length(terms_.ttl));
  expect(!was_lost_ || signalled_ || now >= expired, "N5",
         "a release before the loss was signalled");
}

// What was asked for, or less where max_hold ends it (N7).
ns witness::renewal_ttl(ns now) const noexcept {
  const ns ttl = length(terms_.ttl);
  if (terms_.max_hold == core::nanoseconds{0} || grant_start_ == 0) return ttl;
  const ns left = grant_start_ + terms_.max_hold.count() - now;
  return std::clamp(left / ms * ms, ms, ttl);
}

// R2: a release that was lost with its connection goes out with the next one. Only where no answer
// can have ended the debt, and the key that it was about may still be there.
void witness::judge_owed(const core::outbox& out, const core::reach& nodes, ns now) {
  core::node_set released;
  for (const core::command& cmd : out.commands()) {
    if (cmd.what == core::verb::release) released.insert(cmd.node);
  }
  for (const core::node_id n : release_lost_ - maybe_free_) {
    if (!nodes.up.contains(n) || nodes_.up.contains(n) || now >= owed_until_[n]) continue;
    expect(released.contains(n), "R2", "an owed release is not sent on the next connection");
  }
}

// The attempt was under way before this input: is it still, and should it be?
void witness::judge_attempt(const core::claim& c, const core::outbox& out, const core::reach& nodes,
                            ns now) {
  const bool won = round_.yes.size() >= terms_.quorum;
  const bool late = now >= deadline();
  const bool waits = waits_for_lead(nodes);
  // The lead did not say yes, and will not: nobody else is asked.
  const bool in_vain = round_.lead_first && !round_.lead_yes && !waits;
  bool newer = false;
  for (const core::command& cmd : out.commands()) {
    newer = newer || (cmd.what == core::verb::acquire && cmd.round != round_.id);
  }
  if (c.where() == state::acquiring && !newer) {
    expect(!won || waits, "G4", "a quorum said yes, and it is not granted");
    expect(!is_lost(round_), "G4", "waits for what cannot change the outcome");
    expect(!in_vain, "G4", "waits for a lead that is none any more");
    expect(!round_.queued, "G3", "others come first, and it goes on");
    expect(!late, "G4", "an attempt outlives its deadline");
    return;
  }
  round_.open = false;
  if (c.where() == state::held || c.where() == state::releasing || c.where() == state::lost) return;
  expect(won || is_lost(round_) || late || cancelled_ || round_.queued || in_vain, "G4",
         "gives up while a quorum is possible");
  const ns left = round_.start + round_.ttl - drift(round_.ttl) - now;
  expect(!won || cancelled_ || round_.queued ||
             left <= std::max(terms_.min_validity, terms_.stop_margin).count(),
         "G3", "gives up what a quorum granted in time");
  judge_rollback(out, nodes);
}

// One renewal round under a token that came from elsewhere. If it fails, nothing is taken back.
void witness::judge_adoption(state is, ns now) {
  const bool won = round_.yes.size() >= terms_.quorum;
  const bool late = now >= deadline();
  if (is == state::adopting) {
    expect(!won, "G4", "a quorum said yes, and it is not adopted");
    expect(!is_lost(round_), "G4", "waits for what cannot change the outcome");
    expect(!late, "G4", "an adoption outlives its deadline");
    return;
  }
  round_.open = false;
  const ns left = round_.start + round_.ttl - drift(round_.ttl) - now;
  const bool too_slow = left <= std::max(terms_.min_validity, terms_.stop_margin).count();
  expect(is_lost(round_) || late || cancelled_ || (won && too_slow), "G4",
         "gives up an adoption while a quorum is possible");
}

// R1: at once, everywhere the acquire may have gone.
void witness::judge_rollback(const core::outbox& out, const core::reach& nodes) {
  core::node_set released;
  for (const core::command& cmd : out.commands()) {
    if (cmd.what == core::verb::release && cmd.attempt == round_.attempt) released.insert(cmd.node);
  }
  // Where the connection is new, what is owed is asked for in order (R2).
  const core::node_set due = unsure_ & (nodes.up | nodes.fresh) & (nodes_.up | nodes_.fresh);
  expect((due - released).empty(), "R1", "a failed attempt is not taken back everywhere");
}

void witness::judge_grant(const core::claim& c, ns now) {
  const ns until = local(c.valid_until());
  expect(round_.yes.size() >= terms_.quorum, "G1", "a grant without a quorum of yes");
  expect(until == round_.start + round_.ttl - drift(round_.ttl), "G2",
         "a validity that is not start + ttl - drift");
  expect(until - now > std::max(terms_.min_validity, terms_.stop_margin).count(), "G3",
         "a grant that came too late");
  expect(!cancelled_, "G3", "a grant after it was cancelled");
  success_ = round_;
  grant_start_ = round_.start;
  // Also who says so with this very input, after the deadline at which it was granted.
  has_key_ = has_key_ | success_.yes;
  confirmed_ = confirmed_ | success_.yes;
  refilled_ = {};
  round_.open = false;
  valid_until_ = until;
}

void witness::judge_renewed(const core::claim& c, ns now) {
  expect(round_.what == core::verb::renew && round_.open, "N1", "renewed, and no round under way");
  expect(round_.yes.size() >= terms_.quorum, "N1", "renewed without a quorum of yes");
  expect(now < deadline(), "N1", "renewed after the stop signal, or the round's deadline");
  const ns until = round_.start + round_.ttl - drift(round_.ttl);
  expect(local(c.valid_until()) == std::max(valid_until_, until), "N1",
         "a validity that is not start + ttl - drift of the renewal");
  if (terms_.max_hold > core::nanoseconds{0}) {
    expect(until <= grant_start_ + terms_.max_hold.count(), "N7", "held beyond max_hold");
  }
  capped_ = round_.ttl < length(terms_.ttl);
  success_ = round_;
  has_key_ = confirmed_ = success_.yes;
  refilled_ = {};
  round_.open = false;
  renew_failed_ = false;
  valid_until_ = local(c.valid_until());
}

void witness::judge_renew_failed(const core::claim& c, ns now) {
  expect(c.where() == state::held, "N3", "a failed renewal ends the lease");
  const bool late = now >= deadline();
  const bool asked = round_.what == core::verb::renew && round_.open;
  expect(!asked || is_lost(round_) || late, "N3", "a renewal fails while a quorum is possible");
  expect(!asked || round_.no.size() <= terms_.nodes - terms_.quorum, "N3",
         "so many nodes disown the lease that no quorum can be, and it is not lost");
  round_.open = false;
  renew_failed_ = true;
}

// N2: after a success every node that is not known to have the key gets it, once it can.
void witness::judge_refilled(const core::reach& nodes, ns now) {
  if (expiring_ || now >= signal_at() || round_.open) return;
  for (const core::node_id n : nodes.up) {
    if (n >= terms_.nodes || has_key_.contains(n) || refilled_.contains(n)) continue;
    expect(pending_[n] > 0, "N2", "a node that misses the key stays so");
  }
}

}  // namespace redlock::sim
