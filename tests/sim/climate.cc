// The knobs of a climate, how they are drawn, and how they are read and written.

#include "sim/climate.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "sim/chance.h"

namespace redlock::sim {
namespace {

using std::chrono::milliseconds;

// One name for a knob, here and in the struct.
#define REDLOCK_SIM_KNOB(field) \
  knob { #field, &climate::field, climate{}.field }

constexpr std::array all_knobs{
    REDLOCK_SIM_KNOB(nodes),
    REDLOCK_SIM_KNOB(unanimous),
    REDLOCK_SIM_KNOB(clients),
    REDLOCK_SIM_KNOB(claims),
    REDLOCK_SIM_KNOB(users),
    REDLOCK_SIM_KNOB(ttl_ms),
    REDLOCK_SIM_KNOB(node_timeout_ms),
    REDLOCK_SIM_KNOB(wait_ms),
    REDLOCK_SIM_KNOB(attempts),
    REDLOCK_SIM_KNOB(policy),
    REDLOCK_SIM_KNOB(renews),
    REDLOCK_SIM_KNOB(max_hold_ms),
    REDLOCK_SIM_KNOB(stop_margin_ms),
    REDLOCK_SIM_KNOB(min_validity_ms),
    REDLOCK_SIM_KNOB(hand_over),
    REDLOCK_SIM_KNOB(short_ttl_ms),
    REDLOCK_SIM_KNOB(max_ttl_ms),
    REDLOCK_SIM_KNOB(hold_ms),
    REDLOCK_SIM_KNOB(fair),
    REDLOCK_SIM_KNOB(wakeups),
    REDLOCK_SIM_KNOB(unfair),
    REDLOCK_SIM_KNOB(disagree),
    REDLOCK_SIM_KNOB(lose_wakeups),
    REDLOCK_SIM_KNOB(delay_us),
    REDLOCK_SIM_KNOB(slow),
    REDLOCK_SIM_KNOB(slow_ms),
    REDLOCK_SIM_KNOB(cut),
    REDLOCK_SIM_KNOB(cut_reply),
    REDLOCK_SIM_KNOB(after_cut),
    REDLOCK_SIM_KNOB(late_ms),
    REDLOCK_SIM_KNOB(fresh),
    REDLOCK_SIM_KNOB(chaos_ms),
    REDLOCK_SIM_KNOB(fault_gap_ms),
    REDLOCK_SIM_KNOB(fault_ms),
    REDLOCK_SIM_KNOB(block),
    REDLOCK_SIM_KNOB(part),
    REDLOCK_SIM_KNOB(stop_node),
    REDLOCK_SIM_KNOB(slow_node),
    REDLOCK_SIM_KNOB(crash_node),
    REDLOCK_SIM_KNOB(flush_scripts),
    REDLOCK_SIM_KNOB(out_of_memory),
    REDLOCK_SIM_KNOB(errors),
    REDLOCK_SIM_KNOB(replica),
    REDLOCK_SIM_KNOB(deny),
    REDLOCK_SIM_KNOB(stranger),
    REDLOCK_SIM_KNOB(stuck_key),
    REDLOCK_SIM_KNOB(clock_back),
    REDLOCK_SIM_KNOB(suspend),
    REDLOCK_SIM_KNOB(cut_wakeups),
    REDLOCK_SIM_KNOB(lose_queue),
    REDLOCK_SIM_KNOB(pause),
    REDLOCK_SIM_KNOB(pause_ms),
    REDLOCK_SIM_KNOB(die),
    REDLOCK_SIM_KNOB(restart_guard),
    REDLOCK_SIM_KNOB(clock_guard),
    REDLOCK_SIM_KNOB(durable),
    REDLOCK_SIM_KNOB(no_info),
    REDLOCK_SIM_KNOB(young),
    REDLOCK_SIM_KNOB(clock_ppm),
    REDLOCK_SIM_KNOB(amnesia),
    REDLOCK_SIM_KNOB(failover),
    REDLOCK_SIM_KNOB(flush_all),
    REDLOCK_SIM_KNOB(lose_key),
    REDLOCK_SIM_KNOB(overwrite),
    REDLOCK_SIM_KNOB(clock_forward),
    REDLOCK_SIM_KNOB(fast_nodes_ppm),
    REDLOCK_SIM_KNOB(strict),
    REDLOCK_SIM_KNOB(holders_only),
    REDLOCK_SIM_KNOB(blind_release),
    REDLOCK_SIM_KNOB(idle_release),
    REDLOCK_SIM_KNOB(any_own_attempt),
    REDLOCK_SIM_KNOB(any_takeover),
    REDLOCK_SIM_KNOB(shortening),
};

#undef REDLOCK_SIM_KNOB

static_assert(sizeof(climate) == all_knobs.size() * sizeof(knob_value), "a field without a knob");

// What keeps a queue from being served in order, or a node from answering in time.
constexpr std::array faults{&climate::hand_over,     &climate::unfair,         &climate::disagree,
                            &climate::lose_wakeups,  &climate::slow,           &climate::cut,
                            &climate::cut_reply,     &climate::after_cut,      &climate::fresh,
                            &climate::fault_gap_ms,  &climate::pause,          &climate::die,
                            &climate::restart_guard, &climate::clock_guard,    &climate::durable,
                            &climate::no_info,       &climate::young,          &climate::max_ttl_ms,
                            &climate::short_ttl_ms,  &climate::min_validity_ms};

void draw_users(climate& w, chance& c) {
  w.nodes = c.of_1000(100) ? c.between(6, 7) : c.between(1, 5);
  w.unanimous = c.of_1000(100) ? 1 : 0;
  w.clients = c.between(1, 4);
  w.claims = c.between(1, 3);
  w.ttl_ms = c.between(100, 400);
  w.node_timeout_ms = c.of_1000(500) ? 20 : 40;
  w.wait_ms = c.of_1000(200) ? -1 : c.of_1000(250) ? 0 : c.between(1, 500);
  w.attempts = c.of_1000(100) ? c.between(1, 3) : 0;
  w.policy = c.upto(2);
  w.renews = c.of_1000(700) ? 1 : 0;
  w.max_hold_ms = c.of_1000(200) ? w.ttl_ms * 3 : 0;
  w.stop_margin_ms = c.of_1000(300) ? w.ttl_ms / 5 : 0;
  w.min_validity_ms = c.of_1000(200) ? w.ttl_ms * 9 / 10 : 1;
  if (w.renews == 0 && c.of_1000(100)) w.stop_margin_ms = w.ttl_ms * 9 / 10;
  w.hand_over = c.of_1000(300) ? 300 : 0;
  w.hold_ms = c.of_1000(500) ? 300 : 30;
}

void draw_network(climate& w, chance& c) {
  w.delay_us = c.of_1000(500) ? 3'000 : 15'000;
  if (c.of_1000(300)) {
    w.slow = c.between(1, 100);
    w.slow_ms = c.between(10, 300);
  }
  if (c.of_1000(600)) w.cut = c.between(1, 60);
  if (c.of_1000(400)) w.cut_reply = c.between(1, 60);
  w.after_cut = c.of_1000(200) ? 0 : 500;
  w.late_ms = c.of_1000(500) ? w.node_timeout_ms - w.delay_us / 1000 - 1 : w.ttl_ms * 2;
  w.fresh = c.of_1000(500) ? 300 : 0;
}

void draw_faults(climate& w, chance& c) {
  const auto maybe = [&](knob_value climate::*field, int of_1000) {
    if (c.of_1000(of_1000)) w.*field = c.between(1, 10);
  };
  w.chaos_ms = c.between(200, 1'000);
  w.fault_gap_ms = c.between(20, 200);
  w.fault_ms = c.of_1000(500) ? c.between(10, 100) : c.between(100, 1'500);
  for (const auto field :
       {&climate::block, &climate::part, &climate::stop_node, &climate::slow_node,
        &climate::crash_node, &climate::flush_scripts, &climate::out_of_memory, &climate::errors,
        &climate::replica, &climate::deny, &climate::stranger, &climate::stuck_key,
        &climate::suspend}) {
    maybe(field, 150);
  }
  maybe(&climate::clock_back, 100);
  if (c.of_1000(300)) w.die = 3;
  if (c.of_1000(400)) {
    w.pause = 10;
    w.pause_ms = w.ttl_ms * 2;
  }
  w.clock_ppm = c.of_1000(800) ? 4'000 : 0;
  if (!c.of_1000(150)) return;
  for (const auto field :
       {&climate::amnesia, &climate::flush_all, &climate::lose_key, &climate::overwrite}) {
    maybe(field, 400);
  }
  maybe(&climate::clock_forward, 100);
}

// Half of all worlds have guards, and half of those what guards are there for: restarts and steps
// at a pace that lets them end.
void draw_guards(climate& w, chance& c) {
  if (c.of_1000(500)) return;
  w.restart_guard = c.of_1000(800) ? 1 : 0;
  w.clock_guard = c.of_1000(800) ? 1 : 0;
  w.durable = c.of_1000(150) ? 1 : 0;
  w.no_info = c.of_1000(200) ? 500 : 0;
  w.young = c.of_1000(200) ? 300 : 0;
  w.max_ttl_ms = c.of_1000(300) ? w.ttl_ms * 3 / 2 : 0;
  if (c.of_1000(500)) return;
  if (c.of_1000(600)) w.ttl_ms = c.between(400, 4'000);
  if (w.ttl_ms > 2'000 && c.of_1000(500)) w.short_ttl_ms = c.between(1'000, w.ttl_ms / 2);
  w.max_hold_ms = w.max_hold_ms != 0 ? w.ttl_ms * 3 : 0;
  w.stop_margin_ms = 0;
  w.min_validity_ms = 1;
  w.claims = c.between(2, 6);
  if (w.wait_ms > 0) w.wait_ms = c.between(1'000, 8'000);
  if (c.of_1000(400)) w.hold_ms = w.ttl_ms / 2;
  w.chaos_ms = c.between(1'000, 8'000);
  w.fault_gap_ms = c.between(100, 1'500);
  if (w.restart_guard != 0 && c.of_1000(600)) {
    (c.of_1000(600) && w.durable == 0 ? w.amnesia : w.failover) = c.between(5, 15);
    if (w.durable != 0) w.crash_node = 0;
  }
  if (w.clock_guard != 0 && c.of_1000(600)) {
    w.clock_forward = c.between(5, 15);
    w.clock_back = 0;
  }
}

// Half of all worlds have queues, with more who wait in them; and in a few of those nothing goes
// wrong at all, so that they must be served in order.
void draw_queue(climate& w, chance& c) {
  if (c.of_1000(500)) return;
  w.fair = 1;
  w.wakeups = c.of_1000(850) ? 1 : 0;
  if (c.of_1000(600)) w.clients = c.between(2, 7);
  if (c.of_1000(400) && w.wait_ms != 0) w.wait_ms = -1;
  if (c.of_1000(150)) {
    const climate calm;
    for (const knob& k : all_knobs) {
      if (climate::is_fault(k)) w.*k.field = calm.*k.field;
    }
    w.delay_us = w.node_timeout_ms * 1'000 / 5;
    return;
  }
  w.unfair = c.of_1000(250) ? 400 : 0;
  w.disagree = c.of_1000(200) ? 500 : 0;
  if (c.of_1000(400)) w.lose_wakeups = c.between(10, 600);
  if (c.of_1000(400)) w.cut_wakeups = c.between(1, 20);
  if (c.of_1000(200)) w.lose_queue = c.between(1, 10);
}

}  // namespace

climate climate::drawn(std::uint64_t seed) {
  chance c(seed);
  climate w;
  draw_users(w, c);
  draw_network(w, c);
  draw_faults(w, c);
  draw_guards(w, c);
  if (c.of_1000(400)) {
    w.users = c.between(2, 3);
    w.claims += 2;
  }
  draw_queue(w, c);
  return w;
}

core::terms climate::terms() const {
  const auto count = static_cast<std::size_t>(nodes);
  core::terms t;
  t.nodes = count;
  t.quorum = unanimous != 0 ? count : count / 2 + 1;
  t.node_timeout = milliseconds{node_timeout_ms};
  t.connect_timeout = milliseconds{100};
  t.ttl = milliseconds{ttl_ms};
  t.wait = wait_ms < 0 ? wait_forever : milliseconds{wait_ms};
  t.max_attempts = static_cast<std::uint32_t>(attempts);
  t.retry = {static_cast<retry_policy>(policy), milliseconds{5}, milliseconds{40}};
  t.renew_every = renews != 0 ? core::nanoseconds{t.ttl} / 3 : core::nanoseconds{0};
  t.max_hold = milliseconds{max_hold_ms};
  t.min_validity = milliseconds{min_validity_ms};
  t.stop_margin = milliseconds{stop_margin_ms};
  return t;
}

bool climate::cleans_up() const noexcept {
  const bool in_time = slow == 0 && block == 0 && part == 0 && stop_node == 0 && slow_node == 0;
  const bool late_in_time = after_cut == 0 || delay_us / 1000 + late_ms < node_timeout_ms;
  const bool clocks_agree = clock_back == 0 && clock_forward == 0;
  return keys_stand() && holders_only == 0 && clocks_agree && in_time && late_in_time;
}

bool climate::is_fault(const knob& k) noexcept {
  return std::ranges::find(faults, k.field) != faults.end();
}

bool climate::is_orderly() const noexcept {
  const auto none = [this](knob_value climate::*f) { return this->*f == climate{}.*f; };
  return fair != 0 && any_takeover == 0 && is_quick() && std::ranges::all_of(faults, none);
}

std::span<const knob> knobs() noexcept { return all_knobs; }

std::string describe(const climate& c) {
  std::string text;
  for (const knob& k : all_knobs) {
    if (c.*k.field == k.calm) continue;
    if (!text.empty()) text += ' ';
    text += std::string(k.name) + '=' + std::to_string(c.*k.field);
  }
  return text;
}

bool set_knob(climate& c, std::string_view assignment) {
  for (const knob& k : all_knobs) {
    if (!assignment.starts_with(k.name)) continue;
    const std::string_view rest = assignment.substr(k.name.size());
    if (!rest.starts_with('=')) continue;
    knob_value value = 0;
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), value);
    if (error != std::errc{} || end != rest.data() + rest.size()) return false;
    c.*k.field = value;
    return true;
  }
  return false;
}

}  // namespace redlock::sim
