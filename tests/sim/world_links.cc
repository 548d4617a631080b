// Connections: what the driver does with commands, and the network and the masters with requests.

#include <algorithm>
#include <utility>

#include "core/words.h"
#include "sim/world.h"

namespace redlock::sim {
namespace {

constexpr ns hung_timeout = 200 * ms;

}  // namespace

// The driver's turn to write to node n.
void world::write(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  link& l = c.links[n];
  if (l.fresh) return;
  // Settling may queue more: it has a turn of its own.
  const std::vector<request> queue = std::exchange(l.unwritten, {});
  for (const request& r : queue) {
    if (r.look) {
      if (l.up) transmit(who, n, r);
      if (!l.up) on_look_settled(who, n);
      continue;
    }
    ticket& t = c.tickets[r.slot];
    const bool current = t.claim && t.epoch == r.epoch;
    if (!l.up || !current || !t.claim->wants(r.cmd, local(c))) {
      settle(who, r, {.said = answer::unsent});
      continue;
    }
    t.watch->judge_write(r.cmd, c.clock.at(now_));
    hear(t);
    transmit(who, n, r);
    if (!calm_ && chance_.of_1000(climate_.cut)) {
      seen_.saw(fault::cut);
      cut(who, n);
    }
  }
}

ns world::travel_time(std::size_t n) {
  if (calm_) return chance_.upto(climate_.delay_us * us);
  if (chance_.of_1000(climate_.slow) || masters_[n].slow > now_) {
    seen_.saw(fault::delayed);
    return chance_.upto(std::max<knob_value>(climate_.slow_ms, 50) * ms);
  }
  return chance_.upto(climate_.delay_us * us);
}

void world::transmit(std::size_t who, std::size_t n, request r) {
  link& l = clients_[who].links[n];
  if (l.written.empty()) {
    l.last_heard = now_;
    if (!std::exchange(l.watched, true)) {
      push({.at = now_ + hung_timeout,
            .what = kind::hung,
            .who = static_cast<std::uint8_t>(who),
            .node = static_cast<std::uint8_t>(n),
            .tag = l.generation});
    }
  }
  r.written = local(clients_[who]);
  r.at = now_;
  if (!r.look) write_turn(who, n, r);
  l.written.push_back(r);
  watch_silence(who, n);
  l.last_request = std::max(l.last_request, now_ + travel_time(n));
  push({.at = l.last_request,
        .what = kind::request,
        .who = static_cast<std::uint8_t>(who),
        .node = static_cast<std::uint8_t>(n),
        .tag = l.generation});
}

// The next request of a connection arrives at its node.
void world::deliver(const event& e) {
  link& l = clients_[e.who].links[e.node];
  master& m = masters_[e.node];
  if (e.tag != l.generation || l.severed) return;  // cut() has seen to it
  const real open = std::max(l.blocked_out, m.stopped);
  if (open > now_) {
    event later = e;
    later.at = open;
    push(later);
    return;
  }
  request& r = l.written[l.executed++];
  r.unknown = !m.knows_scripts && !r.by_text;
  if (!r.unknown && r.look) run_look(e.node, r);
  if (!r.unknown && !r.look) {
    r.said = execute(e.node, r);
    r.executed = now_;
    if (r.said.said != answer::error && r.said.said != answer::replica) r.shown = m.clock.at(now_);
  }
  if (!calm_ && chance_.of_1000(climate_.cut_reply)) {
    seen_.saw(fault::cut_reply);
    sever(e.who, e.node);
    return;
  }
  l.last_reply = std::max({l.last_reply, now_ + travel_time(e.node), l.blocked_back});
  push({.at = l.last_reply, .what = kind::answer, .who = e.who, .node = e.node, .tag = e.tag});
}

// A request of a broken connection arrives after all, and nobody hears what it did.
void world::haunt(const event& e) {
  const request r = ghosts_[e.tag];
  const master& m = masters_[e.node];
  if (m.down > now_) return;
  if (m.stopped > now_) {
    event later = e;
    later.at = m.stopped;
    push(later);
    return;
  }
  if (r.look) return;
  seen_.saw(fault::executed_late);
  execute(e.node, r);
}

model_reply world::execute(std::size_t n, const request& r) {
  master& m = masters_[n];
  m.knows_scripts = m.knows_scripts || r.by_text;
  model_reply said;
  if (m.errors > now_) {
    said = {.said = answer::error};
  } else if (m.replica > now_) {
    said = {.said = answer::replica};
  } else {
    const quirks q{.blind_release = climate_.blind_release != 0,
                   .idle_release = climate_.idle_release != 0,
                   .any_own_attempt = climate_.any_own_attempt != 0,
                   .any_takeover = climate_.any_takeover != 0,
                   .shortening = climate_.shortening != 0};
    said = m.keys.run(call_of(n, r), m.clock.at(now_), m.out_of_memory > now_, q);
  }
  history_.note(now_, [&] {
    return "node " + std::to_string(n) + " runs " + std::string(core::word(r.cmd.what)) + " " +
           std::to_string(r.cmd.attempt) + " of lock " + std::to_string(r.epoch) + ": " +
           (said.queued ? "queued" : std::string(word(said.said)));
  });
  on_queue(n, r, said);
  if (!said.changed) return said;
  for (client& c : clients_) {
    for (ticket& t : c.tickets) {
      if (t.epoch != r.epoch || !t.claim) continue;
      const auto id = static_cast<core::node_id>(n);
      if (r.cmd.round == t.open.round) t.open.executed.insert(id);
      if (r.cmd.round == t.confirmed.round) t.confirmed.executed.insert(id);
    }
  }
  check_all_backing();
  check_ttl(n);
  if (climate_.cleans_up() && r.cmd.what != core::verb::release && !was_handed_over(r.who) &&
      std::ranges::find(finished_, r.who) != finished_.end()) {
    violated("R2", "a key of a claim that owes nothing");
  }
  return said;
}

void world::answer_arrives(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  link& l = c.links[n];
  const request r = l.written.front();
  l.written.erase(l.written.begin());
  --l.executed;
  l.last_heard = now_;
  if (r.look && r.unknown) {
    request again = r;
    again.unknown = false;
    again.by_text = true;
    transmit(who, n, again);
    return;
  }
  if (!r.unknown) {
    const std::uint32_t generation = l.generation;
    if (std::exchange(l.silent, false)) tell_reach(who);
    watch_silence(who, n);
    on_shown(who, n, r);  // before its vote counts (D4)
    if (r.look) on_look_settled(who, n);
    if (!r.look) settle(who, r, r.said);
    // Not a master any more: the name may lead to another server by now (D2).
    if (r.said.said == answer::replica && l.generation == generation) cut(who, n);
    return;
  }
  // NOSCRIPT: within the attempt, by its text (R3: unless it is not wanted any more).
  ticket& t = c.tickets[r.slot];
  if (!t.claim || t.epoch != r.epoch || !t.claim->wants(r.cmd, local(c))) {
    settle(who, r, {.said = answer::unsent});
    return;
  }
  t.watch->judge_write(r.cmd, c.clock.at(now_));
  hear(t);
  request again = r;
  again.unknown = false;
  again.by_text = true;
  transmit(who, n, again);
}

// The client sees that the connection is broken. What was on it may be executed, late, or never.
void world::cut(std::size_t who, std::size_t n) {
  client& c = clients_[who];
  link& l = c.links[n];
  const std::vector<request> written = std::exchange(l.written, {});
  for (std::size_t i = l.executed; i < written.size() && !l.severed; ++i) {
    if (!chance_.of_1000(climate_.after_cut)) {
      seen_.saw(fault::lost);
      continue;
    }
    ghosts_.push_back(written[i]);
    push({.at = now_ + chance_.upto(climate_.late_ms * ms),
          .what = kind::ghost,
          .who = static_cast<std::uint8_t>(who),
          .node = static_cast<std::uint8_t>(n),
          .tag = static_cast<std::uint32_t>(ghosts_.size() - 1)});
  }
  ++l.generation;
  l.up = l.severed = l.watched = l.silent = l.timed = false;
  close_ear(who, n);
  l.executed = 0;
  l.last_request = l.last_reply = now_;
  history_.note(now_, [&] {
    return "client " + std::to_string(who) + " loses its connection to node " + std::to_string(n);
  });
  tell_reach(who);
  ++l.vote.timer;
  l.vote.asked = l.vote.up = false;
  for (const request& r : written) {
    if (!r.look) settle(who, r, {.said = answer::unreachable});
  }
  push({.at = now_ + ms + chance_.upto(chance_.of_1000(500) ? 60 * ms : 3 * ms),
        .what = kind::connect,
        .who = static_cast<std::uint8_t>(who),
        .node = static_cast<std::uint8_t>(n),
        .tag = l.generation});
}

// No progress with commands pending (D5).
void world::check_hung(const event& e) {
  link& l = clients_[e.who].links[e.node];
  l.watched = false;
  if (l.written.empty()) return;
  if (now_ - l.last_heard >= hung_timeout) {
    seen_.saw(fault::hung);
    cut(e.who, e.node);
    return;
  }
  l.watched = true;
  event later = e;
  later.at = l.last_heard + hung_timeout;
  push(later);
}

// A set-up: it ends well, with a refusal for good, or is tried again later.
void world::connect(const event& e) {
  link& l = clients_[e.who].links[e.node];
  master& m = masters_[e.node];
  event later = e;
  later.at = std::max({l.blocked_out, l.blocked_back, m.stopped, m.down, m.replica});
  if (later.at > now_) {
    const bool first = std::exchange(l.fresh, false);  // it has failed
    later.at += ms + chance_.upto(20 * ms);
    push(later);
    if (first) tell_reach(e.who);
    return;
  }
  m.knows_scripts = true;
  l.denied = l.deny > now_;
  // First what its votes are worth, then that it takes commands.
  if (!l.denied) set_up(e.who, e.node);
  l.fresh = false;
  l.up = !l.denied;
  history_.note(now_, [&] {
    return "client " + std::to_string(e.who) + (l.up ? " connects" : " is denied access") +
           " to node " + std::to_string(e.node);
  });
  tell_reach(e.who);
  if (l.denied) {
    later.at = l.deny;
    push(later);
    return;
  }
  if (clients_[e.who].listens) connect_ear(e.who, e.node);
  write(e.who, e.node);
}

}  // namespace redlock::sim
