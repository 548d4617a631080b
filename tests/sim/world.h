// world: clients that drive real claims, masters, the connections between them, and the faults that
// befall all three, in one thread. Time is a number, and one seed is one history on every machine.
//
//     users ── claims ── links ══ delays, breaks, blocks ══ masters (model_master)
//      world_clients.cc    world_links.cc                    world_faults.cc
//                          world_guards.cc
//
// One resource. First a phase in which faults happen; then all of them stop, and everything must
// come to rest. After every event: what must hold of all claims and masters together (world.cc),
// and what must hold of each claim (witness.h).

#ifndef REDLOCK_TESTS_SIM_WORLD_H
#define REDLOCK_TESTS_SIM_WORLD_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/claim.h"
#include "core/guard.h"
#include "core/line.h"
#include "sim/chance.h"
#include "sim/climate.h"
#include "sim/coverage.h"
#include "sim/history.h"
#include "sim/model_master.h"
#include "sim/skewed_clock.h"
#include "sim/witness.h"

namespace redlock::sim {

struct violation {
  breach broken;
  real at = 0;
  std::uint64_t events = 0;  // until then
};

class world {
 public:
  world(const climate& c, std::uint64_t seed, coverage& seen, history::printer print = {});

  // Runs until all has come to rest. Gives what was violated first, or nothing.
  std::optional<violation> run();

  [[nodiscard]] std::uint64_t hash() const noexcept { return history_.hash(); }

 private:
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
    bool by_text = false;  // EVAL, which loads the script
    bool unknown = false;  // NOSCRIPT
    bool look = false;     // at the clock, and at redlock-node: no claim's
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

  struct link {
    trust vote;
    std::uint32_t generation = 0;  // which connection
    bool up = true, fresh = false, denied = false;
    bool severed = false;  // the server's end is gone, and the client does not know yet
    std::vector<request> unwritten;
    std::vector<request> written;  // not yet answered, in order; the first `executed` are on their
    std::size_t executed = 0;      // way back
    real last_request = 0, last_reply = 0, last_heard = 0;
    real blocked_out = 0, blocked_back = 0, deny = 0;
    bool watched = false;  // the hung rule's timer is set
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
    bool told_end = false;  // the user asks for the next lock
    bool in_line = false;
    mark confirmed, open;
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
    std::size_t turns = 0;  // on their way
    std::vector<link> links;
  };

  enum class kind : std::uint8_t {
    begin,
    turn,
    user,
    use,
    signal,
    wake,
    write,
    request,
    answer,
    ghost,
    broken,
    hung,
    connect,
    look,
    fault,
    calm,
  };
  struct event {
    real at = 0;
    std::uint32_t order = 0;
    kind what = kind::begin;
    std::uint8_t who = 0;
    std::uint8_t node = 0;
    std::uint8_t slot = 0;
    std::uint32_t tag = 0;  // generation, epoch, timer or index: what makes it stale
    bool operator<(const event& o) const noexcept {
      return at != o.at ? at > o.at : order > o.order;
    }
  };

  // world.cc: the loop, and what must hold.
  void push(event e);
  void handle(const event& e);
  [[nodiscard]] bool client_is_there(const event& e);
  void on_client(const event& e);
  void violated(const char* rule, std::string what);
  void hear(const ticket& t);
  void check_exclusion();
  void check_backing(const client& c, const ticket& t);
  void check_all_backing();
  void check_ttl(std::size_t n);
  void check_nothing_left(const ticket& t);
  void check_rest();
  [[nodiscard]] bool is_held(const client& c, const ticket& t) const;
  [[nodiscard]] bool withstands(const ticket& t) const;

  // world_clients.cc: users, and their claims.
  void begin(std::size_t who);
  void enter(std::size_t who, std::size_t slot);
  void admit(std::size_t who);
  void follow_line(std::size_t who, std::size_t slot, core::claim::state was);
  void detach(std::size_t who, std::size_t slot);
  [[nodiscard]] bool was_handed_over(const core::base& base) const;
  void user(std::size_t who, std::size_t slot);
  void stop_reaches(std::size_t who, std::size_t slot);
  template <class Input>
  void step(std::size_t who, std::size_t slot, Input input);
  void follow(std::size_t who, std::size_t slot, core::claim::state was);
  void send(std::size_t who, std::size_t slot);
  void tell(std::size_t who, std::size_t slot, core::news told);
  void arm(std::size_t who, std::size_t slot);
  void wake(std::size_t who, std::size_t slot);
  void expire(std::size_t who);
  void finish(std::size_t who, std::size_t slot);
  void tell_reach(std::size_t who);
  void step_clock(std::size_t who, std::size_t slot, std::size_t n);
  void settle(std::size_t who, const request& r, answer a, ns key_left);
  [[nodiscard]] core::reach known(const client& c) const;
  [[nodiscard]] core::time_point local(const client& c) const {
    return core::time_point{core::nanoseconds{c.clock.at(now_)}};
  }

  // world_links.cc: what the driver and the network do.
  void write(std::size_t who, std::size_t n);
  void transmit(std::size_t who, std::size_t n, request r);
  void deliver(const event& e);
  void haunt(const event& e);
  void answer_arrives(std::size_t who, std::size_t n);
  model_reply execute(std::size_t n, const request& r);
  void cut(std::size_t who, std::size_t n);
  void check_hung(const event& e);
  void connect(const event& e);
  [[nodiscard]] ns travel_time(std::size_t n);

  // world_guards.cc: what clients know of their nodes, and what may follow from it.
  void set_up(std::size_t who, std::size_t n);
  void look(std::size_t who, std::size_t n);
  void run_look(std::size_t n, request& r);
  void on_shown(std::size_t who, std::size_t n, const request& r);
  void on_look_settled(std::size_t who, std::size_t n);
  void note_clock(std::size_t who, std::size_t n, const core::clock_sample& s);
  void note_enrolment(std::size_t who, std::size_t n, core::milliseconds max_ttl);
  void compare_clocks(std::size_t who);
  void tell_step(std::size_t who, std::size_t n);
  void review(std::size_t who, std::size_t n);
  void arm_look(std::size_t who, std::size_t n);
  void check_votes(const client& c, const ticket& t);
  [[nodiscard]] core::milliseconds own_max_ttl(const client& c) const;
  [[nodiscard]] bool is_busy(const client& c) const;

  // world_faults.cc
  void strike();
  void afflict(fault f);
  void sever(std::size_t who, std::size_t n);
  void crash(std::size_t n, real until);
  void step_forward();
  void lose(std::size_t n, bool noticed = false);
  void calm_down();
  [[nodiscard]] real fault_end();

  const climate climate_;
  const core::terms terms_;
  chance chance_;
  coverage& seen_;
  history history_;

  real now_ = 0;
  bool calm_ = false;
  std::uint32_t order_ = 0;
  std::uint32_t epochs_ = 0;
  std::uint32_t processes_ = 0;
  std::uint64_t count_ = 0;
  std::vector<master> masters_;
  std::vector<client> clients_;
  std::vector<request> ghosts_;
  struct token {
    core::base who{};
    core::attempt_id attempt = 0;
  };
  std::vector<token> detached_;          // for somebody to adopt, once
  std::vector<core::base> handed_over_;  // what was on its way before may set a key again
  std::vector<core::base> finished_;     // claims that owe nothing any more
  std::size_t holders_ = 0;              // claims in state held
  std::vector<event> events_;            // a heap
  core::outbox out_;
  std::optional<violation> violation_;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_WORLD_H
