// The words that the core and whatever drives it share: all that passes between them is a value of
// this header. No I/O, no threads, no clock, no allocation.

#ifndef REDLOCK_LIB_CORE_TYPES_H
#define REDLOCK_LIB_CORE_TYPES_H

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/check.h"
#include "redlock/clock.h"
#include "redlock/failure.h"
#include "redlock/options.h"

namespace redlock::core {

// Only the type: clock::now() is not linked into the core, so a core that read the clock would not
// link.
using time_point = clock::time_point;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

inline constexpr time_point never = time_point::max();

using node_id = std::uint8_t;  // 0 … nodes-1

// A set of nodes.
class node_set {
 public:
  constexpr node_set() noexcept = default;
  // The nodes 0 … count-1.
  static constexpr node_set first(std::size_t count) noexcept {
    check(count <= nodes_max);
    return node_set{(std::uint32_t{1} << count) - 1};
  }

  constexpr void insert(node_id n) noexcept { bits_ |= bit(n); }
  constexpr void erase(node_id n) noexcept { bits_ &= ~bit(n); }
  [[nodiscard]] constexpr bool contains(node_id n) const noexcept { return (bits_ & bit(n)) != 0; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept {
    return static_cast<std::size_t>(std::popcount(bits_));
  }

  friend constexpr node_set operator|(node_set a, node_set b) noexcept {
    return node_set{a.bits_ | b.bits_};
  }
  friend constexpr node_set operator-(node_set a, node_set b) noexcept {
    return node_set{a.bits_ & ~b.bits_};
  }
  friend constexpr node_set operator&(node_set a, node_set b) noexcept {
    return node_set{a.bits_ & b.bits_};
  }
  friend constexpr bool operator==(node_set, node_set) noexcept = default;

  // Lets `for (node_id n : set)` visit its members in ascending order.
  class iterator {
   public:
    constexpr explicit iterator(std::uint32_t left) noexcept : left_(left) {}
    constexpr node_id operator*() const noexcept {
      return static_cast<node_id>(std::countr_zero(left_));
    }
    constexpr iterator& operator++() noexcept {
      left_ &= left_ - 1;
      return *this;
    }
    friend constexpr bool operator==(iterator, iterator) noexcept = default;

   private:
    std::uint32_t left_;
  };
  [[nodiscard]] constexpr iterator begin() const noexcept { return iterator{bits_}; }
  [[nodiscard]] constexpr iterator end() const noexcept { return iterator{0}; }

 private:
  constexpr explicit node_set(std::uint32_t bits) noexcept : bits_(bits) {}
  static constexpr std::uint32_t bit(node_id n) noexcept {
    check(n < nodes_max);
    return std::uint32_t{1} << n;
  }
  std::uint32_t bits_ = 0;
};

// What is known of the nodes. A node in neither set has no connection.
struct reach {
  node_set up = {};         // connected and set up: takes commands
  node_set fresh = {};      // its first set-up is still under way: commands wait for its end
  node_set denied = {};     // not up, and for a reason that lasts until an operator acts
  node_set duplicate = {};  // not up: the same server as a node before it in the list (D1)
  node_set replica = {};    // not up: not a master (D2)
  node_set guarded = {};    // up, and without a vote on acquires for a while (D3, D4)
  node_set told = {};       // of these, those whose wake-ups reach us
  // The node that keeps the queue of the resource (lead.h), while one can be asked; none without
  // fairness.
  std::optional<node_id> lead = {};
};

// Who an operation is (rule T1): drawn once from the system's random source, never used again.
using base = std::array<std::uint64_t, 2>;

using attempt_id = std::uint32_t;  // 1, 2, … within one operation; base and attempt are the token
using round_id = std::uint32_t;    // 1, 2, … within one operation

enum class verb : std::uint8_t {
  acquire,  // take the key if it is free, or carries an earlier attempt of this base
  renew,    // extend the key if it carries the token
  refill,   // take the key for a lease that a quorum holds already
  release,  // delete the key if it carries the token
};

// What a command means to the queue of those who wait for the resource, on its node.
enum class queueing : std::uint8_t {
  none,   // nothing
  look,   // acquire: only if nobody is before us; release: it is another's turn, we stay
  join,   // acquire: as above, or else wait in it
  leave,  // release: we do not wait any more, and have it no more
};

// Core to driver: send this to that node.
struct command {
  node_id node = 0;
  verb what = verb::acquire;
  attempt_id attempt = 0;
  round_id round = 0;
  milliseconds ttl{0};  // not for release
  queueing queue = queueing::none;
};

// Driver to core: what became of a command. Every command gets exactly one.
//   granted, refused, absent, foreign, replica, denied, error: what the node said.
//   unreachable: it was written, and its connection broke: it may have been executed, or may yet
//   be. unsent: it was never executed and never will be.
struct reply {
  command to;
  redlock::answer answer = redlock::answer::error;
  milliseconds key_left{0};   // with refused: what is left of the other's key; 0 if unknown
  bool queued = false;        // with refused: others come before us, whether the key is free or not
  std::uint32_t waiting = 0;  // with a queue: how many are before us, or wait
};

// Core to driver: what the owner is to be told.
enum class news : std::uint8_t {
  none,
  acquired,
  gave_up,       // claim::why() says why
  renewed,       // claim::valid_until() has moved
  renew_failed,  // nothing is lost
  expiring,      // stop_margin is reached: signal stop; still held
  lost,          // signal stop, then call claim::stop_signalled()
  released,      // a quorum has answered
  unconfirmed,   // released, but a quorum did not answer in time
};

// All that one input leads to. Owned by the driver and used again for every input.
class outbox {
 public:
  void clear() noexcept {
    count_ = 0;
    told_ = news::none;
  }
  void send(const command& c) noexcept {
    check(count_ < commands_.size());
    commands_[count_++] = c;
  }
  void tell(news n) noexcept {
    check(told_ == news::none);  // one input, one piece of news
    told_ = n;
  }

  [[nodiscard]] std::span<const command> commands() const noexcept {
    return {commands_.data(), count_};
  }
  [[nodiscard]] news told() const noexcept { return told_; }

 private:
  // An input opens at most one round, releases at most one token, and refills at most once.
  std::array<command, 3 * nodes_max> commands_;
  std::size_t count_ = 0;
  news told_ = news::none;
};

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_TYPES_H
