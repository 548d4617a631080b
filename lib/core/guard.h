// guard: whether one node may vote on an acquire: not while it may have forgotten a live lock (rule
// D3), not after its clock went forward (D4), and not before it knows our max_ttl (D6). A pure
// state machine, one for each node, over all of its connections.
//
//               on_set_up()                  on_enrolled()
//   unknown ──────────────► not enrolled ──────────────────► votes, or not until a point in time
//                                ▲                                               │
//                                └───────────────────────────────────────────────┘
//                                 on_set_up(), or a step seen by on_sample() or compare()
//
// It does not say "guarded now" of itself: at() tells until when and why, for the largest max_ttl
// known by then, which may grow.

#ifndef REDLOCK_LIB_CORE_GUARD_H
#define REDLOCK_LIB_CORE_GUARD_H

#include <optional>
#include <span>

#include "core/types.h"
#include "redlock/status.h"

namespace redlock::core {

// How often the owner of a guard is to look at its node's clock: more often than once in the second
// after which that counts as unwatched (D4).
inline constexpr nanoseconds sample_every = milliseconds{800};

// What holds for the guards of one lock_manager.
struct guard_terms {
  bool restarts = true;  // D3
  bool clocks = true;    // D4
  double drift_factor = 0.01;
  nanoseconds max_clock_offset{0};
};

// What a server said of itself when a connection was set up.
struct introduction {
  // Whether it said anything at all. If not, only `durable` means something of what follows.
  bool told = false;
  bool changed = false;   // it is another process than when it last said
  bool promoted = false;  // it was a replica once
  bool again = false;     // if so: it may have been promoted since it last said
  std::chrono::seconds uptime{0};
  bool durable = false;  // loses nothing in a crash: its operator says so, and it does not object
};

// One look at a node's clock, on a reply: it showed `shown` at some instant from `sent` to
// `received`.
struct clock_sample {
  nanoseconds shown{0};  // since 1970
  time_point sent{};
  time_point received{};
};

// What a look at a clock shows.
enum class clock_change : std::uint8_t {
  none,
  forward,  // earlier votes of this node are void; what the same reply says dates from after it
  back,     // costs liveness only: keys live longer
};

// Thread safety: one thread at a time.
class guard {
 public:
  // An acquire vote counts from `until` on; `never`: that cannot be told. `why` is the reason that
  // lasts longest, or none if there never was any.
  struct standing {
    node_guard why = node_guard::none;
    time_point until{};
  };

  explicit guard(const guard_terms& t) noexcept : terms_(t) {}

  void on_set_up(const introduction& who, time_point now) noexcept;
  void on_enrolled() noexcept { enrolled_ = true; }
  // Promoted since on_set_up(), on the same connection.
  void on_promoted(time_point now) noexcept { promoted_ = now; }

  [[nodiscard]] clock_change on_sample(const clock_sample& s) noexcept;

  // Whether a clock that nobody had watched is so far ahead of its peers' that it counts as gone
  // forward: to be asked after the first sample after a gap, of any node, for as long as a step
  // before it could matter.
  [[nodiscard]] bool compare(nanoseconds median, milliseconds max_ttl, time_point now) noexcept;

  [[nodiscard]] standing at(milliseconds max_ttl) const noexcept;

  // How far the node's clock is ahead of ours, at most: what the median is taken of. [Of the least
  // that it may be, a node that answers quickly would seem ahead of two that answer slowly.]
  // Nothing: never sampled.
  [[nodiscard]] std::optional<nanoseconds> ahead_at_most() const noexcept { return ahead_at_most_; }
  // By how much the last step went, forward or (negative) back; 0 if there was none.
  [[nodiscard]] nanoseconds step() const noexcept { return step_; }
  // Whether the last sample was the first, or came after a gap in which nobody watched the clock.
  [[nodiscard]] bool was_unwatched() const noexcept { return last_ && watched_since_ == *last_; }

 private:
  void note_step(nanoseconds by, time_point now) noexcept;

  guard_terms terms_;
  bool enrolled_ = false;

  // D3
  bool durable_ = false;
  bool told_ = false;
  std::optional<time_point> born_by_;    // by its own uptime, it has run since then
  std::optional<time_point> changed_;    // when we saw that it is another process than before
  std::optional<time_point> promoted_;   // when we found that it had been a replica
  std::optional<time_point> contacted_;  // when it last was set up, and did not say who it is

  // D4. No sample may lie above the line that rises by the rate bound through the lowest of the
  // earlier ones; it is given by its height at time 0.
  std::optional<nanoseconds> line_;
  std::optional<nanoseconds> ahead_at_least_;  // by the last sample
  std::optional<nanoseconds> ahead_at_most_;
  std::optional<time_point> last_;  // the last sample
  time_point watched_since_{};
  std::optional<time_point> stepped_;
  nanoseconds step_{0};
};

// What a clock that nobody had watched is compared with (D4): those of all nodes sampled so far,
// or, of a single node, our own wall clock.
class yardstick {
 public:
  // REQUIRES: at most nodes_max of them.
  void add(const guard& g) noexcept {
    if (const auto ahead = g.ahead_at_most()) ahead_[count_++] = *ahead;
  }
  // How far ahead of the clock that samples are timed by a node's is expected to be. `own`: how far
  // our own wall clock is. Nothing: no node was sampled.
  [[nodiscard]] std::optional<nanoseconds> length(std::size_t nodes, nanoseconds own) noexcept;

 private:
  std::array<nanoseconds, nodes_max> ahead_{};
  std::size_t count_ = 0;
};

// Of an even number the lower of the two in the middle. REQUIRES: not empty. Sorts them.
[[nodiscard]] nanoseconds lower_median(std::span<nanoseconds> offsets) noexcept;

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_GUARD_H
