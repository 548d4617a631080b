// model_master: what one master keeps of one lock, and what the scripts do with it. An independent
// model of lib/io/scripts: differential_test.cc holds it against real servers.

#ifndef REDLOCK_TESTS_SIM_MODEL_MASTER_H
#define REDLOCK_TESTS_SIM_MODEL_MASTER_H

#include <optional>

#include "core/types.h"
#include "sim/model_queue.h"
#include "sim/skewed_clock.h"

namespace redlock::sim {

// A token of ours, or what other programs left.
struct stored {
  enum class kind : std::uint8_t { ours, string, other_type };
  kind what = kind::ours;
  core::base who{};
  core::attempt_id attempt = 0;
  std::optional<ns> expires;  // by the node's clock; none: never

  [[nodiscard]] bool is(const core::base& base) const noexcept {
    return what == kind::ours && who == base;
  }
  [[nodiscard]] bool is(const core::base& base, core::attempt_id k) const noexcept {
    return is(base) && attempt == k;
  }
};

// How a master may be wrong, to see whether anybody notices.
struct quirks {
  bool blind_release = false;
  bool idle_release = false;
  bool any_own_attempt = false;
  bool any_takeover = false;
  bool shortening = false;
};

// One call of a script.
struct model_call {
  core::verb what = core::verb::acquire;
  core::base who{};
  core::attempt_id attempt = 0;
  ns ttl = 0;
  std::optional<token> released = {};  // whose release made it our turn
  // The queue, unless `queue` is none.
  core::queueing queue = core::queueing::none;
  channel_id channel = 0;
  bool listens = false;
  ns life = 0;  // of a place, with join
  ns window = 0;
  hearers listening = 0;
};

struct model_reply {
  answer said = answer::error;
  ns key_left = 0;       // with refused
  bool changed = false;  // it wrote something
  bool queued = false;   // with refused: others come before us
  std::size_t waiting = 0;
  bool took_over = false;  // a key that had been released elsewhere
  std::optional<wakeup> woken = {};
  std::size_t dropped = 0;  // places of which nobody heard
};

class model_master {
 public:
  // `now` is the node's own time. Out of memory, what would need more memory is an error, or is not
  // done if it is a place.
  model_reply run(const model_call& c, ns now, bool out_of_memory, const quirks& q);

  // The key, if it has not expired.
  [[nodiscard]] const stored* look(ns now) const noexcept {
    return key_ && !(key_->expires && now >= *key_->expires) ? &*key_ : nullptr;
  }
  void put(const stored& s) noexcept { key_ = s; }
  void forget() noexcept { key_.reset(); }

  [[nodiscard]] model_queue& queue() noexcept { return queue_; }
  [[nodiscard]] const model_queue& queue() const noexcept { return queue_; }

 private:
  model_reply acquire(const model_call& c, ns now, bool out_of_memory, const quirks& q);
  model_reply release(const model_call& c, ns now, const quirks& q);
  model_reply refusal(ns now) const noexcept;
  model_reply take(const model_call& c, ns now, bool out_of_memory);
  model_reply extend(ns expires, const quirks& q);

  std::optional<stored> key_;
  model_queue queue_;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_MODEL_MASTER_H
