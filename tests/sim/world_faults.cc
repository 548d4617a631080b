// What befalls a world, and the end of all that.

#include <algorithm>

#include "sim/world.h"

namespace redlock::sim {
namespace {

struct weight {
  fault what;
  knob_value climate::*knob;
};

constexpr std::array weights{
    weight{fault::block, &climate::block},
    weight{fault::part, &climate::part},
    weight{fault::stop_node, &climate::stop_node},
    weight{fault::slow_node, &climate::slow_node},
    weight{fault::crash_node, &climate::crash_node},
    weight{fault::flush_scripts, &climate::flush_scripts},
    weight{fault::out_of_memory, &climate::out_of_memory},
    weight{fault::errors, &climate::errors},
    weight{fault::replica, &climate::replica},
    weight{fault::deny, &climate::deny},
    weight{fault::stranger, &climate::stranger},
    weight{fault::stuck_key, &climate::stuck_key},
    weight{fault::clock_back, &climate::clock_back},
    weight{fault::suspend, &climate::suspend},
    weight{fault::cut_wakeups, &climate::cut_wakeups},
    weight{fault::lose_queue, &climate::lose_queue},
    weight{fault::amnesia, &climate::amnesia},
    weight{fault::failover, &climate::failover},
    weight{fault::flush_all, &climate::flush_all},
    weight{fault::lose_key, &climate::lose_key},
    weight{fault::overwrite, &climate::overwrite},
    weight{fault::clock_forward, &climate::clock_forward},
};

}  // namespace

// One fault, of a kind that exists here; and the next one is on its way.
void world::strike() {
  if (calm_) return;
  knob_value sum = 0;
  for (const weight& w : weights) sum += climate_.*w.knob;
  if (sum == 0) return;
  knob_value drawn = chance_.upto(sum - 1);
  for (const weight& w : weights) {
    drawn -= climate_.*w.knob;
    if (drawn >= 0) continue;
    seen_.saw(w.what);
    afflict(w.what);
    break;
  }
  push({.at = now_ + 1 + chance_.upto(2 * climate_.fault_gap_ms * ms), .what = kind::fault});
}

// Nothing lasts longer than the phase of faults.
real world::fault_end() {
  return std::min(now_ + ms + chance_.upto(climate_.fault_ms * ms), climate_.chaos_ms * ms);
}

void world::afflict(fault f) {
  const auto n = static_cast<std::size_t>(chance_.upto(climate_.nodes - 1));
  const auto who = static_cast<std::size_t>(chance_.upto(climate_.clients - 1));
  master& m = masters_[n];
  client& c = clients_[who];
  const real end = fault_end();
  const ns at_node = m.clock.at(now_);
  const ns ttl = climate_.ttl_ms * ms;
  history_.note(now_, [&] {
    return "FAULT " + std::string(fault_words[static_cast<std::size_t>(f)]) + ", node " +
           std::to_string(n) + ", client " + std::to_string(who) + ", until " +
           std::to_string(end / ms) + " ms";
  });
  switch (f) {
    case fault::block:
      (chance_.of_1000(500) ? c.links[n].blocked_out : c.links[n].blocked_back) = end;
      break;
    case fault::part:
      for (client& some : clients_) {
        for (link& l : some.links) {
          if (chance_.of_1000(500)) l.blocked_out = l.blocked_back = end;
        }
      }
      break;
    case fault::stop_node:
      m.stopped = end;
      break;
    case fault::slow_node:
      m.slow = end;
      break;
    case fault::crash_node:
      crash(n, end);
      break;
    case fault::flush_scripts:
      m.knows_scripts = false;
      break;
    case fault::out_of_memory:
      m.out_of_memory = end;
      break;
    case fault::errors:
      m.errors = end;
      break;
    case fault::replica:
      // Then it is a master again: with its keys, but not everybody can know that.
      m.replica = end;
      m.promoted = true;
      m.replid = ++processes_;
      break;
    case fault::deny:
      c.links[n].deny = end;
      sever(who, n);
      break;
    case fault::stranger:
      if (m.keys.look(at_node) != nullptr) break;
      m.keys.put({.what = stored::kind::string, .who = {}, .expires = at_node + chance_.upto(ttl)});
      break;
    case fault::stuck_key:
      if (m.keys.look(at_node) != nullptr) break;
      m.keys.put({.what = chance_.of_1000(500) ? stored::kind::string : stored::kind::other_type,
                  .who = {},
                  .expires = {}});
      break;
    case fault::clock_back:
      m.clock.offset -= chance_.upto(ttl);
      break;
    case fault::clock_forward:
      step_forward();
      break;
    case fault::suspend:
      // What is to wake it first has been put off until then: it must not wake sooner.
      c.stands_still = std::max(c.stands_still, now_ + ttl + chance_.upto(ttl));
      for (std::size_t i = 0; i < masters_.size(); ++i) sever(who, i);
      break;
    case fault::cut_wakeups:
      cut_ear(who, n, end);
      break;
    case fault::lose_queue:
      m.keys.queue().forget();
      break;
    case fault::amnesia:
      lose(n, climate_.notices_restarts());
      m.max_ttl = core::milliseconds{0};
      m.keys.queue().forget();
      crash(n, end);
      break;
    case fault::failover:
      lose(n, climate_.notices_restarts());
      crash(n, end);
      m.born = m.clock.at(now_) - 3'600'000 * ms;  // it has run for long, as a replica
      m.promoted = true;
      break;
    case fault::flush_all:
      m.keys.queue().forget();
      lose(n);
      break;
    case fault::lose_key:
      lose(n);
      break;
    case fault::overwrite:
      lose(n);
      m.keys.put({.what = stored::kind::string, .who = {}, .expires = at_node + chance_.upto(ttl)});
      break;
    case fault::delayed:
    case fault::cut:
    case fault::cut_reply:
    case fault::executed_late:
    case fault::lost:
    case fault::hung:
    case fault::pause:
    case fault::die:
    case fault::lose_wakeups:
      break;  // these have their own times
  }
}

// The server's end of a connection is gone: what it did not read is lost, and the client will see.
void world::sever(std::size_t who, std::size_t n) {
  link& l = clients_[who].links[n];
  if (!l.up || l.severed) return;
  l.severed = true;
  push({.at = std::max(now_, l.last_reply) + chance_.upto(climate_.delay_us * us),
        .what = kind::broken,
        .who = static_cast<std::uint8_t>(who),
        .node = static_cast<std::uint8_t>(n),
        .tag = l.generation});
}

void world::crash(std::size_t n, real until) {
  master& m = masters_[n];
  m.down = until;
  m.stopped = 0;
  m.knows_scripts = false;
  m.process = ++processes_;
  m.replid = ++processes_;
  m.promoted = false;
  m.born = m.clock.at(until);
  for (std::size_t who = 0; who < clients_.size(); ++who) {
    clients_[who].links[n].turns.heard = false;
    clients_[who].links[n].turns.haunted = 0;
    sever(who, n);
  }
}

// A step of a clock. Where a guard is to notice it, it is larger than what a trip, the rate bound
// and max_clock_offset can explain, and of fewer than half of any quorum.
void world::step_forward() {
  const ns ttl = climate_.ttl_ms * ms;
  const auto steppers = static_cast<knob_value>(std::max<std::size_t>(1, terms_.quorum / 2));
  const bool noticed = climate_.clock_guard != 0;
  const knob_value last = noticed ? steppers - 1 : climate_.nodes - 1;
  master& m = masters_[static_cast<std::size_t>(chance_.upto(last))];
  m.clock.offset += (noticed ? 2'500 * ms : 0) + chance_.upto(2 * ttl);
  m.stepped = now_;
}

// A key of a holder, or of one that may become one, is gone.
void world::lose(std::size_t n, bool noticed) {
  master& m = masters_[n];
  if (noticed) m.forgot = now_;
  const stored* s = m.keys.look(m.clock.at(now_));
  if (s == nullptr) return;
  for (client& c : clients_) {
    for (ticket& t : c.tickets) {
      if (noticed || !t.claim || !s->is(t.who)) continue;
      ++t.open.losses;
      ++t.confirmed.losses;
    }
  }
  m.keys.forget();
}

// All faults stop. An operator takes away what would be in the way for ever.
void world::calm_down() {
  calm_ = true;
  history_.note(now_, [] { return std::string("all faults stop"); });
  for (master& m : masters_) {
    const stored* s = m.keys.look(m.clock.at(now_));
    if (s != nullptr && !s->expires) m.keys.forget();
  }
}

}  // namespace redlock::sim
