// Guards: what lib/io/health.cc and driver.cc do with core/guard.h, for the clients of a world; and
// what may follow for a grant.

#include <algorithm>

#include "sim/world.h"

namespace redlock::sim {

// What a client enrols: always its own, even if it has seen a larger one.
core::milliseconds world::own_max_ttl(const client& c) const {
  return std::max(c.terms.ttl, core::milliseconds{climate_.max_ttl_ms});
}

// A connection was set up: the node says who it is, and is enrolled, where that can be.
void world::set_up(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  trust& v = c.links[n].vote;
  const master& m = masters_[n];
  core::introduction self{.durable = climate_.durable != 0};
  if (c.may_ask) {
    self.told = true;
    self.uptime = std::chrono::floor<std::chrono::seconds>(
        core::nanoseconds{std::max<ns>(0, m.clock.at(now_) - m.born)});
    self.changed = v.process != 0 && v.process != m.process;
    self.promoted = m.promoted;
    self.again = v.replid != m.replid;
    v.process = m.process;
    v.replid = m.replid;
  } else {
    seen_.saw(watched::unverified);
  }
  v.guard.on_set_up(self, local(c));
  v.up = true;
  v.next_look = local(c) + core::sample_every;
  v.asked = false;
  request r{
      .cmd = {.node = static_cast<core::node_id>(n)}, .look = true, .max_ttl = own_max_ttl(c)};
  r.written = local(c) - core::nanoseconds{chance_.upto(2 * climate_.delay_us * us)};
  run_look(n, r);
  if (r.max_ttl == core::milliseconds{0}) seen_.saw(watched::not_enrolled);
  on_shown(who, n, r);
  review(who, n);
}

// It is time to look at the node's clock, or a guard has come to its end.
void world::look(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  link& l = c.links[n];
  if (local(c) >= l.vote.next_look && !l.vote.asked) {
    l.vote.asked = true;
    l.vote.next_look = local(c) + core::sample_every;
    l.unwritten.push_back(
        {.cmd = {.node = static_cast<core::node_id>(n)}, .look = true, .max_ttl = own_max_ttl(c)});
    push({.at = now_ + chance_.upto(100 * us),
          .what = kind::write,
          .who = static_cast<std::uint8_t>(who),
          .node = static_cast<std::uint8_t>(n)});
  }
  review(who, n);
}

// enroll.lua, in words of its own. `r.max_ttl` brings the client's own and takes the node's back;
// 0: it was not enrolled.
void world::run_look(std::size_t n, request& r) {
  master& m = masters_[n];
  m.knows_scripts = m.knows_scripts || r.by_text;
  r.executed = now_;
  if (m.errors > now_) return;
  const core::milliseconds ours = r.max_ttl;
  r.max_ttl = core::milliseconds{0};
  if (m.max_ttl < ours) {
    r.said.said = m.replica > now_ ? answer::replica : answer::error;
    if (m.replica > now_ || m.out_of_memory > now_) return;
    m.max_ttl = ours;
  }
  r.said.said = answer::granted;
  r.shown = m.clock.at(now_);
  r.max_ttl = m.max_ttl;
}

// A reply that carries the node's TIME, before it is settled.
void world::on_shown(std::size_t who, std::size_t n, const request& r) {
  client& c = clients_[who];
  if (r.shown == 0) return;
  note_clock(who, n,
             {.shown = core::nanoseconds{r.shown}, .sent = r.written, .received = local(c)});
  if (r.max_ttl > core::milliseconds{0}) note_enrolment(who, n, r.max_ttl);
  review(who, n);
}

void world::on_look_settled(std::size_t who, std::size_t n) {
  clients_[who].links[n].vote.asked = false;
  review(who, n);
}

void world::note_clock(std::size_t who, std::size_t n, const core::clock_sample& s) {
  core::guard& g = clients_[who].links[n].vote.guard;
  const core::clock_change seen = g.on_sample(s);
  if (seen == core::clock_change::back) seen_.saw(watched::back);
  if (seen == core::clock_change::forward) {
    seen_.saw(watched::stepped);
    tell_step(who, n);
  }
  if (g.was_unwatched()) compare_clocks(who);
}

void world::note_enrolment(std::size_t who, std::size_t n, core::milliseconds max_ttl) {
  client& c = clients_[who];
  c.links[n].vote.guard.on_enrolled();
  if (max_ttl <= c.max_ttl) return;
  c.max_ttl = max_ttl;
  for (std::size_t i = 0; i < c.links.size(); ++i) review(who, i);
}

void world::compare_clocks(std::size_t who) {
  client& c = clients_[who];
  core::yardstick typical;
  for (const link& l : c.links) typical.add(l.vote.guard);
  const core::nanoseconds own{wall_clock + now_ - c.clock.at(now_)};
  const auto length = typical.length(c.links.size(), own);
  if (!length) return;
  for (std::size_t n = 0; n < c.links.size(); ++n) {
    if (!c.links[n].vote.guard.compare(*length, c.max_ttl, local(c))) continue;
    seen_.saw(watched::compared);
    tell_step(who, n);
  }
}

void world::tell_step(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  history_.note(now_, [&] {
    return "client " + std::to_string(who) + " sees the clock of node " + std::to_string(n) +
           " go forward";
  });
  for (std::size_t slot = 0; slot < c.tickets.size(); ++slot) step_clock(who, slot, n);
  review(who, n);
}

// Whether it has its vote: time has passed, or the largest max_ttl has grown.
void world::review(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  link& l = c.links[n];
  if (!l.vote.up) return;
  const core::guard::standing standing = l.vote.guard.at(c.max_ttl);
  const bool moved = std::exchange(l.vote.until, standing.until) != standing.until;
  const bool turned =
      std::exchange(l.vote.guarded, standing.until > local(c)) != (standing.until > local(c));
  arm_look(who, n);
  if (!turned && !(moved && l.vote.guarded)) return;
  if (!l.vote.guarded) seen_.saw(watched::waited_out);
  if (l.vote.guarded && standing.why == node_guard::restarted) seen_.saw(watched::restarted);
  if (l.vote.guarded && standing.why == node_guard::promoted) seen_.saw(watched::promoted);
  history_.note(now_, [&] {
    return "client " + std::to_string(who) + (l.vote.guarded ? " guards" : " trusts") + " node " +
           std::to_string(n);
  });
  if (l.up) tell_reach(who);
}

void world::arm_look(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  trust& v = c.links[n].vote;
  core::time_point at = v.asked ? core::never : v.next_look;
  if (v.guarded) at = std::min(at, v.until);
  ++v.timer;
  if (at == core::never || !is_busy(c)) return;
  push({.at = std::max(now_, c.clock.when(at.time_since_epoch().count())),
        .what = kind::look,
        .who = static_cast<std::uint8_t>(who),
        .node = static_cast<std::uint8_t>(n),
        .tag = v.timer});
}

// Only a busy client looks at clocks: else no world would ever come to rest.
bool world::is_busy(const client& c) const {
  return c.claims_left > 0 ||
         std::ranges::any_of(c.tickets, [](const ticket& t) { return t.claim.has_value(); });
}

// D3, D4: this grant counted no vote of a node that may just have forgotten a live lock, as far as
// this client can know how long locks live (D6).
void world::check_votes(const client& c, const ticket& t) {
  const auto within_ttl = [&](real since, real then) {
    return since != no_time && then >= since && then - since < core::nanoseconds{c.max_ttl}.count();
  };
  if (t.watch->is_adoption()) return;
  for (const core::node_id n : t.watch->counted()) {
    const master& m = masters_[n];
    if (climate_.notices_restarts() && !climate_.clocks_go_wrong() &&
        within_ttl(m.forgot, t.voted[n])) {
      violated("D3", "a vote of a node that may have forgotten a lock");
    }
    if (climate_.notices_steps() && within_ttl(m.stepped, t.voted[n])) {
      violated("D4", "a vote of a node whose clock has just gone forward");
    }
  }
}

}  // namespace redlock::sim
