// climate: what kind of world it is. Which faults exist in it, and how strong they are, is itself
// drawn from the seed, so that worlds differ in kind: a fault hides less where others are absent.
//
// Every field is a knob: an integer that has a name, and a value at which it does nothing. That is
// enough to print a world, to take one from the command line, and to shrink one.

#ifndef REDLOCK_TESTS_SIM_CLIMATE_H
#define REDLOCK_TESTS_SIM_CLIMATE_H

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/claim.h"
#include "sim/skewed_clock.h"

namespace redlock::sim {

using knob_value = std::int64_t;
struct knob;

struct climate {
  // What there is, and what is asked for.
  knob_value nodes = 1;
  knob_value unanimous = 0;  // the quorum is all of them
  knob_value clients = 1;
  knob_value claims = 1;  // of each client
  knob_value users = 1;   // of each client at once, in one line
  knob_value ttl_ms = 100;
  knob_value node_timeout_ms = 20;
  knob_value wait_ms = 0;  // -1: for ever
  knob_value attempts = 0;
  knob_value policy = 0;
  knob_value renews = 0;       // by itself, at a third of the ttl
  knob_value max_hold_ms = 0;  // 0: none
  knob_value stop_margin_ms = 0;
  knob_value min_validity_ms = 1;
  knob_value hand_over = 0;     // of 1000 acts on a lease: its token goes to another client
  knob_value short_ttl_ms = 0;  // 0: ttl_ms; of every second client
  knob_value max_ttl_ms = 0;    // less than a client's ttl: that
  knob_value hold_ms = 100;     // how long a user keeps it, at most, between what he does

  // The queue.
  knob_value fair = 0;
  knob_value wakeups = 0;       // waiters listen for them
  knob_value unfair = 0;        // of 1000 clients, those that do not queue
  knob_value disagree = 0;      // of 1000 clients, those that choose other leads
  knob_value lose_wakeups = 0;  // of 1000

  // The network. Delays are at most so long; the rest is cases per thousand messages.
  knob_value delay_us = 0;
  knob_value slow = 0;  // take slow_ms at most instead
  knob_value slow_ms = 0;
  knob_value cut = 0;        // requests with which the connection breaks
  knob_value cut_reply = 0;  // executed requests with which the connection breaks
  knob_value after_cut = 0;  // requests on a broken connection that are executed all the same, and
  knob_value late_ms = 0;    // how late, at most: also behind what is sent on the next connection
  knob_value fresh = 0;      // of 1000 connections, those whose first set-up is still under way

  // Faults that last for a while; `fault_gap_ms` between them on average, of kinds by their
  // weights.
  knob_value chaos_ms = 500;  // the phase in which faults happen
  knob_value fault_gap_ms = 0;
  knob_value fault_ms = 0;  // how long they last, at most
  knob_value block = 0;     // one link, one direction
  knob_value part = 0;      // all links of some clients to some nodes, both directions
  knob_value stop_node = 0;
  knob_value slow_node = 0;
  knob_value crash_node = 0;  // and restart with its memory
  knob_value flush_scripts = 0;
  knob_value out_of_memory = 0;
  knob_value errors = 0;  // LOADING, BUSY, MISCONF
  knob_value replica = 0;
  knob_value deny = 0;       // the next set-ups of a connection are refused
  knob_value stranger = 0;   // another program takes a free key, with an expiry
  knob_value stuck_key = 0;  // a key of another type, or without expiry, where there was none
  knob_value clock_back = 0;
  knob_value suspend = 0;  // a client's machine sleeps: longer than the ttl, and connections die
  knob_value cut_wakeups = 0;  // one client's connection for them, to one node
  knob_value lose_queue = 0;   // of one node

  // Clients. Cases per thousand events of a client.
  knob_value pause = 0;
  knob_value pause_ms = 0;
  knob_value die = 0;

  // The guards: what else would be outside the promise is inside with them. A step is then one that
  // can be noticed, and of so few nodes that the median is of the others.
  knob_value restart_guard = 0;
  knob_value clock_guard = 0;
  knob_value durable = 0;  // the nodes are declared so
  knob_value no_info = 0;  // of 1000 clients, those that nodes do not tell who they are
  knob_value young = 0;    // of 1000 nodes, those that have only just been started

  // How far the rates of clocks are off, at most.
  knob_value clock_ppm = 0;

  // Outside the promise, the first two only without a restart guard, and clock_forward only without
  // a clock guard. Losses of keys that no guard notices are counted against what a lease
  // withstands.
  knob_value amnesia = 0;        // weight: a node crashes and forgets
  knob_value failover = 0;       // weight: a replica that missed the key takes the node's place
  knob_value flush_all = 0;      // weight
  knob_value lose_key = 0;       // weight
  knob_value overwrite = 0;      // weight: a rude stranger
  knob_value clock_forward = 0;  // weight
  knob_value fast_nodes_ppm = 0;
  knob_value strict = 0;        // judge it as if it were inside
  knob_value holders_only = 0;  // look for two holders, and at nothing that leads to them

  // Masters that are not what they should be: the checks must find them out.
  knob_value blind_release = 0;    // delete whatever key there is
  knob_value idle_release = 0;     // say deleted, and delete nothing
  knob_value any_own_attempt = 0;  // acquire takes its own base's key whatever the attempt (T2)
  knob_value any_takeover = 0;     // acquire of who was told takes any key (T2)
  knob_value shortening = 0;       // renew sets the ttl, also to less

  static climate drawn(std::uint64_t seed);
  [[nodiscard]] static bool is_fault(
      const knob& k) noexcept;  // of those that is_orderly() excludes

  [[nodiscard]] core::terms terms() const;
  // Whether guards see all restarts with a loss, and all steps.
  [[nodiscard]] bool notices_restarts() const noexcept {
    // A durable node that was promoted, and is restarted before anybody has met it, has its vote.
    const bool rightly_durable = amnesia == 0 && (failover == 0 || crash_node == 0);
    return restart_guard != 0 && (durable == 0 || rightly_durable) && knows_max_ttl();
  }
  [[nodiscard]] bool notices_steps() const noexcept {
    return clock_guard != 0 && clock_back == 0 && knows_max_ttl();
  }
  // A client learns of a new one's larger max_ttl with its next look. Its guards must last so long.
  [[nodiscard]] bool knows_max_ttl() const noexcept {
    return short_ttl_ms == 0 || short_ttl_ms >= 1'000;
  }
  [[nodiscard]] bool loses_unnoticed() const noexcept {
    const bool forgets = amnesia + failover > 0 && !notices_restarts();
    return forgets || flush_all + lose_key + overwrite > 0;
  }
  [[nodiscard]] bool clocks_go_wrong() const noexcept {
    return (clock_forward > 0 && !notices_steps()) || fast_nodes_ppm > 0;
  }
  // Whether the promise holds without counting.
  [[nodiscard]] bool within_promise() const noexcept {
    return strict != 0 || (!loses_unnoticed() && !clocks_go_wrong());
  }
  // Whether a key stands for as long as it should, so that a holder always has a quorum of them.
  [[nodiscard]] bool keys_stand() const noexcept {
    const bool guarded = restart_guard + clock_guard > 0;
    const bool calm = amnesia + failover + clock_forward == 0;
    return within_promise() && (calm || (strict != 0 && !guarded));
  }
  // Whether without faults an attempt ends well in time, also one that asks the lead first.
  [[nodiscard]] bool is_quick() const noexcept {
    return delay_us * 5 <= node_timeout_ms * 1'000 &&
           std::max(min_validity_ms, stop_margin_ms) <= ttl_ms / 2;
  }
  // Whether nothing ever hinders those who wait from being served in order.
  [[nodiscard]] bool is_orderly() const noexcept;
  // R2 remembers a release until the key must have expired. It takes a request to be executed
  // within a node time-out after the loss of its connection; one that comes later leaves a key for
  // a ttl.
  [[nodiscard]] bool cleans_up() const noexcept;
};

struct knob {
  std::string_view name;
  knob_value climate::*field;
  knob_value calm;  // does nothing, or is the least there is
};

[[nodiscard]] std::span<const knob> knobs() noexcept;

// "nodes=5 ttl_ms=200 …": what is not calm.
[[nodiscard]] std::string describe(const climate& c);

// Sets one knob, "nodes=5". False if there is none of that name, or no number.
[[nodiscard]] bool set_knob(climate& c, std::string_view assignment);

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_CLIMATE_H
