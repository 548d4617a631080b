// What a lock_manager can tell about its nodes and about who holds a resource. Plain values.

#ifndef REDLOCK_STATUS_H
#define REDLOCK_STATUS_H

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/export.h"
#include "redlock/failure.h"

namespace redlock {

enum class node_state : std::uint8_t {
  connecting,  // resolving the name, connecting, or setting the connection up
  up,          // takes part in every round
  down,        // no connection; the next try is scheduled
  denied,      // refuses us for good (wrong password, no right), or is no master that stands alone
               // (Cluster, Sentinel); tried again all the same
  duplicate,   // the same server as a node before it in the list, by another address: no vote (D1)
  replica,     // not a master: no vote (D2)
};

// "connecting", "up", …
[[nodiscard]] REDLOCK_API std::string_view name(node_state s) noexcept;

// Why a node has no vote on acquires for a while. Its votes on renewals count, and it gets
// releases. docs/safety.md: D3, D4, D6.
enum class node_guard : std::uint8_t {
  none,
  restarted,      // it may have forgotten locks: it has not run, or been known, for long enough
  promoted,       // it was a replica, and may lack what its master had
  unverified,     // it does not tell us who it is, and may be another one since it was connected to
  clock_stepped,  // its clock went forward: keys expired there too early
  not_enrolled,   // it is not known to keep the largest max_ttl of all clients, in `redlock-node`
};

// "restarted", …; empty for none.
[[nodiscard]] REDLOCK_API std::string_view name(node_guard g) noexcept;

struct node_status {
  std::string node;  // "10.0.0.1:6379"
  node_state state = node_state::connecting;
  std::chrono::nanoseconds latency{0};  // smoothed time from write to reply; 0: none yet
  std::uint64_t connects = 0;           // connections that were set up so far
  std::uint64_t pending = 0;            // commands written and not yet answered
  bool verified = false;                // it told who it is (INFO); else D1 and D2 rest on trust
  std::string last_error;               // empty if there was none

  // Why, and for how much longer, it has no vote on acquires although it is up; none in any other
  // state. no_vote_for means something only with a guard; nanoseconds::max(): it cannot be told.
  node_guard guard = node_guard::none;
  std::chrono::nanoseconds no_vote_for{0};
  // The same for people: "no vote for another 12.4 s: restarted". Empty without a guard.
  [[nodiscard]] REDLOCK_API std::string guarded() const;
};

// One node's view of a resource.
struct node_holding {
  std::string node;
  // granted: there is a key with a holder and an expiry; absent: none; foreign: a key that is not a
  // lock; anything else: the node could not say.
  redlock::answer answer = redlock::answer::unreachable;
  std::string token;                 // the key's value
  std::chrono::milliseconds ttl{0};  // what is left of it
  std::string text;                  // the server's words, for an error
};

// All nodes' view of a resource, gathered in one round. Not a snapshot: nodes answer one by one.
struct holdings {
  std::vector<node_holding> nodes;
  // The token that a quorum of the nodes carries; empty if there is none.
  std::string token;
  // The client_name in it.
  [[nodiscard]] REDLOCK_API std::string_view holder() const noexcept;
  std::size_t votes = 0;   // how many nodes carry the token most seen
  std::size_t quorum = 0;  // how many would make it held
  // True if so many nodes answered that the question whether a quorum holds it is decided.
  bool known = false;

  [[nodiscard]] bool held() const noexcept { return !token.empty(); }
};

}  // namespace redlock

#endif  // REDLOCK_STATUS_H
