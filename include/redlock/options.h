// What a lock_manager, and one acquire, can be told. Every default is stated here with its reason.

#ifndef REDLOCK_OPTIONS_H
#define REDLOCK_OPTIONS_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/export.h"
#include "redlock/stop_slot.h"

struct uv_loop_s;  // libuv's uv_loop_t

namespace redlock {

using std::chrono::nanoseconds;

// Limits. Beyond them: invalid_argument before any I/O.
inline constexpr std::size_t nodes_max = 31;
inline constexpr std::size_t resource_bytes_max = 4096;
inline constexpr std::size_t token_bytes_max = 512;
inline constexpr std::size_t client_name_bytes_max = 256;
inline constexpr std::size_t unix_path_bytes_max = 107;  // what the system takes

// One Redis master. The masters must be independent of each other: replicas of one another, or
// shards of one Cluster, give no quorum.
//
//   redis://[user[:password]@]host[:port][/db]    host: a name, an IPv4 address, or [IPv6]
//   unix:/path/to.sock                             credentials: unix://user:password@/path/to.sock
//   host[:port]
//
// Parameters may follow, as in `?db=1&durable=1`: db, the database; durable, 1 or 0.
// A user without a password, `user@`, is for options::password_file and options::credentials.
// User, password and path are percent-decoded.
struct REDLOCK_API endpoint {
  std::string host;
  std::uint16_t port = 6379;
  std::string unix_path;  // when set, host and port are not used
  std::string username;
  std::string password;
  int database = 0;

  // The operator's word that this server loses nothing in a crash (`appendonly yes`, `appendfsync
  // always`, `no-appendfsync-on-rewrite no`), so that it may vote right after a restart. Checked
  // where the server lets us (CONFIG GET): one that is set otherwise is guarded like any other, and
  // node_status::last_error says why. See options::restart_guard.
  bool durable = false;

  endpoint() = default;
  // Throws lock_error(invalid_argument), naming the part that is wrong, never the password.
  endpoint(std::string_view uri);  // NOLINT: a list of strings reads well
  endpoint(const char* uri) : endpoint(std::string_view(uri)) {}         // NOLINT
  endpoint(const std::string& uri) : endpoint(std::string_view(uri)) {}  // NOLINT

  // For people and logs: "10.0.0.1:6379", "[::1]:6379", "unix:/run/redis.sock". No credentials.
  [[nodiscard]] std::string name() const;
};

// Who a connection says that it is. Without a password it says nothing; without a user name it is
// the server's default user.
struct credentials {
  std::string username;
  std::string password;
};

// What holds for all locks of one lock_manager.
struct options {
  std::vector<endpoint> nodes = {};  // 1 to 31; an odd number uses them best

  // How many nodes must agree: 0 is the majority, nodes/2+1. Less is refused, more is allowed.
  std::size_t quorum = 0;

  // How long one node may take to answer in one round; at most ttl/2 is used. A node that takes
  // longer has no vote in that round. Keep it far below every ttl. 1 ms to 1 h.
  nanoseconds node_timeout = std::chrono::milliseconds{50};

  // Bound for connecting to a node and setting the connection up. 1 ms to 1 h.
  nanoseconds connect_timeout = std::chrono::seconds{1};

  // A connection with commands pending and no byte received for so long is closed and made anew.
  // 1 ms to 1 h.
  nanoseconds hung_timeout = std::chrono::seconds{1};

  // By how much clock rates may differ: validity is ttl - (ttl * drift_factor + 2 ms). 0 to 0.5.
  double drift_factor = 0.01;

  // The largest ttl that this client may ask for; a longer one is refused. The nodes keep the
  // largest of all clients, in the key redlock-node: the guards below last that long. 1 ms to 365
  // days.
  nanoseconds max_ttl = std::chrono::seconds{60};

  // A node that has restarted, or may have, or that was a replica, has no vote on acquires until
  // every lock that it may have forgotten has ended: for about the largest max_ttl of all clients
  // (rule D3). What counts is how long the node has run, so a client that comes later need not
  // wait. Where it was a replica, our own clock counts, from when we found that; where it may not
  // be asked (INFO), from each connection anew. Off: only where every node keeps what it has
  // written through any crash.
  bool restart_guard = true;

  // A node whose clock went forward has no vote on acquires for about the largest max_ttl of all
  // clients, and what it voted before counts no more, so that a lease that rests on too few other
  // nodes is lost at once (rule D4). Off: only where no node's clock is ever stepped.
  bool clock_guard = true;

  // For the clock guard: a node whose clock we had not seen for more than a second, as at first
  // contact, and that is ahead of most other nodes' by more than this, counts as one whose clock
  // just went forward. A single node is compared with this machine's wall clock. 1 ms to 1 h.
  nanoseconds max_clock_offset = std::chrono::seconds{1};

  // Acquires that wait for the same resource are served first in, first out: those of one
  // lock_manager among themselves, where only the first of them asks the nodes, and these first
  // ones of all processes by a queue that one of the nodes, the resource's lead, keeps beside the
  // lock, in the key "redlock-queue:" + the lock's. A release hands the lock to the next in that
  // queue. An acquire that does not wait is held_by_other while others do. A grant waits for the
  // lead's answer too, at most for node_timeout (rule G3). What the nodes lose of a queue costs
  // turns, never exclusion. A node whose user has no right to the keys or the commands of queues
  // (docs/guide.md has them) leads none; where no node does, there is no order between processes.
  // Programs that do not queue (other libraries, or this one with `false`) take a free lock like
  // anybody: within one process, about every 100 ms, the next one pauses for their sake. On, since
  // without it some may wait for ever. Off: everyone asks, whoever comes first has it. The same for
  // all clients.
  bool fairness = true;

  // Whoever waits in a queue is told by the lead when its turn comes, on a second connection per
  // node that is made when first somebody waits; and asks the lead about every 100 to 250 ms, in
  // case that was lost. On, since it is faster than asking, and less work. Off, or where the node
  // refuses it: waiters ask the lead by their policy, but at least every third of a second, to keep
  // their places. Without fairness it does nothing.
  bool wakeups = true;

  // A lock's key is key_prefix + resource. At most 4,096 bytes. No key may begin with
  // "redlock-fence:", "redlock-queue:", "redlock-turn:" or "redlock-node".
  std::string key_prefix = "redlock:";

  // Tells people who holds a lock: it is part of the token on the nodes. Empty: "host:pid". At most
  // 256 bytes.
  std::string client_name = {};

  // Operations under way and leases held at once; one more is `overloaded`. As many ended ones may
  // wait for a node to confirm their release; beyond, their keys are left to expire there. 1 to 10
  // million.
  std::size_t max_leases = 100'000;

  // Asked for every connection anew, the first and each later one, instead of what the endpoint has
  // in it, so that a password may change while the lock_manager lives. Runs on a thread of its own,
  // for several nodes at once, and may block: the node waits for it, at most connect_timeout at a
  // time, and nothing else does, the destructor neither; so it must own what it uses. An exception
  // means that there are none now: its what() is part of what is said of the node. Default: none.
  std::function<redlock::credentials(const endpoint&)> credentials = {};

  // The same from the first line of a file, for all nodes without a password of their own, with the
  // endpoint's username. Not together with `credentials`. Empty: none.
  std::string password_file = {};

  // Where completions run: called with each of them, from any thread, it has it run once, later,
  // on a thread of its choice. It must not run it inside the call, block, or throw. Completions
  // that it was given may still run after the lock_manager is destroyed. Default: a thread of the
  // lock_manager's own, one completion after the other; with `loop`, that loop.
  std::function<void(std::function<void()>)> executor = {};

  // A loop of yours, on which everything then lives, instead of one on a thread of our own. It must
  // outlive the operation close(), or be run after the lock_manager's destruction until nothing of
  // ours is left on it. Without `executor`, completions and stop callbacks run on it too, in a
  // later turn (rule H1). A blocking call on its thread fails with would_deadlock; on another, it
  // waits for you to run the loop. While you do not run it, nothing is renewed and no stop is
  // signalled: held() follows the clock all the same. REQUIRES: the lock_manager is made on the
  // thread that runs the loop.
  uv_loop_s* loop = nullptr;
};

// How to pause between attempts while others hold the lock. All but custom add jitter, drawn from
// the system's random source, so that clients that failed together do not try together again.
// Whoever has a place in a queue (options::fairness) asks at least every third of a second; and
// whoever is told of its turn there (options::wakeups) goes by the policy only where attempts are
// limited, by max_attempts or `spin`, and only if it makes the pause shorter.
enum class retry_policy : std::uint8_t {
  fixed,        // random, from half of retry_delay to one and a half times
  exponential,  // random in a window that doubles from retry_delay up to retry_max ("full jitter")
  hybrid,       // spins at first, for short holds, then exponential; never sleeps more than 4 ms
                // past the moment when the key that was met must have expired
  spin,      // about every spin_interval while spin_budget and spin_tries last; then it gives up,
             // whatever is left of `wait`
  adaptive,  // as this process has seen the resource being held by its own adaptive acquires: in
             // 99 of 100 cases for less than short_hold: about every spin_interval; for more
             // than long_hold: exponential; between, or not known yet: hybrid
  custom,    // what retry_pause says
};

// What retry_policy::custom goes by.
struct pause_request {
  std::uint32_t attempts = 0;  // that failed so far
  nanoseconds waited{0};       // since the call
  nanoseconds key_left{0};     // the least that was left of a key in the way; 0: unknown
  nanoseconds usual_hold{0};   // p99, as adaptive sees it; 0: unknown
};

// Gives the pause before the next attempt: 1 ms to 1 h, what is out of that is made so. Called on
// the thread that everything else of the lock_manager waits for: it must not block, nor call the
// lock_manager.
using pause_function = nanoseconds (*)(const pause_request& at, void* context) noexcept;

// When a lease renews itself.
class renewal {
 public:
  // At a third of the ttl.
  static constexpr renewal automatic() noexcept { return {kind::automatic, nanoseconds{0}}; }
  // Only by lease::renew().
  static constexpr renewal manual() noexcept { return {kind::manual, nanoseconds{0}}; }
  // At this age of the last confirmed round: 1 ms or more, and before the lease's stop signal.
  static constexpr renewal every(nanoseconds interval) noexcept { return {kind::every, interval}; }

  [[nodiscard]] constexpr bool is_automatic() const noexcept { return kind_ == kind::automatic; }
  [[nodiscard]] constexpr bool is_manual() const noexcept { return kind_ == kind::manual; }
  [[nodiscard]] constexpr nanoseconds interval() const noexcept { return interval_; }

 private:
  enum class kind : std::uint8_t { automatic, manual, every };
  constexpr renewal(kind k, nanoseconds interval) noexcept : kind_(k), interval_(interval) {}
  kind kind_;
  nanoseconds interval_;
};

inline constexpr nanoseconds wait_forever = nanoseconds::max();

// What holds for one acquire, and the lease it gives.
struct lock_options {
  // For how long the nodes keep the lock unless it is renewed. Rounded up to whole milliseconds;
  // at most options::max_ttl, and long enough to leave a validity above min_validity.
  nanoseconds ttl = std::chrono::seconds{10};

  // How long to keep trying while others hold the lock. 0: exactly one try.
  nanoseconds wait = nanoseconds{0};
  // 0: no limit but `wait`. With options::fairness, an attempt for which others of this
  // lock_manager are in the way counts, although nobody is asked; and so does each time that a
  // place in a queue is kept up, several a second.
  std::uint32_t max_attempts = 0;

  retry_policy policy = retry_policy::hybrid;
  nanoseconds retry_delay = std::chrono::milliseconds{50};   // 1 ms to 1 h
  nanoseconds retry_max = std::chrono::seconds{1};           // retry_delay to 1 h
  nanoseconds spin_interval = std::chrono::milliseconds{5};  // 1 ms to 1 h
  nanoseconds spin_budget = std::chrono::milliseconds{200};  // of the wait, at most; 0 to 1 h
  std::uint32_t spin_tries = 0;                              // 0: no limit but the budget
  nanoseconds short_hold = std::chrono::milliseconds{50};    // 0 to long_hold
  nanoseconds long_hold = std::chrono::milliseconds{200};    // to 1 h
  pause_function retry_pause = nullptr;                      // for custom, and only for it
  void* retry_context = nullptr;                             // passed to it

  // A renewal that would come after the stop signal is refused: invalid_argument.
  redlock::renewal renewal = redlock::renewal::automatic();

  // Longest time that renewals may keep the lock, from its grant. 0: no limit; else ttl to 365
  // days.
  nanoseconds max_hold = nanoseconds{0};

  // A grant with less validity left than this is worth nothing, and is given back.
  nanoseconds min_validity = std::chrono::milliseconds{1};

  // Stop is signalled this long before the lease runs out, so that work can end in time.
  nanoseconds stop_margin = nanoseconds{0};

  // A std::stop_token. Ends the waiting (with errc::cancelled); never ends a lease that was
  // granted.
  stop_slot stop = {};
};

}  // namespace redlock

#endif  // REDLOCK_OPTIONS_H
