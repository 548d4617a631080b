// What a world is made of: masters, clients, and what is between them.

#ifndef REDLOCK_TESTS_SIM_WORLD_PARTS_H
#define REDLOCK_TESTS_SIM_WORLD_PARTS_H

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/claim.h"
#include "core/guard.h"
#include "core/line.h"
#include "sim/climate.h"
#include "sim/model_master.h"
#include "sim/skewed_clock.h"
#include "sim/witness.h"

namespace redlock::sim {

struct master {
  skewed_clock clock;
  model_master keys;
  bool knows_scripts = true;
  // What it tells of itself, and what it keeps for the guards.
  std::uint32_t process = 0, replid = 0;  // numbers never used again
  ns born = 0;                            // by its own clock
  bool promoted = false;
  core::milliseconds max_ttl{0};  // redlock-node; 0: no such key
  // When it last forgot a key, and when its clock last went forward, in a way that guards see.
  real forgot = no_time, stepped = no_time;
  // Until when it is so.
  real down = 0, stopped = 0, slow = 0, out_of_memory = 0, errors = 0, replica = 0;
};

// A command, and the ticket that it belongs to.
struct request {
  core::command cmd;
  std::uint8_t slot = 0;
  std::uint32_t epoch = 0;  // of the ticket: a later one in that slot hears no more of it
  core::base who{};
  bool by_text = false;                // EVAL, which loads the script
  bool unknown = false;                // NOSCRIPT
  bool look = false;                   // at the clock, and at redlock-node: no claim's
  bool listens = false;                // there, as it was written
  std::optional<token> released = {};  // whose release made it our turn
  real at = 0;                         // it was written
  channel_id from = 0;                 // the client
  core::time_point written{};
  model_reply said{};
  real executed = 0;
  ns shown = 0;                   // the node's TIME; 0: it told none
  core::milliseconds max_ttl{0};  // of a look: what it brings, and then the largest
};

// What a client's health.cc does about one node.
struct trust {
  core::guard guard{core::guard_terms{}};
  std::uint32_t process = 0, replid = 0;  // as it last told; 0: never
  core::time_point until = core::never;   // it has its vote
  core::time_point next_look{};
  bool up = false;      // as health.cc knows it
  bool guarded = true;  // as the claims know it
  bool asked = false;
  std::uint32_t timer = 0;
};

// The connection on which a client is told of its turn. Either end may think that it stands.
struct ear {
  std::uint32_t generation = 0;
  bool told = false;   // as the client knows it
  bool heard = false;  // as the node knows it
  real deaf = 0;       // until then nothing arrives, or no new one can be made
  real haunted = 0;    // until then the node thinks that an earlier one stands
};

struct link {
  trust vote;
  ear turns;
  std::uint32_t generation = 0;  // which connection
  bool up = true, fresh = false, denied = false;
  bool severed = false;  // the server's end is gone, and the client does not know yet
  std::vector<request> unwritten;
  std::vector<request> written;  // not yet answered, in order; the first `executed` are on their
  std::size_t executed = 0;      // way back
  real last_request = 0, last_reply = 0, last_heard = 0;
  real blocked_out = 0, blocked_back = 0, deny = 0;
  bool watched = false;  // the hung rule's timer is set
  bool silent = false;   // for a node time-out, with requests under way
  bool timed = false;    // the timer that finds that out is set
};

// Who executed a round, and how many keys were lost since it began.
struct mark {
  core::round_id round = 0;
  core::node_set executed;
  std::size_t losses = 0;
};

struct ticket : core::line::place {
  std::optional<core::claim> claim;
  std::optional<witness> watch;
  core::base who{};
  std::uint32_t epoch = 0;
  real armed = no_time;
  std::uint32_t timer = 0;
  std::size_t pending = 0;  // commands not yet settled
  bool told_end = false;    // the user asks for the next lock
  bool in_line = false;
  std::optional<token> released;          // a key that carries it is ours to take
  real asked = no_time, waits = no_time;  // first asked the lead, and has a place there since
  std::size_t overtaken = 0;              // since then
  mark confirmed, open;
  bool excused = false;  // it has lost more keys than it withstands, and others hold it too
  std::array<real, nodes_max> voted{};  // when nodes executed the acquire they said yes to
};

struct client {
  skewed_clock clock;
  core::terms terms;
  core::milliseconds max_ttl{0};  // the largest seen
  bool may_ask = true;            // who a node is
  bool alive = true;
  real stands_still = 0;  // until then
  knob_value claims_left = 0;
  std::array<ticket, 5> tickets;
  core::line line;
  std::size_t turns = 0;             // on their way
  std::vector<core::node_id> leads;  // the nodes, as it would choose among them
  bool listens = false;              // has begun to
  bool others = false;               // were last seen to want it
  std::vector<link> links;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_WORLD_PARTS_H
