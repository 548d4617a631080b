// world: clients that drive real claims, masters, the connections between them, and the faults that
// befall all three, in one thread. Time is a number, and one seed is one history on every machine.
//
//     users ── claims ── links ══ delays, breaks, blocks ══ masters (model_master)
//      world_clients.cc    world_links.cc                    world_faults.cc
//                          world_guards.cc
//                          world_queues.cc
//
// One resource. First a phase in which faults happen; then all of them stop, and everything must
// come to rest. After every event: what must hold of all claims and masters together (world.cc),
// and what must hold of each claim (witness.h).

#ifndef REDLOCK_TESTS_SIM_WORLD_H
#define REDLOCK_TESTS_SIM_WORLD_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/chance.h"
#include "sim/climate.h"
#include "sim/coverage.h"
#include "sim/history.h"
#include "sim/world_parts.h"

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
    silence,
    listen,
    deaf,
    told,
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
  void tell_turn(std::size_t who, std::size_t slot);
  void step_clock(std::size_t who, std::size_t slot, std::size_t n);
  void settle(std::size_t who, const request& r, const model_reply& said);
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

  // world_queues.cc: the lead, who listens, and who is told.
  [[nodiscard]] std::optional<core::node_id> lead_of(const client& c) const;
  [[nodiscard]] hearers listening(std::size_t n) const;
  [[nodiscard]] model_call call_of(std::size_t n, const request& r) const;
  void write_turn(std::size_t who, std::size_t n, request& r);
  void note_others(client& c, const request& r, const model_reply& said);
  void start_listening(std::size_t who);
  void connect_ear(std::size_t who, std::size_t n);
  void listen(const event& e);
  void close_ear(std::size_t who, std::size_t n);
  void go_deaf(const event& e);
  void cut_ear(std::size_t who, std::size_t n, real until);
  void on_queue(std::size_t n, const request& r, const model_reply& said);
  void publish(std::size_t n, const wakeup& w);
  void told(const event& e);
  void watch_silence(std::size_t who, std::size_t n);
  void check_silence(const event& e);
  void note_grant(const ticket& t);
  void check_served();

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
  struct message {
    wakeup what;
    std::uint32_t generation = 0;  // of the ear
  };
  std::vector<message> messages_;
  real free_since_ = 0;                  // nobody held it since
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
