#include "fuzz/world.h"

#include <algorithm>
#include <span>
#include <utility>

namespace redlock::fuzz {

using core::claim;
using core::command;
using core::milliseconds;
using core::news;
using core::node_id;
using core::verb;

namespace {

// What a node may say to a command; the wire lets nothing else through.
std::span<const answer> answers_to(verb v) {
  static constexpr std::array takes{answer::granted, answer::refused, answer::foreign,
                                    answer::replica, answer::denied,  answer::error};
  static constexpr std::array keeps{answer::granted, answer::absent, answer::foreign,
                                    answer::replica, answer::denied, answer::error};
  return v == verb::acquire || v == verb::refill ? std::span(takes) : std::span(keeps);
}

}  // namespace

world::world(const core::terms& t, const core::reach& nodes)
    : terms_(t), reach_(nodes), claim_(t, {1, 2}, nodes) {}

template <class Input>
void world::say(Input input) {
  out_.clear();
  input();
  for (const command& c : out_.commands()) {
    check_command(c);
    unanswered_[c.node].push_back(c);
  }
  ++told_[out_.told()];
  check_news();
}

void world::check_command(const command& c) {
  must(reach_.up.contains(c.node) || reach_.fresh.contains(c.node), "the node takes commands");
  const bool held = is_in(claim::state::held);
  if (c.what == verb::release) {
    must(!held || c.attempt != claim_.attempt(), "no release of a lease that is held (R5)");
    released_.insert(c.attempt);
    return;
  }
  must(!released_.contains(c.attempt), "nothing is set after its release (R5)");
  must(c.attempt == claim_.attempt(), "one attempt at a time");
  must(c.ttl > milliseconds{0} && c.ttl <= terms_.ttl, "a key with an expiry (G6)");
  if (c.what == verb::refill) {
    must(held && now_ < claim_.valid_until(), "only a lease that is held is filled up (N2)");
  } else {
    const auto [it, first] = rounds_.try_emplace(c.round, round{now_, c.ttl, {}});
    must(it->second.start == now_, "a round is sent at once");
  }
}

void world::check_news() {
  for (const news n : {news::acquired, news::gave_up, news::expiring, news::lost}) {
    must(told_[n] <= 1, "once");
  }
  must(told_[news::acquired] + told_[news::gave_up] <= 1, "one end of an acquire");
  must(told_[news::released] + told_[news::unconfirmed] <= 1, "one end of a release");
  must(!is_in(claim::state::held) || told_[news::lost] == 0, "a lost lease stays lost (N4)");
  if (out_.told() != news::acquired && out_.told() != news::renewed) return;
  // Some round was confirmed by a quorum, and the validity is not counted from later (G2, N1).
  const bool confirmed = std::ranges::any_of(rounds_, [&](const auto& r) {
    const auto end = r.second.start + r.second.ttl - terms_.drift(r.second.ttl);
    return r.second.yes.size() >= terms_.quorum && claim_.valid_until() <= end;
  });
  must(confirmed, "validity that a quorum confirmed");
  must(now_ < claim_.valid_until(), "validity that is not over");
}

void world::acquire() {
  say([&] { claim_.acquire(now_, out_); });
}
void world::adopt() {
  say([&] { claim_.adopt(1, now_, out_); });
}
void world::take_back() {
  say([&] { claim_.take_back(1, now_, out_); });
}

bool world::may_release() const { return is_in(claim::state::held) || is_in(claim::state::lost); }

void world::cancel() {
  say([&] { claim_.cancel(out_); });
}
void world::renew() {
  if (is_in(claim::state::held)) say([&] { claim_.renew(now_, out_); });
}
void world::release() {
  if (may_release()) say([&] { claim_.release(now_, out_); });
}
void world::detach() {
  if (may_release()) say([&] { claim_.detach(); });
}
void world::see_expiry() {
  if (!is_in(claim::state::held) || now_ < claim_.valid_until()) return;
  say([&] { claim_.owner_saw_expiry(now_, out_); });
}
void world::signal_stop() {
  if (is_in(claim::state::lost)) say([&] { claim_.stop_signalled(out_); });
}
void world::forget_releases() {
  if (is_in(claim::state::ended)) say([&] { claim_.forget_releases(); });
}

void world::settle(node_id n, answer a, milliseconds key_left) {
  const command c = unanswered_[n].front();
  unanswered_[n].pop_front();
  const auto r = rounds_.find(c.round);
  if (a == answer::granted && r != rounds_.end() && c.what != verb::release) {
    r->second.yes.insert(n);
  }
  say([&] { claim_.on_reply({.to = c, .answer = a, .key_left = key_left}, now_, out_); });
}

void world::respond(node_id n, std::size_t which, milliseconds key_left) {
  if (unanswered_[n].empty() || !reach_.up.contains(n)) return;
  const auto possible = answers_to(unanswered_[n].front().what);
  const answer a = possible[which % possible.size()];
  settle(n, a, a == answer::refused ? key_left : milliseconds{0});
}

void world::write(node_id n) {
  if (unanswered_[n].empty() || claim_.wants(unanswered_[n].front(), now_)) return;
  settle(n, answer::unsent, {});
}

void world::cut(node_id n, bool written, std::size_t absence) {
  reach_.up.erase(n);
  reach_.fresh.erase(n);
  const std::array lasting{&reach_.denied, &reach_.duplicate, &reach_.replica};
  if (absence % 4 < lasting.size()) lasting[absence % 4]->insert(n);
  say([&] { claim_.on_reach(reach_, now_, out_); });
  for (std::size_t left = unanswered_[n].size(); left > 0; --left) {
    settle(n, written ? answer::unreachable : answer::unsent, {});
  }
}

void world::connect(node_id n) {
  if (reach_.up.contains(n)) return;
  reach_.up.insert(n);
  for (core::node_set* s : {&reach_.fresh, &reach_.denied, &reach_.duplicate, &reach_.replica}) {
    s->erase(n);
  }
  say([&] { claim_.on_reach(reach_, now_, out_); });
}

void world::pass(core::nanoseconds span, bool awake) {
  now_ += span;
  if (!awake || claim_.wake() > now_) return;
  say([&] { claim_.on_wake(now_, out_); });
  must(claim_.wake() > now_, "no busy loop");
  must(!is_in(claim::state::held) || now_ < claim_.valid_until(), "not held past its validity");
}

bool world::comes_to_an_end() {
  constexpr int turns = 10'000;
  for (int turn = 0; turn < turns; ++turn) {
    for (node_id n = 0; n < terms_.nodes; ++n) {
      connect(n);
      while (!unanswered_[n].empty()) settle(n, answer::granted, {});
    }
    if (claim_.finished()) return true;
    if (turn == 0) cancel();
    release();
    if (claim_.wake() != core::never)
      pass(std::max(claim_.wake() - now_, core::nanoseconds{0}), true);
  }
  return false;
}

}  // namespace redlock::fuzz
