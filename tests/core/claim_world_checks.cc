// What a node does with a command, and what must hold after every event.

#include <algorithm>

#include "core/claim_world.h"

namespace redlock::core {

using namespace std::chrono_literals;

// The scripts of lib/io/scripts.
answer world::run_script(master& m, const command& c, const base& owner, milliseconds& left) {
  const nanoseconds clock = m.clock.at(now_);
  if (!is_live(m)) m.lock.reset();
  std::optional<key>& lock = m.lock;
  const bool ours = lock && lock->who == owner;
  const bool equal = ours && lock->attempt == c.attempt;
  const nanoseconds expires = clock + c.ttl;
  if (lock && !ours) left = std::chrono::ceil<milliseconds>(lock->expires - clock);
  switch (c.what) {
    case verb::acquire:
      if (ours && !equal && lock->attempt > c.attempt && !climate_.any_own_attempt) {
        return answer::refused;
      }
      if (lock && !ours) return answer::refused;
      lock = key{owner, c.attempt, equal ? std::max(lock->expires, expires) : expires};
      return answer::granted;
    case verb::renew:
      if (!equal) return lock ? answer::foreign : answer::absent;
      lock->expires = std::max(lock->expires, expires);
      return answer::granted;
    case verb::refill:
      if (lock && !equal) return answer::refused;
      lock = key{owner, c.attempt, equal ? std::max(lock->expires, expires) : expires};
      return answer::granted;
    case verb::release:
      if (!equal && !(lock && climate_.blind_release)) {
        return lock ? answer::foreign : answer::absent;
      }
      if (!climate_.idle_release) lock.reset();
      return answer::granted;
  }
  return answer::error;
}

void world::violated(const std::string& what) {
  if (violation_.empty()) violation_ = what + " at " + std::to_string(now_.count()) + " ns";
}

// The promise: at every instant at most one handle is held, by its own clock.
void world::check_exclusion() {
  if (std::ranges::count_if(clients_, [&](const client& c) { return holds(c); }) > 1) {
    violated("two holders");
  }
}

// Whoever is told to hold is backed by a quorum of keys that outlive what it was told (G2, G3, N1).
void world::check_backing(std::size_t who) {
  if (climate_.exclusion_only) return;
  const client& c = clients_[who];
  const real end = c.clock.when(c.holds->valid_until().time_since_epoch());
  std::size_t keys = 0;
  for (const master& m : masters_) {
    const bool ours = m.lock && m.lock->who == c.who && m.lock->attempt == c.holds->attempt();
    if (ours && m.clock.at(end) <= m.lock->expires) ++keys;
  }
  if (keys < climate_.of.quorum) violated("a holder without a quorum of keys");
  if (keys < c.holds->nodes_held()) violated("nodes_held() counts nodes that do not hold");
}

// R2 remembers a release until the key must have expired. It takes a request to be executed within
// a node time-out, or after that of the connection's loss; one that comes later leaves a ghost.
bool world::cleans_up(const base& who) const {
  if (std::ranges::find(handed_over_, who) != handed_over_.end()) return false;
  return !climate_.exclusion_only &&
         climate_.delay + climate_.long_after <= climate_.of.node_timeout;
}

// Whoever owes nothing has left nothing (R1, R2, R4).
void world::check_nothing_left(std::size_t who) {
  if (!cleans_up(clients_[who].who)) return;
  for (const master& m : masters_) {
    if (is_live(m) && m.lock->who == clients_[who].who) violated("a key left behind");
  }
}

void world::check_ghost(const event& e) {
  const master& m = masters_[e.node];
  if (e.generation < 0 && is_live(m) && m.lock->who == e.owner) ++tally_.ghosts;
  if (!cleans_up(e.owner) || !is_live(m) || m.lock->who != e.owner) return;
  if (std::ranges::find(finished_, e.owner) != finished_.end()) {
    violated("a key of a claim that owes nothing");
  }
}

}  // namespace redlock::core
