// The states, the timer, what the claim tells, and what is written. Rounds and commands are in
// witness_rounds.cc.

#include "sim/witness.h"

#include <algorithm>

namespace redlock::sim {
namespace {

ns local(core::time_point t) noexcept { return t.time_since_epoch().count(); }

}  // namespace

witness::witness(const core::terms& t) noexcept : terms_(t) {}

void witness::expect(bool holds, const char* rule, const char* what) {
  if (!holds && !breach_) breach_ = breach{rule, what};
}

ns witness::timeout() const noexcept {
  return std::min<ns>(terms_.node_timeout.count(), core::nanoseconds{terms_.ttl}.count() / 2);
}

bool witness::limited() const noexcept {
  return terms_.wait > core::nanoseconds{0} && terms_.wait != wait_forever && !adopts_ &&
         !takes_back_;
}

ns witness::signal_at() const noexcept { return valid_until_ - terms_.stop_margin.count(); }

void witness::on_acquire(ns now) noexcept { started_ = contacted_ = now; }
void witness::on_queue(ns now) noexcept { started_ = now; }
void witness::on_admit(ns now) noexcept { contacted_ = now; }

void witness::on_adopt(core::attempt_id k, ns now) noexcept {
  started_ = contacted_ = now;
  last_attempt_ = k;
  adopts_ = true;
}

void witness::on_take_back(core::attempt_id k, ns now) noexcept {
  started_ = contacted_ = now;
  last_attempt_ = k;
  takes_back_ = true;
}

void witness::on_detach() noexcept {
  detached_ = true;
  round_.open = false;
}

// D4: what the node said before is void.
void witness::on_step(core::node_id n) noexcept {
  stepped_ = true;
  round_.yes.erase(n);
  confirmed_.erase(n);
}

void witness::on_release(ns now) noexcept {
  released_at_ = now;
  round_.open = false;
  if (was_ == state::lost) signalled_ = true;  // whoever releases has stopped
}

void witness::judge(const core::claim& c, const core::outbox& out, const core::reach& nodes,
                    ns now) {
  const state is = c.where();
  if (round_.what == core::verb::acquire && round_.open) {  // D3, D4
    round_.yes = round_.yes - nodes.guarded;
    has_key_ = has_key_ - nodes.guarded;
    round_.answered = round_.answered | (round_.asked & nodes.guarded);
    round_.to_ask = round_.to_ask - nodes.guarded;
    if (round_.lead_yes) round_.to_ask = round_.to_ask & (nodes.up | nodes.fresh);
  }
  if (takes_back_ && is == state::releasing && released_at_ == 0) released_at_ = now;
  expect(is != state::queued || out.commands().empty(), "line", "asks before its turn");
  judge_state(is);
  if (out.told() == core::news::acquired && !adopts_) judge_lead(nodes, now);
  judge_news(c, out.told(), now);
  if (was_ == state::acquiring && round_.what == core::verb::acquire && round_.open) {
    judge_attempt(c, out, nodes, now);
  }
  if (was_ == state::adopting && round_.open) judge_adoption(is, now);
  judge_owed(out, nodes, now);
  judge_commands(c, out, nodes, now);
  settle_lead(nodes);
  judge_places(is, out, nodes);
  judge_validity(c, out.told());
  held_once_ = held_once_ || is == state::held;
  if (is == state::held) {
    expect(now < valid_until_, "C4", "held past the end of its validity");
    expect(expiring_ || now < signal_at(), "N5", "the stop signal is late");
    judge_refilled(nodes, now);
    expect(!stepped_ || confirmed_.size() >= terms_.quorum, "D4",
           "held without a quorum of nodes whose clocks did not go forward");
  }
  if (is == state::releasing) {
    // A step is no input of a release.
    expect(stepped_ || now < released_at_ + timeout(), "R4", "a release outlives its time-out");
  }
  judge_patience(is, now);
  judge_timer(c, now);
  was_ = is;
  nodes_ = nodes;
  owner_saw_expiry_ = false;
  asked_to_renew_ = false;
  stepped_ = false;
}

// No path leads back (N4), and nothing but the picture of claim.h.
void witness::judge_state(state is) {
  const auto rank = [](state s) { return s == state::pausing ? state::acquiring : s; };
  switch (was_) {
    case state::idle:
    case state::queued:
    case state::contacting:
    case state::acquiring:
    case state::adopting:
    case state::pausing:
      expect(rank(is) >= rank(was_) || is == state::ended, "N4", "a claim goes back");
      expect(
          (is == state::releasing && takes_back_) || (is != state::releasing && is != state::lost),
          "N4", "an end of what never was held");
      expect(is != state::adopting || adopts_, "T1", "an acquire adopts");
      expect(is != state::acquiring || !(adopts_ || takes_back_), "T1",
             "an attempt under a token that came from elsewhere");
      break;
    case state::held:
      expect(is == state::held || is == state::releasing || is == state::lost ||
                 (is == state::ended && (released_at_ != 0 || detached_)),
             "N4", "a holder becomes something else");
      break;
    case state::releasing:
      expect(is == state::releasing || is == state::ended, "N4", "released, and back");
      break;
    case state::lost:
      expect(is == state::lost || is == state::ended, "N4", "lost, and back");
      break;
    case state::ended:
      expect(is == state::ended, "N4", "ended, and back");
      break;
  }
}

void witness::judge_news(const core::claim& c, core::news told, ns now) {
  switch (told) {
    case core::news::none:
      break;
    case core::news::acquired:
      expect(!ended_acquire_, "H1", "an acquire ends twice");
      ended_acquire_ = true;
      judge_grant(c, now);
      break;
    case core::news::gave_up:
      expect(!ended_acquire_, "H1", "an acquire ends twice");
      ended_acquire_ = true;
      break;
    case core::news::renewed:
      judge_renewed(c, now);
      break;
    case core::news::renew_failed:
      judge_renew_failed(c, now);
      break;
    case core::news::expiring:
      expect(!expiring_, "N5", "the stop signal fires twice");
      expect(now >= signal_at(), "N5", "the stop signal is early");
      expiring_ = true;
      round_.open = false;
      break;
    case core::news::lost:
      judge_loss(c, now);
      break;
    case core::news::released:
    case core::news::unconfirmed:
      expect(!ended_release_, "H1", "a release ends twice");
      ended_release_ = true;
      expect(told != core::news::released || release_answered_.size() >= terms_.quorum, "R4",
             "a release counts as confirmed without a quorum of answers");
      break;
  }
  expect(c.where() != state::held || told == core::news::acquired || ended_acquire_, "H1",
         "a grant that nobody was told of");
}

void witness::judge_loss(const core::claim& c, ns now) {
  expect(!was_lost_, "N5", "loss is signalled twice");
  was_lost_ = true;
  lost_at_ = now;
  const bool in_time = now >= valid_until_;
  const bool disowned = round_.what == core::verb::renew && round_.open &&
                        round_.no.size() > terms_.nodes - terms_.quorum;
  const bool voided = stepped_ && (capped_ || (success_.yes & confirmed_).size() < terms_.quorum);
  expect(in_time || disowned || owner_saw_expiry_ || voided, "N3",
         "lost while it is valid, and a quorum of keys possible");
  expect(c.where() == state::lost, "N4", "lost, and not in that state");
  round_.open = false;
}

// The end of validity moves by a grant or a renewal only, and never back (N3).
void witness::judge_validity(const core::claim& c, core::news told) {
  const ns until = local(c.valid_until());
  if (told != core::news::acquired && told != core::news::renewed) {
    expect(until == valid_until_, "N3", "the validity changes by itself");
  }
  expect(until >= valid_until_, "N1", "the validity is shortened");
  valid_until_ = until;
}

// Deadlines that no peer can put off. A client that stood still settles with its first input.
void witness::judge_patience(state is, ns now) {
  if (is != state::queued && is != state::contacting && is != state::acquiring &&
      is != state::pausing) {
    return;
  }
  expect(!limited() || now < started_ + terms_.wait.count(), "G4",
         "an acquire outlives its budget");
  expect(is != state::contacting || now < contacted_ + terms_.connect_timeout.count(), "G4",
         "first contact outlives its time-out");
  expect(!cancelled_, "G4", "an acquire outlives its cancellation");
}

void witness::judge_timer(const core::claim& c, ns now) {
  const core::time_point wake = c.wake();
  const ns at = wake == core::never ? no_time : local(wake);
  switch (c.where()) {
    case state::idle:
      break;
    case state::queued:
      expect(!limited() || at <= started_ + terms_.wait.count(), "G4", "no timer for its budget");
      break;
    case state::contacting:
      expect(at <= contacted_ + terms_.connect_timeout.count(), "G4", "no timer for first contact");
      break;
    case state::acquiring:
    case state::adopting:
      expect(at <= round_.start + timeout(), "G4", "no timer for an attempt");
      break;
    case state::pausing:
      expect(!limited() || at <= started_ + terms_.wait.count(), "G4", "no timer for its budget");
      [[fallthrough]];
    case state::lost:
      expect(at != no_time, "G4", "waits, and no timer would end it");
      break;
    case state::held: {
      const bool renews = terms_.renew_every > core::nanoseconds{0} && !expiring_ && !capped_;
      const bool in_round = round_.what == core::verb::renew && round_.open;
      expect(at <= (expiring_ ? valid_until_ : signal_at()), "N5", "no timer for the stop signal");
      if (renews && !in_round && renew_failed_) {
        expect(at <= now + timeout(), "N3", "a renewal that failed is not tried again");
      }
      if (renews && !in_round && !renew_failed_) {
        // It may be early by a tenth. From then on it may have found nobody to ask.
        const ns due = success_.start + terms_.renew_every.count();
        const ns early = terms_.renew_every.count() / 10;
        expect(at <= (now < due - early ? due : std::max(due, now + timeout())), "N6",
               "a renewal is due later than its interval after the confirmed start");
      }
      break;
    }
    case state::releasing:
      expect(at <= released_at_ + timeout(), "R4", "no timer for a release");
      break;
    case state::ended:
      expect(c.finished() || at != no_time, "R2", "owes a release, and no timer ends that");
      break;
  }
}

void witness::judge_wake(const core::claim& c, ns now) {
  expect(c.wake() == core::never || local(c.wake()) > now, "H1", "a busy loop");
}

void witness::judge_write(const core::command& cmd, ns now) {
  const bool current = cmd.round == round_.id && round_.open && was_ != state::ended;
  switch (cmd.what) {
    case core::verb::acquire:
      expect(!nodes_.guarded.contains(cmd.node), "D3", "an acquire is written to a guarded node");
      expect(current && was_ == state::acquiring, "R3", "an acquire is written after its round");
      expect(now < round_.start + timeout(), "R3", "an acquire is written after its deadline");
      break;
    case core::verb::renew:
      expect(current && (was_ == state::held || was_ == state::adopting), "R3",
             "a renewal is written after its round");
      expect(now < deadline(), "R3", "a renewal is written after its deadline, or the stop signal");
      break;
    case core::verb::refill:
      expect(was_ == state::held && released_at_ == 0, "R5",
             "a refill is written for what is not held");
      expect(!expiring_ && now < signal_at(), "N5", "a refill is written after the stop signal");
      expect(cmd.round == refill_round_ && refill_of_ == success_.id, "R3",
             "a refill is written after the next success");
      break;
    case core::verb::release:
      break;
  }
}

}  // namespace redlock::sim
