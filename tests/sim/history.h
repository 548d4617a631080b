// history: what happened in one world, in order. Always as a hash, so that two runs of one seed can
// be compared; on request also as lines for people.

#ifndef REDLOCK_TESTS_SIM_HISTORY_H
#define REDLOCK_TESTS_SIM_HISTORY_H

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

#include "sim/skewed_clock.h"

namespace redlock::sim {

class history {
 public:
  using printer = std::function<void(const std::string& line)>;

  explicit history(printer p = {}) : print_(std::move(p)) {}

  // FNV-1a over what identifies an event.
  void mix(std::uint64_t what) noexcept { hash_ = (hash_ ^ what) * 1099511628211U; }

  // The text is only made if somebody reads it.
  template <class Text>
  void note(real now, Text text) {
    if (!print_) return;
    char at[32];
    std::snprintf(at, sizeof at, "%11.3f ms  ", static_cast<double>(now) / ms);
    print_(at + text());
  }

  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

 private:
  printer print_;
  std::uint64_t hash_ = 1469598103934665603U;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_HISTORY_H
