// A small world in one thread: clients that drive claims, masters, the connections between them,
// and the faults that befall all three. Time is a number, and one seed is one history on every
// machine.
//
// It is a model of what safety.md says of nodes and networks, as small as can be. One resource.
// What the claims promise is checked after every event: see world::check…

#ifndef REDLOCK_TESTS_CORE_CLAIM_WORLD_H
#define REDLOCK_TESTS_CORE_CLAIM_WORLD_H

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "core/claim.h"

namespace redlock::core {

// splitmix64: <random>'s distributions differ between libraries.
class chance {
 public:
  explicit chance(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::int64_t upto(std::int64_t most) {
    return static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(most) + 1));
  }
  nanoseconds upto(nanoseconds most) { return nanoseconds{upto(most.count())}; }
  bool of_1000(int cases) { return upto(999) < cases; }

 private:
  std::uint64_t state_;
};

// What kind of world. Faults are per thousand events of their kind; 0: does not happen here.
struct climate {
  std::size_t nodes = 3;
  std::size_t clients = 3;
  int claims_each = 3;
  terms of;

  nanoseconds delay{0};       // of a request or a reply, at most
  int cut = 0;                // sends that break the connection
  int after_cut = 500;        // of the requests on it, how many are executed all the same, and how
  nanoseconds long_after{0};  // long after, at most: also behind a new connection's requests
  int crash = 0;              // events of a client after which it is no more
  int pause = 0;              // events of a client before which it stands still
  nanoseconds pause_most{0};
  int hand_over = 0;  // of the user's acts on a lease: detaches it, for another client to adopt
  int clock_ppm = 0;  // how far the rate of a client's or node's clock is off, at most

  // What no lock of this kind withstands. A checker that sees nothing here sees nothing anywhere.
  int forget = 0;               // requests before which a node loses its keys
  int node_clock_fast_ppm = 0;  // all nodes' clocks, on top
  bool blind_release = false;   // nodes delete whatever key there is
  bool idle_release = false;    // nodes say deleted, and delete nothing
  bool any_own_attempt =
      false;  // acquire takes a key of its own base whatever the attempt (not T2)

  bool exclusion_only = false;  // look for two holders and for nothing else

  // What faults exist, and how many, is drawn from the seed itself.
  static climate drawn(std::uint64_t seed);
};

struct tally {
  int granted = 0, gave_up = 0, renewed = 0, renew_failed = 0, lost = 0, released = 0, refills = 0;
  int detached = 0, adopted = 0;
  int cuts = 0, crashes = 0, pauses = 0,
      ghosts = 0;  // ghost: set by a request of a broken connection
  tally& operator+=(const tally& o);
};

class world {
 public:
  world(const climate& c, std::uint64_t seed);

  // Runs until all has ended. Gives what was violated first, or nothing.
  std::string run();

  [[nodiscard]] const tally& counts() const { return tally_; }

 private:
  using real = nanoseconds;  // real time, that nobody in the world can read

  struct skewed_clock {
    nanoseconds offset{0};
    int ppm = 0;
    [[nodiscard]] nanoseconds at(real t) const { return offset + t + t / 1'000'000 * ppm; }
    [[nodiscard]] real when(nanoseconds local) const;  // the first t with at(t) >= local
  };

  struct key {
    base who{};
    attempt_id attempt = 0;
    nanoseconds expires{0};  // by the node's clock
  };
  struct master {
    skewed_clock clock;
    std::optional<key> lock;
  };

  struct said_command {
    command cmd;
    int epoch;  // whose: a claim that is finished hears no more of it
  };
  struct link {
    int generation = 0;  // which connection; a broken one's traffic belongs to the former
    bool up = true;
    bool fresh = false;  // its first set-up is under way: commands wait for its end
    std::deque<said_command> unwritten;
    std::deque<said_command> written;  // and not answered
    real last_request{0};              // in order on one connection
    real last_reply{0};
  };

  struct client {
    skewed_clock clock;
    std::optional<claim> holds;
    base who{};
    int claims_left = 0;
    int epoch = 0;  // which claim; replies to a former one find nobody
    bool alive = true;
    real stands_still_until{0};
    real armed = real::max();  // when the timer goes off, and which setting of it that is
    int timer = 0;
    bool signal_due = false;
    std::vector<link> links;
  };

  enum class kind : std::uint8_t { begin, request, answer, wake, write, connect, signal, user };
  struct event {
    real at{0};
    std::uint64_t order = 0;
    kind what = kind::begin;
    std::size_t who = 0;
    node_id node = 0;
    int generation = 0;
    int epoch = 0;
    command cmd{};
    base owner{};
    reply said{};
    bool operator<(const event& o) const { return at != o.at ? at > o.at : order > o.order; }
  };

  void push(event e);
  void handle(const event& e);
  void on_client(const event& e);
  void begin(std::size_t who);
  void detach(client& c);
  void user(std::size_t who);
  void write(std::size_t who, node_id n);
  void cut(std::size_t who, node_id n);
  void connect(std::size_t who, node_id n);
  void execute(const event& e);
  answer run_script(master& m, const command& c, const base& owner, milliseconds& left);
  void follow(std::size_t who);
  void arm(std::size_t who);
  void fail(std::size_t who, const said_command& c, answer why);
  void violated(const std::string& what);

  void check_exclusion();
  void check_backing(std::size_t who);
  void check_nothing_left(std::size_t who);
  void check_ghost(const event& e);
  [[nodiscard]] bool cleans_up(const base& who) const;

  [[nodiscard]] time_point local(const client& c) const { return time_point{c.clock.at(now_)}; }
  [[nodiscard]] bool holds(const client& c) const;
  [[nodiscard]] bool is_live(const master& m) const;
  [[nodiscard]] reach known(const client& c) const;

  climate climate_;
  chance chance_;
  tally tally_;
  real now_{0};
  std::uint64_t order_ = 0;
  std::vector<master> masters_;
  std::vector<client> clients_;
  std::vector<base> finished_;  // claims that owe nothing any more
  struct token {
    base who{};
    attempt_id attempt = 0;
  };
  std::vector<token> detached_;    // for somebody to adopt, once
  std::vector<base> handed_over_;  // what the former claim had on its way may set a key again
  std::priority_queue<event> events_;
  outbox out_;
  std::string violation_;
};

}  // namespace redlock::core

#endif  // REDLOCK_TESTS_CORE_CLAIM_WORLD_H
