// Users, and the claims they drive: every input and all that comes of it.

#include <algorithm>

#include "core/words.h"
#include "sim/world.h"

namespace redlock::sim {
namespace {

std::string name(std::size_t who, std::uint32_t epoch) {
  return "client " + std::to_string(who) + " lock " + std::to_string(epoch);
}

}  // namespace

// One input to a claim: what it says is judged, and then done.
template <class Input>
void world::step(std::size_t who, std::size_t slot, Input input) {
  core::claim& k = *clients_[who].tickets[slot].claim;
  const core::claim::state was = k.where();
  input(k);
  follow(who, slot, was);
}

void world::begin(std::size_t who) {
  client& c = clients_[who];
  if (c.claims_left == 0) return;  // another user of the client has taken it
  const auto slot = static_cast<std::size_t>(
      std::ranges::find_if(c.tickets, [](const ticket& t) { return !t.claim; }) -
      c.tickets.begin());
  if (slot == c.tickets.size()) {  // all are busy taking back
    push({.at = now_ + 50 * ms, .what = kind::begin, .who = static_cast<std::uint8_t>(who)});
    return;
  }
  ticket& t = c.tickets[slot];
  --c.claims_left;
  t.epoch = ++epochs_;
  t.armed = no_time;
  t.told_end = false;
  t.confirmed = t.open = {};
  t.excused = false;
  t.released.reset();
  t.asked = t.waits = no_time;
  t.overtaken = 0;
  push({.at = now_ + chance_.upto(climate_.hold_ms * 2 * ms),
        .what = kind::user,
        .who = static_cast<std::uint8_t>(who),
        .slot = static_cast<std::uint8_t>(slot),
        .tag = t.epoch});
  enter(who, slot);
}

// A lock of its own, or one whose token somebody gave away.
void world::enter(std::size_t who, std::size_t slot) {
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  const bool takes_over = !detached_.empty() && chance_.of_1000(600);
  token given{{chance_.next(), chance_.next()}, 0};  // T1
  if (takes_over) {
    given = detached_.back();
    detached_.pop_back();
  }
  t.who = given.who;
  core::terms terms = c.terms;
  terms.max_ttl = std::max(terms.max_ttl, c.max_ttl);
  t.in_line = true;
  t.claim.emplace(terms, t.who, known(c));
  t.watch.emplace(terms);
  if (!takes_over) {
    history_.note(now_, [&] { return name(who, t.epoch) + " is asked for"; });
    const bool waits = terms.wait > core::nanoseconds{0};
    if (c.others) t.claim->expect_others();
    if (c.line.enter(t, waits)) {
      t.watch->on_acquire(c.clock.at(now_));
      step(who, slot, [&](core::claim& k) { k.acquire(local(c), out_); });
    } else {
      t.watch->on_queue(c.clock.at(now_));
      step(who, slot, [&](core::claim& k) { k.queue(local(c), out_); });
    }
  } else if (chance_.of_1000(600)) {
    history_.note(now_, [&] { return name(who, t.epoch) + " is adopted"; });
    c.line.enter_in_front(t);
    t.watch->on_adopt(given.attempt, c.clock.at(now_));
    step(who, slot, [&](core::claim& k) { k.adopt(given.attempt, local(c), out_); });
  } else {
    history_.note(now_, [&] { return name(who, t.epoch) + " is taken back by its token"; });
    t.watch->on_take_back(given.attempt, c.clock.at(now_));
    step(who, slot, [&](core::claim& k) { k.take_back(given.attempt, local(c), out_); });
  }
}

// What the driver does at the end of a turn.
void world::admit(std::size_t who) {
  client& c = clients_[who];
  --c.turns;
  const core::line::turn turn = c.line.next();
  if (turn.whose == nullptr) return;
  const auto slot = static_cast<std::size_t>(
      std::ranges::find_if(c.tickets, [&](const ticket& t) { return &t == turn.whose; }) -
      c.tickets.begin());
  ticket& t = c.tickets[slot];
  history_.note(now_, [&] { return name(who, t.epoch) + " has its turn"; });
  t.watch->on_admit(c.clock.at(now_));
  if (c.others) t.claim->expect_others();
  const core::time_point not_before =
      local(c) + core::nanoseconds{turn.late ? chance_.upto(20 * ms) : 0};
  step(who, slot, [&](core::claim& k) { k.admit(not_before, local(c), out_); });
}

// Its place in the line, after an input.
void world::follow_line(std::size_t who, std::size_t slot, core::claim::state was) {
  using state = core::claim::state;
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  const state is = t.claim->where();
  if (is == state::held) c.line.on_served(t);
  const bool over = is == state::releasing || is == state::lost || is == state::ended;
  if (over && std::exchange(t.in_line, false)) {
    c.line.leave(t, was == state::held, local(c));
    ++c.turns;
    push({.at = now_ + chance_.upto(100 * us),
          .what = kind::turn,
          .who = static_cast<std::uint8_t>(who)});
  }
  if (c.line.is_due() && c.turns == 0) violated("line", "nobody's turn, and somebody waits");
}

void world::detach(std::size_t who, std::size_t slot) {
  ticket& t = clients_[who].tickets[slot];
  history_.note(now_, [&] { return name(who, t.epoch) + " is detached by its user"; });
  detached_.push_back({t.who, t.claim->attempt()});
  handed_over_.push_back(t.who);
  t.watch->on_detach();
  step(who, slot, [&](core::claim& k) { k.detach(); });
}

bool world::was_handed_over(const core::base& base) const {
  return std::ranges::find(handed_over_, base) != handed_over_.end();
}

// The user does something, now and then, and in the end lets go.
void world::user(std::size_t who, std::size_t slot) {
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  const std::uint32_t epoch = t.epoch;
  const bool held = t.claim->where() == core::claim::state::held;
  event again{.at = now_ + ms + chance_.upto(climate_.hold_ms * ms),
              .what = kind::user,
              .who = static_cast<std::uint8_t>(who),
              .slot = static_cast<std::uint8_t>(slot),
              .tag = epoch};
  if (held && local(c) >= t.claim->valid_until()) {
    t.watch->on_owner_saw_expiry();
    step(who, slot, [&](core::claim& k) { k.owner_saw_expiry(local(c), out_); });
  } else if (held && chance_.of_1000(climate_.hand_over)) {
    detach(who, slot);
  } else if (held && chance_.of_1000(300)) {
    t.watch->on_renew();
    step(who, slot, [&](core::claim& k) { k.renew(local(c), out_); });
  } else if (held && chance_.of_1000(300)) {
    event use = again;
    use.at = now_ + chance_.upto(climate_.hold_ms * ms);
    use.what = kind::use;
    push(use);
  } else if (held || t.claim->where() == core::claim::state::lost) {
    history_.note(now_, [&] { return name(who, epoch) + " is released by its user"; });
    t.watch->on_release(c.clock.at(now_));
    step(who, slot, [&](core::claim& k) { k.release(local(c), out_); });
  } else if (t.claim->where() < core::claim::state::held &&
             chance_.of_1000(climate_.wait_ms < 0 ? 100 : 300)) {
    history_.note(now_, [&] { return name(who, epoch) + " is cancelled by its user"; });
    t.watch->on_cancel();
    step(who, slot, [&](core::claim& k) { k.cancel(out_); });
  }
  if (!t.claim || t.epoch != epoch || t.claim->where() == core::claim::state::ended) return;
  push(again);
}

// The signal of a loss has reached the user's code.
void world::stop_reaches(std::size_t who, std::size_t slot) {
  clients_[who].tickets[slot].watch->on_stop_signalled();
  step(who, slot, [&](core::claim& k) { k.stop_signalled(out_); });
}

void world::follow(std::size_t who, std::size_t slot, core::claim::state was) {
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  const core::claim::state is = t.claim->where();
  t.watch->judge(*t.claim, out_, known(c), c.clock.at(now_));
  hear(t);
  if (is != was || is == core::claim::state::held) seen_.saw(was, is);
  using state = core::claim::state;
  holders_ += is == state::held && was != state::held ? 1U : 0U;
  holders_ -= was == state::held && is != state::held ? 1U : 0U;
  const core::news told = out_.told();
  send(who, slot);
  out_.clear();
  follow_line(who, slot, was);
  tell(who, slot, told);
  if (t.claim->finished() && t.pending == 0) {
    finish(who, slot);
  } else {
    arm(who, slot);
  }
}

// What a claim sends goes to the links, to be written in the driver's next turn.
void world::send(std::size_t who, std::size_t slot) {
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  core::node_set to;
  for (const core::command& cmd : out_.commands()) {
    std::vector<request>& queue = c.links[cmd.node].unwritten;
    queue.push_back(
        {.cmd = cmd, .slot = static_cast<std::uint8_t>(slot), .epoch = t.epoch, .who = t.who});
    if (queue.size() + c.links[cmd.node].written.size() > 256) violated("R2", "a queue grows");
    to.insert(cmd.node);
    ++t.pending;
    const bool votes = cmd.what == core::verb::acquire || cmd.what == core::verb::renew;
    if (votes && cmd.round != t.open.round) t.open = {.round = cmd.round, .executed = {}};
    history_.note(now_, [&] {
      return name(who, t.epoch) + " sends " + std::string(core::word(cmd.what)) + " " +
             std::to_string(cmd.attempt) + " to node " + std::to_string(cmd.node);
    });
  }
  for (const core::node_id n : to) {
    push({.at = now_ + chance_.upto(100 * us),
          .what = kind::write,
          .who = static_cast<std::uint8_t>(who),
          .node = n});
  }
}

void world::tell(std::size_t who, std::size_t slot, core::news told) {
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  if (told != core::news::none) {
    seen_.saw(told);
    history_.note(now_, [&] {
      std::string line = name(who, t.epoch) + ": " + std::string(word(told));
      if (t.claim->where() == core::claim::state::held) {
        const auto left = t.claim->valid_until() - local(c);
        line += ", valid for " + std::to_string(left.count() / us) + " us";
      }
      return line;
    });
  }
  if (told == core::news::acquired || told == core::news::renewed) {
    t.confirmed = t.open;
    check_backing(c, t);
    if (told == core::news::acquired) {
      check_votes(c, t);
      note_grant(t);
    }
  }
  if (told == core::news::lost) {
    push({.at = now_ + chance_.upto(20 * ms),
          .what = kind::signal,
          .who = static_cast<std::uint8_t>(who),
          .slot = static_cast<std::uint8_t>(slot),
          .tag = t.epoch});
  }
  if (t.claim->where() == core::claim::state::ended && !t.told_end) {
    t.told_end = true;
    if (c.claims_left > 0) {
      push({.at = now_ + chance_.upto(30 * ms),
            .what = kind::begin,
            .who = static_cast<std::uint8_t>(who)});
    }
  }
}

void world::arm(std::size_t who, std::size_t slot) {
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  if (t.claim->wake() == core::never) {
    ++t.timer;
    t.armed = no_time;
    return;
  }
  const real at = std::max(now_, c.clock.when(t.claim->wake().time_since_epoch().count()));
  if (at == t.armed) return;
  t.armed = at;
  push({.at = at,
        .what = kind::wake,
        .who = static_cast<std::uint8_t>(who),
        .slot = static_cast<std::uint8_t>(slot),
        .tag = ++t.timer});
}

void world::wake(std::size_t who, std::size_t slot) {
  client& c = clients_[who];
  ticket& t = c.tickets[slot];
  t.armed = no_time;
  const std::uint32_t epoch = t.epoch;
  step(who, slot, [&](core::claim& k) { k.on_wake(local(c), out_); });
  if (!t.claim || t.epoch != epoch) return;
  t.watch->judge_wake(*t.claim, c.clock.at(now_));
  hear(t);
}

// Whatever has run out by now.
void world::expire(std::size_t who) {
  client& c = clients_[who];
  for (std::size_t slot = 0; slot < c.tickets.size(); ++slot) {
    const ticket& t = c.tickets[slot];
    if (t.claim && t.claim->wake() <= local(c)) wake(who, slot);
  }
}

void world::finish(std::size_t who, std::size_t slot) {
  ticket& t = clients_[who].tickets[slot];
  check_nothing_left(t);
  finished_.push_back(t.who);
  history_.note(now_, [&] { return name(who, t.epoch) + " is over"; });
  t.claim.reset();
  t.watch.reset();
  ++t.timer;
}

core::reach world::known(const client& c) const {
  core::reach r;
  for (std::size_t n = 0; n < c.links.size(); ++n) {
    const auto id = static_cast<core::node_id>(n);
    if (c.links[n].up) r.up.insert(id);
    if (c.links[n].up && c.links[n].vote.guarded) r.guarded.insert(id);
    if (c.links[n].fresh) r.fresh.insert(id);
    if (c.links[n].denied) r.denied.insert(id);
    if (c.links[n].turns.told) r.told.insert(id);
  }
  if (c.terms.fair) r.lead = lead_of(c);
  return r;
}

void world::tell_reach(std::size_t who) {
  client& c = clients_[who];
  for (std::size_t slot = 0; slot < c.tickets.size(); ++slot) {
    if (!c.tickets[slot].claim) continue;
    step(who, slot, [&](core::claim& k) { k.on_reach(known(c), local(c), out_); });
  }
}

void world::tell_turn(std::size_t who, std::size_t slot) {
  step(who, slot, [&](core::claim& k) { k.on_turn(local(clients_[who]), out_); });
}

// D4. Only for the tickets that are there.
void world::step_clock(std::size_t who, std::size_t slot, std::size_t n) {
  client& c = clients_[who];
  if (!c.tickets[slot].claim) return;
  const auto id = static_cast<core::node_id>(n);
  c.tickets[slot].watch->on_step(id);
  step(who, slot, [&](core::claim& k) { k.on_step(id, local(c), out_); });
}

// What became of a command.
void world::settle(std::size_t who, const request& r, const model_reply& said) {
  client& c = clients_[who];
  ticket& t = c.tickets[r.slot];
  const answer a = said.said;
  seen_.saw(r.cmd.what, a);
  if (!t.claim || t.epoch != r.epoch) return;
  --t.pending;
  history_.note(now_, [&] {
    return name(who, t.epoch) + " hears of " + std::string(core::word(r.cmd.what)) + " " +
           std::to_string(r.cmd.attempt) + " at node " + std::to_string(r.cmd.node) + ": " +
           (said.queued ? "queued" : std::string(word(a)));
  });
  if (a == answer::granted) {
    t.voted[r.cmd.node] = r.executed;
    const bool refused = r.cmd.what == core::verb::acquire && c.links[r.cmd.node].vote.guarded;
    if (refused) seen_.saw(watched::vote_refused);
  }
  note_others(c, r, said);
  if (r.cmd.queue == core::queueing::join && a == answer::refused) start_listening(who);
  const core::reply reply{.to = r.cmd,
                          .answer = a,
                          .key_left = core::milliseconds{said.key_left / ms},
                          .queued = said.queued,
                          .waiting = static_cast<std::uint32_t>(said.waiting)};
  t.watch->on_reply(reply, c.clock.at(now_));
  step(who, r.slot, [&](core::claim& k) { k.on_reply(reply, local(c), out_); });
}

}  // namespace redlock::sim
