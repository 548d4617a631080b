// model_master: what one master keeps of one lock, and what the scripts do with it. An independent
// model of lib/io/scripts: differential_test.cc holds it against real servers.

#ifndef REDLOCK_TESTS_SIM_MODEL_MASTER_H
#define REDLOCK_TESTS_SIM_MODEL_MASTER_H

#include <optional>

#include "core/types.h"
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
  bool shortening = false;
};

struct model_reply {
  answer said = answer::error;
  ns key_left = 0;       // with refused
  bool changed = false;  // it wrote something
};

class model_master {
 public:
  // `now` is the node's own time. Out of memory, what would need more memory is an error.
  model_reply run(core::verb what, const core::base& who, core::attempt_id attempt, ns ttl, ns now,
                  bool out_of_memory, const quirks& q);

  // The key, if it has not expired.
  [[nodiscard]] const stored* look(ns now) const noexcept {
    return key_ && !(key_->expires && now >= *key_->expires) ? &*key_ : nullptr;
  }
  void put(const stored& s) noexcept { key_ = s; }
  void forget() noexcept { key_.reset(); }

 private:
  model_reply refusal(ns now) const noexcept;
  model_reply take(const core::base& who, core::attempt_id attempt, ns expires, bool out_of_memory);
  model_reply extend(ns expires, const quirks& q);

  std::optional<stored> key_;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_MODEL_MASTER_H
