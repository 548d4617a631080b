#include "core/claim_world.h"

#include <algorithm>
#include <utility>

#include "core/words.h"

namespace redlock::core {

using namespace std::chrono_literals;

climate climate::drawn(std::uint64_t seed) {
  chance c(seed);
  climate w;
  w.nodes = static_cast<std::size_t>(1 + c.upto(4));
  w.clients = static_cast<std::size_t>(2 + c.upto(2));
  w.of.nodes = w.nodes;
  w.of.quorum = w.nodes / 2 + 1;
  if (c.of_1000(100)) w.of.quorum = w.nodes;
  w.of.ttl = milliseconds{100 + c.upto(300)};
  w.of.node_timeout = c.of_1000(500) ? 20ms : 40ms;
  w.of.connect_timeout = 100ms;
  w.of.wait = c.of_1000(200) ? wait_forever : nanoseconds{c.upto(500ms)};
  w.of.retry = {static_cast<retry_policy>(c.upto(2)), 5ms, 40ms};
  w.of.renew_every = c.of_1000(700) ? w.of.ttl / 3 : 0ns;
  w.of.max_hold = c.of_1000(200) ? nanoseconds{w.of.ttl * 3} : 0ns;
  w.of.min_validity = 1ms;
  w.of.stop_margin = c.of_1000(300) ? nanoseconds{w.of.ttl / 5} : 0ns;
  w.delay = c.of_1000(500) ? 3ms : 15ms;
  if (c.of_1000(600)) w.cut = static_cast<int>(c.upto(60));
  w.long_after = c.of_1000(500) ? w.of.node_timeout - w.delay : nanoseconds{w.of.ttl} * 2;
  if (c.of_1000(300)) w.crash = 3;
  if (c.of_1000(400)) w.pause = 10;
  w.pause_most = w.of.ttl * 2;
  w.clock_ppm = 4000;
  if (c.of_1000(400)) w.hand_over = 300;
  return w;
}

tally& tally::operator+=(const tally& o) {
  granted += o.granted, gave_up += o.gave_up, renewed += o.renewed, lost += o.lost;
  renew_failed += o.renew_failed, released += o.released, refills += o.refills;
  detached += o.detached, adopted += o.adopted;
  cuts += o.cuts, crashes += o.crashes, pauses += o.pauses, ghosts += o.ghosts;
  return *this;
}

world::real world::skewed_clock::when(nanoseconds local) const {
  real t = (local - offset) - (local - offset) / 1'000'000 * ppm;
  while (at(t) >= local) t -= 10us;
  while (at(t) < local) t += std::max<nanoseconds>(1ns, (local - at(t)) / 2);
  return t;
}

world::world(const climate& c, std::uint64_t seed) : climate_(c), chance_(seed ^ 0xfeedU) {
  const auto any_clock = [&](int more_ppm) {
    const int off = static_cast<int>(chance_.upto(2 * climate_.clock_ppm)) - climate_.clock_ppm;
    return skewed_clock{1h + chance_.upto(1h), off + more_ppm};
  };
  for (std::size_t n = 0; n < climate_.nodes; ++n) {
    masters_.push_back({any_clock(climate_.node_clock_fast_ppm), {}});
  }
  for (std::size_t i = 0; i < climate_.clients; ++i) {
    client one;
    one.clock = any_clock(0);
    one.claims_left = climate_.claims_each;
    one.links.resize(climate_.nodes);
    push({.at = chance_.upto(50ms), .what = kind::begin, .who = i});
    for (node_id n = 0; n < climate_.nodes; ++n) {
      if (chance_.of_1000(700)) continue;
      one.links[n].fresh = true;
      one.links[n].up = false;
      push({.at = chance_.upto(100ms), .what = kind::connect, .who = i, .node = n});
    }
    clients_.push_back(std::move(one));
  }
}

std::string world::run() {
  constexpr int events_most = 200'000;
  for (int i = 0; !events_.empty() && violation_.empty(); ++i) {
    if (i == events_most) violated("it never ends");
    const event e = events_.top();
    events_.pop();
    now_ = std::max(now_, e.at);
    handle(e);
    check_exclusion();
  }
  for (const client& c : clients_) {
    if (violation_.empty() && c.alive && c.holds) violated("a claim that does not end");
  }
  return violation_;
}

void world::push(event e) {
  e.order = order_++;
  events_.push(e);
}

void world::handle(const event& e) {
  if (e.what == kind::request) {
    execute(e);
    return;
  }
  client& c = clients_[e.who];
  if (!c.alive) return;
  if (c.stands_still_until <= now_ && chance_.of_1000(climate_.pause)) {
    ++tally_.pauses;
    c.stands_still_until = now_ + 1ns + chance_.upto(climate_.pause_most);
  }
  if (c.stands_still_until > now_) {  // it will see this later, and all in the same order
    event later = e;
    later.at = c.stands_still_until;
    push(later);
    return;
  }
  if (c.holds && chance_.of_1000(climate_.crash)) {
    ++tally_.crashes;
    c.alive = false;
    return;
  }
  on_client(e);
}

void world::on_client(const event& e) {
  client& c = clients_[e.who];
  link& l = c.links[e.node];
  switch (e.what) {
    case kind::begin:
      begin(e.who);
      return;
    case kind::user:
      if (e.epoch == c.epoch && c.holds) user(e.who);
      return;
    case kind::write:
      write(e.who, e.node);
      return;
    case kind::request:
      return;
    case kind::connect:
      connect(e.who, e.node);
      return;
    case kind::answer:
      if (e.generation != l.generation) return;  // it was told to be unreachable
      if (l.written.front().cmd.attempt != e.said.to.attempt ||
          l.written.front().cmd.what != e.said.to.what) {
        violated("answers out of order on one connection, which is this model's own fault");
      }
      l.written.pop_front();
      if (e.epoch != c.epoch || !c.holds) return;
      c.holds->on_reply(e.said, local(c), out_);
      follow(e.who);
      return;
    case kind::wake:
      if (!c.holds || c.timer != e.generation) return;
      c.armed = real::max();
      c.holds->on_wake(local(c), out_);
      if (c.holds->wake() <= local(c)) violated("a busy loop");
      follow(e.who);
      return;
    case kind::signal:
      if (!c.holds || e.epoch != c.epoch) return;
      c.holds->stop_signalled(out_);
      follow(e.who);
      return;
  }
}

void world::begin(std::size_t who) {
  client& c = clients_[who];
  ++c.epoch;
  --c.claims_left;
  const bool adopts = !detached_.empty() && chance_.of_1000(600);
  const token taken = adopts ? detached_.back() : token{};
  if (adopts) detached_.pop_back();
  c.who = adopts ? taken.who : base{chance_.next(), chance_.next()};  // T1
  c.holds.emplace(climate_.of, c.who, known(c));
  c.armed = real::max();
  if (adopts) {
    c.holds->adopt(taken.attempt, local(c), out_);
  } else {
    c.holds->acquire(local(c), out_);
  }
  follow(who);
  push({.at = now_ + chance_.upto(800ms), .what = kind::user, .who = who, .epoch = c.epoch});
}

void world::detach(client& c) {
  ++tally_.detached;
  detached_.push_back({c.who, c.holds->attempt()});
  handed_over_.push_back(c.who);
  c.holds->detach();
}

// The user does something, now and then, and in the end lets go.
void world::user(std::size_t who) {
  client& c = clients_[who];
  const bool held = c.holds->where() == claim::state::held;
  if (held && local(c) >= c.holds->valid_until()) {
    c.holds->owner_saw_expiry(local(c), out_);
  } else if (held && chance_.of_1000(climate_.hand_over)) {
    detach(c);
  } else if (held && chance_.of_1000(300)) {
    c.holds->renew(local(c), out_);
  } else if (held) {
    c.holds->release(local(c), out_);
  } else if (chance_.of_1000(climate_.of.wait == wait_forever ? 100 : 300)) {
    c.holds->cancel(out_);
  }
  const int epoch = c.epoch;
  follow(who);
  if (!c.holds || c.epoch != epoch || c.holds->where() == claim::state::ended) return;
  push({.at = now_ + 1ms + chance_.upto(300ms), .what = kind::user, .who = who, .epoch = epoch});
}

// All that an input led to.
void world::follow(std::size_t who) {
  client& c = clients_[who];
  node_set to;
  for (const command& cmd : out_.commands()) {
    c.links[cmd.node].unwritten.push_back({cmd, c.epoch});
    to.insert(cmd.node);
    tally_.refills += cmd.what == verb::refill ? 1 : 0;
    const bool held = c.holds->where() == claim::state::held;
    if (cmd.what == verb::release && held && cmd.attempt == c.holds->attempt()) {
      violated("a release of a held lease");
    }
    if (cmd.what != verb::release && cmd.ttl <= 0ms) violated("a key without a TTL");
  }
  const news told = out_.told();
  out_.clear();
  for (const node_id n : to) {
    push({.at = now_ + chance_.upto(100us), .what = kind::write, .who = who, .node = n});
  }
  tally_.granted += told == news::acquired ? 1 : 0;
  tally_.adopted +=
      told == news::acquired && std::ranges::find(handed_over_, c.who) != handed_over_.end() ? 1
                                                                                             : 0;
  tally_.gave_up += told == news::gave_up ? 1 : 0;
  tally_.renewed += told == news::renewed ? 1 : 0;
  tally_.renew_failed += told == news::renew_failed ? 1 : 0;
  tally_.released += told == news::released ? 1 : 0;
  tally_.lost += told == news::lost ? 1 : 0;
  if (told == news::acquired || told == news::renewed) check_backing(who);
  if (told == news::lost) {
    const real later = now_ + chance_.upto(20ms);
    push({.at = later, .what = kind::signal, .who = who, .epoch = c.epoch});
  }
  if (!c.holds->finished()) {
    arm(who);
    return;
  }
  check_nothing_left(who);
  finished_.push_back(c.who);
  c.holds.reset();
  if (c.claims_left == 0) return;
  push({.at = now_ + chance_.upto(30ms), .what = kind::begin, .who = who});
}

void world::arm(std::size_t who) {
  client& c = clients_[who];
  if (c.holds->wake() == never) {
    ++c.timer;
    c.armed = real::max();
    return;
  }
  const real at = std::max(now_, c.clock.when(c.holds->wake().time_since_epoch()));
  if (at == c.armed) return;
  c.armed = at;
  push({.at = at, .what = kind::wake, .who = who, .generation = ++c.timer});
}

// The driver's turn to write to node n.
void world::write(std::size_t who, node_id n) {
  client& c = clients_[who];
  link& l = c.links[n];
  std::vector<said_command> passed_over;
  if (l.fresh) return;
  while (!l.unwritten.empty()) {
    const said_command next = l.unwritten.front();
    const command& cmd = next.cmd;
    l.unwritten.pop_front();
    if (!l.up || !c.holds || next.epoch != c.epoch || !c.holds->wants(cmd, local(c))) {
      passed_over.push_back(next);
      continue;
    }
    l.written.push_back(next);
    l.last_request = std::max(l.last_request, now_ + chance_.upto(climate_.delay));
    push({.at = l.last_request,
          .what = kind::request,
          .who = who,
          .node = n,
          .generation = l.generation,
          .epoch = c.epoch,
          .cmd = cmd,
          .owner = c.who});
    if (chance_.of_1000(climate_.cut)) cut(who, n);
  }
  for (const said_command& cmd : passed_over) fail(who, cmd, answer::unsent);
}

// Tells the claim whose command it was what became of it, without an answer of the node.
void world::fail(std::size_t who, const said_command& c, answer why) {
  client& whose = clients_[who];
  if (!whose.holds || whose.epoch != c.epoch) return;
  whose.holds->on_reply({.to = c.cmd, .answer = why, .key_left = {}}, local(whose), out_);
  follow(who);
}

// The connection breaks. What was on it may be executed, long after, or never.
void world::cut(std::size_t who, node_id n) {
  client& c = clients_[who];
  link& l = c.links[n];
  ++tally_.cuts;
  ++l.generation;
  l.up = false;
  const std::deque<said_command> written = std::exchange(l.written, {});
  l.last_request = l.last_reply = now_;
  c.holds->on_reach(known(c), local(c), out_);
  follow(who);
  for (const said_command& cmd : written) fail(who, cmd, answer::unreachable);
  const real back = now_ + 1ms + chance_.upto(chance_.of_1000(500) ? 60ms : 3ms);
  push({.at = back, .what = kind::connect, .who = who, .node = n});
}

void world::connect(std::size_t who, node_id n) {
  client& c = clients_[who];
  c.links[n].up = true;
  c.links[n].fresh = false;
  if (c.holds) {
    c.holds->on_reach(known(c), local(c), out_);
    follow(who);
  }
  write(who, n);
}

void world::execute(const event& e) {
  client& c = clients_[e.who];
  link& l = c.links[e.node];
  const bool broken = e.generation != l.generation && e.generation >= 0;
  if (broken) {
    if (!chance_.of_1000(climate_.after_cut)) return;
    event later = e;
    later.generation = -1;
    later.at = now_ + chance_.upto(climate_.long_after);
    push(later);
    return;
  }
  master& m = masters_[e.node];
  if (chance_.of_1000(climate_.forget)) m.lock.reset();
  milliseconds left{0};
  const answer a = run_script(m, e.cmd, e.owner, left);
  check_ghost(e);
  if (e.generation < 0) return;  // nobody hears it
  l.last_reply = std::max(l.last_reply, now_ + chance_.upto(climate_.delay));
  push({.at = l.last_reply,
        .what = kind::answer,
        .who = e.who,
        .node = e.node,
        .generation = e.generation,
        .epoch = e.epoch,
        .said = {.to = e.cmd, .answer = a, .key_left = left}});
}

bool world::holds(const client& c) const {
  return c.alive && c.holds && c.holds->where() == claim::state::held &&
         local(c) < c.holds->valid_until();
}

bool world::is_live(const master& m) const { return m.lock && m.clock.at(now_) < m.lock->expires; }

reach world::known(const client& c) const {
  reach r;
  for (std::size_t n = 0; n < climate_.nodes; ++n) {
    if (c.links[n].up) r.up.insert(static_cast<node_id>(n));
    if (c.links[n].fresh) r.fresh.insert(static_cast<node_id>(n));
  }
  return r;
}

}  // namespace redlock::core
