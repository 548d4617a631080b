// The loop of a world, and what must hold of it.

#include "sim/world.h"

#include <algorithm>

namespace redlock::sim {
namespace {

constexpr real rest_max = 60'000 * ms;           // all comes to rest so long after the last fault
constexpr std::uint64_t events_max = 1'000'000;  // or something spins

core::guard_terms guard_terms(const climate& c) {
  return {.restarts = c.restart_guard != 0,
          .clocks = c.clock_guard != 0,
          .max_clock_offset = core::nanoseconds{max_clock_offset}};
}

}  // namespace

world::world(const climate& c, std::uint64_t seed, coverage& seen, history::printer print)
    : climate_(c),
      terms_(c.terms()),
      chance_(seed ^ 0xfeedU),
      seen_(seen),
      history_(std::move(print)) {
  const auto any_clock = [&](ns offset, knob_value more_ppm) {
    return skewed_clock{offset,
                        chance_.between(-climate_.clock_ppm, climate_.clock_ppm) + more_ppm};
  };
  events_.reserve(256);
  masters_.resize(terms_.nodes);
  for (master& m : masters_) {
    m.clock = any_clock(wall_clock + chance_.upto(wall_spread), climate_.fast_nodes_ppm);
    m.process = ++processes_;
    m.replid = ++processes_;
    const bool young = chance_.of_1000(climate_.young);
    m.born = m.clock.at(0) - (young ? chance_.upto(3'000 * ms) : 3'600'000 * ms);
  }
  std::vector<core::node_id> leads;
  for (const core::node_id n : core::node_set::first(terms_.nodes)) {
    leads.insert(leads.begin() + chance_.upto(static_cast<knob_value>(leads.size())), n);
  }
  clients_ = std::vector<client>(static_cast<std::size_t>(climate_.clients));
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    client& one = clients_[i];
    one.clock = any_clock(3'600'000 * ms + chance_.upto(3'600'000 * ms), 0);
    one.terms = terms_;
    if (i % 2 == 1 && climate_.short_ttl_ms > 0) {
      one.terms.ttl = core::milliseconds{climate_.short_ttl_ms};
      if (climate_.renews != 0) one.terms.renew_every = core::nanoseconds{one.terms.ttl} / 3;
    }
    one.max_ttl = own_max_ttl(one);
    one.may_ask = !chance_.of_1000(climate_.no_info);
    one.terms.fair = climate_.fair != 0 && !chance_.of_1000(climate_.unfair);
    one.leads = leads;
    if (chance_.of_1000(climate_.disagree)) std::ranges::reverse(one.leads);
    one.claims_left = climate_.claims;
    one.links.resize(terms_.nodes);
    const auto who = static_cast<std::uint8_t>(i);
    for (knob_value user = 0; user < climate_.users; ++user) {
      push({.at = chance_.upto(50 * ms), .what = kind::begin, .who = who});
    }
    for (std::size_t n = 0; n < terms_.nodes; ++n) {
      one.links[n].vote.guard = core::guard(guard_terms(climate_));
      if (!chance_.of_1000(climate_.fresh)) {
        set_up(i, n);
        continue;
      }
      one.links[n].fresh = true;
      one.links[n].up = false;
      push({.at = chance_.upto(chance_.of_1000(300) ? 600 * ms : 120 * ms),
            .what = kind::connect,
            .who = who,
            .node = static_cast<std::uint8_t>(n)});
    }
  }
  if (climate_.fault_gap_ms > 0) {
    push({.at = chance_.upto(2 * climate_.fault_gap_ms * ms), .what = kind::fault});
  }
  push({.at = climate_.chaos_ms * ms, .what = kind::calm});
}

std::optional<violation> world::run() {
  while (!events_.empty() && !violation_) {
    std::pop_heap(events_.begin(), events_.end());
    const event e = events_.back();
    events_.pop_back();
    now_ = std::max(now_, e.at);
    history_.mix(static_cast<std::uint64_t>(now_) * 31 + static_cast<std::uint64_t>(e.what) * 7 +
                 e.who * 5U + e.node * 3U + e.slot);
    ++count_;
    if (count_ > events_max) violated("H1", "it spins");
    if (now_ > climate_.chaos_ms * ms + rest_max) violated("G4", "it does not come to rest");
    handle(e);
    if (holders_ > 1) check_exclusion();
    check_served();
  }
  if (!violation_) check_rest();
  seen_.saw_world(count_);
  return violation_;
}

void world::push(event e) {
  e.order = order_++;
  events_.push_back(e);
  std::push_heap(events_.begin(), events_.end());
}

void world::handle(const event& e) {
  switch (e.what) {
    case kind::request:
      deliver(e);
      return;
    case kind::ghost:
      haunt(e);
      return;
    case kind::fault:
      strike();
      return;
    case kind::calm:
      calm_down();
      return;
    default:
      if (client_is_there(e)) on_client(e);
  }
}

// A client that stands still sees this later, and all in the same order.
bool world::client_is_there(const event& e) {
  client& c = clients_[e.who];
  if (!c.alive) return false;
  if (c.stands_still <= now_ && !calm_ && chance_.of_1000(climate_.pause)) {
    seen_.saw(fault::pause);
    c.stands_still = now_ + 1 + chance_.upto(climate_.pause_ms * ms);
    history_.note(now_, [&] {
      return "client " + std::to_string(e.who) + " stands still until " +
             std::to_string(c.stands_still / ms) + " ms";
    });
  }
  if (c.stands_still > now_) {
    event later = e;
    later.at = c.stands_still;
    push(later);
    return false;
  }
  if (calm_ || !chance_.of_1000(climate_.die)) return true;
  seen_.saw(fault::die);
  history_.note(now_, [&] { return "client " + std::to_string(e.who) + " dies"; });
  c.alive = false;
  for (const ticket& t : c.tickets) {
    if (t.claim && t.claim->where() == core::claim::state::held) --holders_;
  }
  for (link& l : c.links) {
    // Of a process that ended the nodes know at once; of a machine that did, they do not.
    if (l.turns.heard && chance_.of_1000(500)) l.turns.haunted = no_time;
    l.turns.heard = false;
  }
  return false;
}

void world::on_client(const event& e) {
  client& c = clients_[e.who];
  link& l = c.links[e.node];
  ticket& t = c.tickets[e.slot];
  // The driver's first act in every turn; but the claims must not depend on it.
  if (chance_.of_1000(500)) expire(e.who);
  const bool current = t.claim && t.epoch == e.tag;
  switch (e.what) {
    case kind::begin:
      begin(e.who);
      break;
    case kind::turn:
      admit(e.who);
      break;
    case kind::user:
      if (current) user(e.who, e.slot);
      break;
    case kind::use:  // what was checked a moment ago
      if (!current || !is_held(c, t)) seen_.saw_stale_use();
      break;
    case kind::signal:
      if (current) stop_reaches(e.who, e.slot);
      break;
    case kind::wake:
      if (t.claim && t.timer == e.tag) wake(e.who, e.slot);
      break;
    case kind::write:
      write(e.who, e.node);
      break;
    case kind::answer:
      if (e.tag == l.generation) answer_arrives(e.who, e.node);
      break;
    case kind::broken:
      if (e.tag == l.generation) cut(e.who, e.node);
      break;
    case kind::hung:
      if (e.tag == l.generation) check_hung(e);
      break;
    case kind::connect:
      if (e.tag == l.generation) connect(e);
      break;
    case kind::look:
      if (e.tag == l.vote.timer) look(e.who, e.node);
      break;
    case kind::silence:
      if (e.tag == l.generation) check_silence(e);
      break;
    case kind::listen:
      if (e.tag == l.turns.generation) listen(e);
      break;
    case kind::deaf:
      if (e.tag == l.turns.generation) go_deaf(e);
      break;
    case kind::told:
      told(e);
      break;
    case kind::request:
    case kind::ghost:
    case kind::fault:
    case kind::calm:
      break;
  }
}

void world::violated(const char* rule, std::string what) {
  if (violation_) return;
  violation_ = violation{{rule, std::move(what)}, now_, count_};
  history_.note(now_, [&] {
    return "VIOLATION " + violation_->broken.rule + ": " + violation_->broken.what;
  });
}

// What the witness of a claim has found.
void world::hear(const ticket& t) {
  if (t.watch->found()) violated(t.watch->found()->rule.c_str(), t.watch->found()->what);
}

bool world::is_held(const client& c, const ticket& t) const {
  return c.alive && t.claim && t.claim->where() == core::claim::state::held &&
         local(c) < t.claim->valid_until();
}

// The promise: at every instant at most one handle is held, by its own clock. Where nodes lose
// keys, as long as no holder has lost more of them than it withstands. Those who were let in then
// stay in, whatever their next rounds say.
void world::check_exclusion() {
  std::size_t held = 0;
  bool excused = false;
  for (const client& c : clients_) {
    for (const ticket& t : c.tickets) {
      if (!is_held(c, t)) continue;
      ++held;
      excused = excused || t.excused || !withstands(t);
    }
  }
  if (held < 2) return;
  for (client& c : clients_) {
    for (ticket& t : c.tickets) t.excused = t.excused || (excused && is_held(c, t));
  }
  if (climate_.within_promise() || (!climate_.clocks_go_wrong() && !excused))
    violated("promise", "two holders");
}

bool world::withstands(const ticket& t) const {
  const std::size_t kept = t.confirmed.executed.size() + terms_.quorum;
  return kept > terms_.nodes && t.confirmed.losses < kept - terms_.nodes;
}

// Whoever holds is backed by a quorum of keys that outlive what it was told (G2, G3, N1).
void world::check_backing(const client& c, const ticket& t) {
  if (climate_.holders_only != 0 || !climate_.keys_stand() || !is_held(c, t)) return;
  const real end = c.clock.when(t.claim->valid_until().time_since_epoch().count());
  std::size_t keys = 0;
  for (const master& m : masters_) {
    const stored* s = m.keys.look(m.clock.at(now_));
    if (s == nullptr || !s->is(t.who, t.claim->attempt())) continue;
    keys += !s->expires || m.clock.at(end) <= *s->expires ? 1 : 0;
  }
  if (keys < terms_.quorum) violated("promise", "a holder without a quorum of keys");
  if (keys < t.claim->nodes_held()) violated("N2", "nodes_held() counts nodes that do not hold");
}

void world::check_all_backing() {
  if (holders_ == 0 || !climate_.keys_stand()) return;
  for (const client& c : clients_) {
    for (const ticket& t : c.tickets) {
      if (t.claim) check_backing(c, t);
    }
  }
}

// No key outlives the ttl that was asked for (G6, N1).
void world::check_ttl(std::size_t n) {
  const master& m = masters_[n];
  const ns at_node = m.clock.at(now_);
  const stored* s = m.keys.look(at_node);
  if (s == nullptr || s->what != stored::kind::ours || climate_.clock_back > 0) return;
  if (!s->expires || *s->expires > at_node + climate_.ttl_ms * ms) {
    violated("G6", "a key that outlives its ttl");
  }
}

// Whoever owes nothing has left nothing (R1, R2, R4).
void world::check_nothing_left(const ticket& t) {
  if (!climate_.cleans_up() || was_handed_over(t.who)) return;
  for (const master& m : masters_) {
    const stored* s = m.keys.look(m.clock.at(now_));
    if (s != nullptr && s->is(t.who)) violated("R2", "a key left behind");
  }
}

// Every operation has ended, and nobody has left a key but those who died.
void world::check_rest() {
  for (const client& c : clients_) {
    if (!c.alive) continue;
    if (c.claims_left > 0) violated("G4", "a lock that nobody asked for any more");
    for (const ticket& t : c.tickets) {
      if (t.claim) violated("G4", "a claim that does not end");
    }
  }
  if (!climate_.cleans_up()) return;
  for (const master& m : masters_) {
    const stored* s = m.keys.look(m.clock.at(now_));
    if (s == nullptr || s->what != stored::kind::ours || was_handed_over(s->who)) continue;
    if (std::ranges::find(finished_, s->who) != finished_.end()) {
      violated("R2", "a key of a claim that owes nothing");
    }
  }
}

}  // namespace redlock::sim
