// model_queue: those who wait for a lock, as a master keeps them. An independent model of
// lib/io/scripts/queue.lua: places in the order in which they were taken.
//
// The key of the real queue expires too, but never before the last place in it.

#ifndef REDLOCK_TESTS_SIM_MODEL_QUEUE_H
#define REDLOCK_TESTS_SIM_MODEL_QUEUE_H

#include <optional>
#include <vector>

#include "core/types.h"
#include "sim/skewed_clock.h"

namespace redlock::sim {

// What a key can carry.
struct token {
  core::base who{};
  core::attempt_id attempt = 0;
  friend bool operator==(const token&, const token&) = default;
};

using channel_id = std::uint8_t;                  // of a process; 0 … 31
using hearers = std::uint32_t;                    // channels that somebody listens on: 1 << channel
using place_channel = std::optional<channel_id>;  // none: it cannot be told

// Somebody is told that it is his turn.
struct wakeup {
  channel_id channel = 0;
  core::base who{};
  std::optional<token> released = {};  // by whose release
};

class model_queue {
 public:
  struct place {
    core::base who{};
    place_channel channel;
    std::int64_t until = 0;  // ms of the node's clock

    // A place has one of two names, as its waiter listens or not.
    [[nodiscard]] bool is(const core::base& base, channel_id c) const noexcept {
      return who == base && (!channel || *channel == c);
    }
  };

  // Whoever's time is up is out.
  void prune(std::int64_t now_ms);
  // No deadline is later than it can be.
  void clamp(std::int64_t now_ms);

  // Tells the first one unless it is `who`; gives the number of those dropped because nobody hears.
  struct told {
    std::optional<wakeup> whom;
    std::size_t dropped = 0;
  };
  told wake(std::int64_t now_ms, std::int64_t window_ms, const core::base& who, hearers listening,
            std::optional<token> released);

  // How many are before us.
  std::size_t join(const core::base& who, channel_id channel, bool listens, std::int64_t until_ms);
  void leave(const core::base& who, channel_id channel);

  [[nodiscard]] const std::vector<place>& places() const noexcept { return places_; }
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] bool is_first(const core::base& who, channel_id channel) const noexcept {
    return !places_.empty() && places_.front().is(who, channel);
  }
  void forget() noexcept { places_.clear(); }
  // The node's clock goes on, or back, and nothing else does.
  void age(std::int64_t by_ms) noexcept {
    for (place& p : places_) p.until -= by_ms;
  }

 private:
  std::vector<place> places_;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_MODEL_QUEUE_H
