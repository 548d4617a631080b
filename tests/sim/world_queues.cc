// Queues: what lib/io/driver.cc, listener.cc and ticket.cc do for the clients of a world; and what
// those who wait may expect.

#include <algorithm>

#include "core/lead.h"
#include "sim/world.h"

namespace redlock::sim {
namespace {

// How often a waiter is overtaken where nothing goes wrong, at most: by who was on its way.
constexpr std::size_t overtaken_max = 2;
}  // namespace

// The driver's choice: the first of its order that can be asked.
std::optional<core::node_id> world::lead_of(const client& c) const {
  for (const core::node_id n : c.leads) {
    const link& l = c.links[n];
    if (l.up && !l.vote.guarded && !l.silent) return n;
  }
  return {};
}

// Whom node n would reach, as it thinks.
hearers world::listening(std::size_t n) const {
  hearers all = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    const ear& one = clients_[i].links[n].turns;
    if (one.heard || one.haunted > now_) all |= hearers{1} << i;
  }
  return all;
}

// What a command says of its ticket at the moment it is written.
void world::write_turn(std::size_t who, std::size_t n, request& r) {
  const client& c = clients_[who];
  r.listens = c.links[n].turns.told;
  r.from = static_cast<channel_id>(who);
  r.released = c.tickets[r.slot].released;
}

model_call world::call_of(std::size_t n, const request& r) const {
  const auto life = r.listens ? core::place_life_told : core::place_life_untold;
  return {.what = r.cmd.what,
          .who = r.who,
          .attempt = r.cmd.attempt,
          .ttl = core::nanoseconds{r.cmd.ttl}.count(),
          .released = r.released,
          .queue = r.cmd.queue,
          .channel = r.from,
          .listens = r.listens,
          .life = core::nanoseconds{life}.count(),
          .window = climate_.node_timeout_ms * ms,
          .listening = listening(n)};
}

// What the lead says of other clients.
void world::note_others(client& c, const request& r, const model_reply& said) {
  if (r.cmd.queue == core::queueing::none || !c.terms.fair || lead_of(c) != r.cmd.node) return;
  const bool final =
      said.said == answer::granted || said.said == answer::absent || said.said == answer::foreign;
  if (said.said == answer::refused) c.others = true;
  if (r.cmd.what == core::verb::release && final) c.others = said.waiting > 0;
}

// From the first time that it waits.
void world::start_listening(std::size_t who) {
  client& c = clients_[who];
  if (climate_.wakeups == 0 || std::exchange(c.listens, true)) return;
  for (std::size_t n = 0; n < c.links.size(); ++n) connect_ear(who, n);
}

void world::connect_ear(std::size_t who, std::size_t n) {
  const link& l = clients_[who].links[n];
  if (!l.up || l.turns.told) return;
  push({.at = now_ + ms + chance_.upto(3 * climate_.delay_us * us),
        .what = kind::listen,
        .who = static_cast<std::uint8_t>(who),
        .node = static_cast<std::uint8_t>(n),
        .tag = l.turns.generation});
}

void world::listen(const event& e) {
  link& l = clients_[e.who].links[e.node];
  if (!l.up || l.turns.told) return;
  const master& m = masters_[e.node];
  event later = e;
  later.at = std::max({l.turns.deaf, l.blocked_out, l.blocked_back, m.stopped, m.down});
  if (later.at > now_) {
    later.at += ms + chance_.upto(20 * ms);
    push(later);
    return;
  }
  l.turns.told = l.turns.heard = true;
  tell_reach(e.who);
}

// The client closes it. In a network that is cut the node may not hear of that.
void world::close_ear(std::size_t who, std::size_t n) {
  ear& one = clients_[who].links[n].turns;
  ++one.generation;
  if (one.heard && !calm_ && chance_.of_1000(100)) {
    one.haunted = now_ + chance_.upto(climate_.fault_ms * ms);
  }
  one.told = one.heard = false;
}

// The client finds out that nothing comes.
void world::go_deaf(const event& e) {
  close_ear(e.who, e.node);
  connect_ear(e.who, e.node);
  tell_reach(e.who);
}

// Either the node's end is gone, or nothing gets through.
void world::cut_ear(std::size_t who, std::size_t n, real until) {
  ear& one = clients_[who].links[n].turns;
  one.deaf = until;
  if (!one.told) return;
  if (chance_.of_1000(500)) one.heard = false;
  push({.at = until,
        .what = kind::deaf,
        .who = static_cast<std::uint8_t>(who),
        .node = static_cast<std::uint8_t>(n),
        .tag = one.generation});
}

// What a call has meant for those who wait.
void world::on_queue(std::size_t n, const request& r, const model_reply& said) {
  if (r.cmd.queue == core::queueing::none) return;
  if (said.queued) seen_.saw(queueing_event::queued);
  if (said.took_over) seen_.saw(queueing_event::took_over);
  if (r.cmd.queue == core::queueing::leave) seen_.saw(queueing_event::left);
  for (std::size_t i = 0; i < said.dropped; ++i) seen_.saw(queueing_event::dropped);
  if (said.woken) publish(n, *said.woken);
  if (r.cmd.what != core::verb::acquire) return;
  for (ticket& t : clients_[r.from].tickets) {
    if (t.epoch != r.epoch || !t.claim) continue;
    t.asked = std::min(t.asked, now_);
    const auto& places = masters_[n].keys.queue().places();
    const bool has_place =
        std::ranges::any_of(places, [&](const auto& p) { return p.is(r.who, r.from); });
    if (has_place) t.waits = std::min(t.waits, now_);
  }
}

void world::publish(std::size_t n, const wakeup& w) {
  const link& l = clients_[w.channel].links[n];
  history_.note(now_, [&] {
    return "node " + std::to_string(n) + " tells client " + std::to_string(w.channel) +
           " that it is its turn";
  });
  const bool lost = !calm_ && chance_.of_1000(climate_.lose_wakeups);
  if (lost) seen_.saw(fault::lose_wakeups);
  if (lost || !l.turns.heard || l.turns.deaf > now_) {
    seen_.saw(queueing_event::in_vain);
    return;
  }
  messages_.push_back({w, l.turns.generation});
  push({.at = std::max(now_ + travel_time(n), l.blocked_back),
        .what = kind::told,
        .who = w.channel,
        .node = static_cast<std::uint8_t>(n),
        .tag = static_cast<std::uint32_t>(messages_.size() - 1)});
}

// A turn of somebody who has gone is handed on by the release that took the place away.
void world::told(const event& e) {
  client& c = clients_[e.who];
  const message m = messages_[e.tag];
  if (m.generation != c.links[e.node].turns.generation) {
    seen_.saw(queueing_event::in_vain);
    return;
  }
  auto* const waiter = static_cast<ticket*>(c.line.waiter());
  if (waiter == nullptr || waiter->who != m.what.who) {
    seen_.saw(queueing_event::too_late);
    return;
  }
  seen_.saw(queueing_event::told);
  history_.note(now_, [&] {
    return "client " + std::to_string(e.who) + " lock " + std::to_string(waiter->epoch) +
           " is told that it is its turn";
  });
  if (m.what.released) waiter->released = m.what.released;
  tell_turn(e.who, static_cast<std::size_t>(waiter - c.tickets.data()));
}

// G3: who does not answer for a node time-out leads nobody.
void world::watch_silence(std::size_t who, std::size_t n) {
  link& l = clients_[who].links[n];
  if (climate_.fair == 0 || l.silent || l.written.empty() || std::exchange(l.timed, true)) return;
  push({.at = std::max(now_, l.written.front().at + climate_.node_timeout_ms * ms),
        .what = kind::silence,
        .who = static_cast<std::uint8_t>(who),
        .node = static_cast<std::uint8_t>(n),
        .tag = l.generation});
}

void world::check_silence(const event& e) {
  link& l = clients_[e.who].links[e.node];
  l.timed = false;
  if (l.written.empty()) return;
  if (now_ < l.written.front().at + climate_.node_timeout_ms * ms) {
    watch_silence(e.who, e.node);
    return;
  }
  l.silent = true;
  seen_.saw(queueing_event::silent);
  tell_reach(e.who);
}

// Q6: who has come later has to wait longer.
void world::note_grant(const ticket& t) {
  if (t.watch->asked_lead_first()) seen_.saw(queueing_event::lead_first);
  if (t.watch->granted_leadless()) seen_.saw(queueing_event::leadless);
  if (!climate_.is_orderly()) return;
  for (client& c : clients_) {
    for (ticket& other : c.tickets) {
      const bool waits = other.claim && other.claim->where() < core::claim::state::held;
      if (!waits || other.waits >= t.asked) continue;
      seen_.saw_overtaken(++other.overtaken);
      if (other.overtaken > overtaken_max) violated("Q6", "one who waits is overtaken");
    }
  }
}

// Q5: a lost wake-up, or one of somebody who is dead, holds nobody up for long.
void world::check_served() {
  const bool counts = climate_.fair != 0 && climate_.is_quick() && climate_.clock_back == 0;
  if (!calm_ || holders_ > 0 || !counts) {
    free_since_ = now_;
    return;
  }
  const bool guarded = climate_.restart_guard + climate_.clock_guard > 0;
  const ns ttl = std::max(climate_.ttl_ms, climate_.max_ttl_ms) * ms;
  const bool waits = std::ranges::any_of(clients_, [&](const client& c) {
    const bool awake = c.alive && c.stands_still <= now_;
    return awake && std::ranges::any_of(c.tickets, [](const ticket& t) {
             return t.claim && t.claim->where() < core::claim::state::held;
           });
  });
  if (!waits) {
    free_since_ = now_;
    return;
  }
  // What is left of a key, some turns of the dead, and until a guard ends.
  const ns longest =
      ttl + core::nanoseconds{core::place_life_untold}.count() + (guarded ? ttl + 3'000 * ms : 0);
  if (!guarded) seen_.saw_free(now_ - free_since_ - ttl);
  if (now_ - free_since_ > longest) violated("Q5", "it is free, others wait, and nobody gets it");
}

}  // namespace redlock::sim
