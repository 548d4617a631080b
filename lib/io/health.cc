// The guard's inputs, and what follows from them.

#include "io/health.h"

#include <algorithm>
#include <utility>

#include "io/driver.h"

namespace redlock::io {

health::health(driver& where, core::node_id id)
    : driver_(where), id_(id), guard_(where.config().guard) {}

health::~health() { driver_.timers().clear(*this); }

void health::on_set_up(const identity& who, bool durable, core::time_point now) noexcept {
  core::introduction self{.durable = durable};
  if (who.is_verified() && who.uptime) {
    self.told = true;
    self.uptime = *who.uptime;
    self.changed = !run_id_.empty() && run_id_ != who.run_id;
    self.promoted = who.promoted;
    self.again = replid_ != who.replid;
    run_id_ = who.run_id;
    replid_ = who.replid;
  }
  guard_.on_set_up(self, now);
  up_ = true;
  next_look_ = now + core::sample_every;
}

void health::on_promoted(const identity& who, core::time_point now) noexcept {
  replid_ = who.replid;
  guard_.on_promoted(now);
  review(now);
}

void health::on_down() noexcept {
  up_ = false;
  driver_.timers().clear(*this);
}

void health::on_reply(const node_reply& r, core::time_point sent, core::time_point now) noexcept {
  if (r.shown == core::nanoseconds{0}) return;
  const core::clock_change seen =
      guard_.on_sample({.shown = r.shown, .sent = sent, .received = now});
  if (seen == core::clock_change::forward) on_step(now);
  if (guard_.was_unwatched()) driver_.compare_clocks(now);
  if (r.max_ttl > core::milliseconds{0}) {
    guard_.on_enrolled();
    driver_.on_max_ttl(r.max_ttl, now);
  }
  review(now);
}

void health::compare(core::nanoseconds median, core::time_point now) noexcept {
  if (guard_.compare(median, driver_.max_ttl(), now)) on_step(now);
}

void health::on_step(core::time_point now) noexcept {
  next_look_ = now;
  driver_.on_step(id_, now);
}

void health::review(core::time_point now) noexcept {
  if (!up_) return;
  const core::time_point until = guard_.at(driver_.max_ttl()).until;
  const bool guarded = until > now;
  const bool moved = std::exchange(until_, until) != until;
  const bool turned = std::exchange(guarded_, guarded) != guarded;
  arm();
  if (turned || (moved && guarded_)) driver_.on_guard_changed(id_, now);
}

void health::arm() noexcept {
  core::time_point at = asked_ ? core::never : next_look_;
  if (guarded_) at = std::min(at, until_);
  driver_.timers().set(*this, at);
}

std::string health::said(core::time_point now) const {
  node_status s;
  const core::guard::standing standing = guard_.at(driver_.max_ttl());
  if (standing.until > now) {
    s.guard = standing.why;
    s.no_vote_for = standing.until == core::never ? core::nanoseconds::max() : standing.until - now;
  }
  return s.guarded();
}

script_call health::enrolment() const noexcept {
  return {.what = script::enroll, .key = "redlock-node", .ttl = driver_.config().max_ttl};
}

bool health::wants(const core::command& /*c*/, core::time_point /*now*/) noexcept { return true; }

script_call health::call(const core::command& /*c*/) noexcept { return enrolment(); }

void health::on_settled(const core::command& /*c*/, const node_reply& /*r*/,
                        core::time_point now) noexcept {
  asked_ = false;
  review(now);
}

void health::on_time(core::time_point now) noexcept {
  if (now >= next_look_ && !asked_) {
    asked_ = true;
    next_look_ = now + core::sample_every;
    driver_.node_at(id_).enqueue(*this, script::enroll, {.node = id_});
    driver_.node_at(id_).look_at_role();
  }
  review(now);
}

}  // namespace redlock::io
