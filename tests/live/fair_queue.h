// fair_queue: acquires of the resource "r" that wait in the fair queue, each through a lock_manager
// of its own as those of several processes would, and direct looks at that queue.

#ifndef REDLOCK_LIVE_FAIR_QUEUE_H
#define REDLOCK_LIVE_FAIR_QUEUE_H

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "live.h"

namespace redlock::live {

inline const std::string queue_key = "redlock-queue:" + key_of("r");

// Without a wake-up it does not ask again by its policy while the test lasts.
inline const lock_options asks_when_told{
    .wait = wait_forever, .policy = retry_policy::fixed, .retry_delay = 1h, .retry_max = 1h};

// Those who have a place, by who comes first. Whoever is told of its turn has the channel in its
// name; a name that ends with the blank is of one that has to ask. Empty if no node has a queue.
[[nodiscard]] std::vector<std::string> places(masters& nodes);

// True once so many have a place, on whichever node; `told`: all of them with a channel.
[[nodiscard]] bool wait_for_places(masters& nodes, std::size_t n, bool told);

// The node that keeps the queue. REQUIRES: somebody waits in it.
[[nodiscard]] std::size_t lead_of(masters& nodes);

// How often the node has run the command, in scripts too.
[[nodiscard]] long long calls(redis_server& node, const std::string& command);

// Connections on which wake-ups come, on all nodes together that answer.
[[nodiscard]] std::size_t wakeup_connections(masters& nodes);

// Any number of lock_managers, each with one acquire that waits.
class crowd {
 public:
  explicit crowd(masters& nodes) noexcept : nodes_(nodes) {}

  // One more, behind all before it. True once it has its place.
  [[nodiscard]] bool join(const options& o, const lock_options& how = asks_when_told);
  // As it would be if the options said nothing of it.
  [[nodiscard]] bool join() { return join(nodes_.options()); }
  // The same, without a look at whether it has a place.
  [[nodiscard]] bool start(const options& o, const lock_options& how = asks_when_told);

  pending<lease>& operator[](std::size_t i) { return acquires_[i]; }
  // Whether nodes() of the first one comes to tell, for some node, an error that begins so.
  [[nodiscard]] bool hears_of(std::string_view error);
  [[nodiscard]] std::size_t size() const noexcept { return acquires_.size(); }

  // Whether each of them gets the lock in the order in which they came, and gives it back.
  [[nodiscard]] testing::AssertionResult is_served_in_order();
  // The same, in any order.
  [[nodiscard]] testing::AssertionResult is_served();

 private:
  masters& nodes_;
  std::deque<lock_manager> managers_;
  std::deque<pending<lease>> acquires_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_FAIR_QUEUE_H
