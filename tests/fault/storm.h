// storm: random faults, for a set time, over servers, paths and clients.

#ifndef REDLOCK_FAULT_STORM_H
#define REDLOCK_FAULT_STORM_H

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "faults.h"
#include "ground.h"
#include "random.h"
#include "vigil.h"

namespace redlock::fault {

// Which faults come, where and for how long, is drawn from the seed of the plan; what they meet
// there is not, since the processes run as they like.
//
// Thread safety: one thread, which must outlive it.
class storm {
 public:
  storm(const client_plan& plan, ground& where);

  void rage(std::chrono::seconds duration);
  // Heals everything, sees every client get a lock again, ends them all, and judges.
  void calm_down();

  void report() const;  // on standard output; the last line is "violations: N"
  [[nodiscard]] std::size_t violations() const noexcept { return vigil_.violations(); }

 private:
  struct fault {
    const fault_kind* kind;
    std::size_t place;
    clock::time_point end;
    std::function<void()> heal;
  };

  void strike();  // at one place, or everywhere at once
  void strike(const fault_kind& kind, std::size_t place, std::chrono::milliseconds duration);
  const fault_kind& drawn_kind();
  void heal(clock::time_point until);  // those that end by then
  void change_climate();
  void look();  // the vigil's
  [[nodiscard]] bool is_struck(target t, std::size_t place) const;

  const client_plan plan_;
  ground& ground_;
  random random_;
  vigil vigil_;
  std::vector<fault_kind> kinds_;
  std::vector<fault> faults_;  // that have begun and not ended
  std::map<std::string_view, std::size_t> struck_;
  clock::time_point next_strike_{};
  clock::time_point next_climate_{};
  clock::time_point next_look_{};
  const fault_kind* favourite_ = nullptr;  // of this climate
  std::size_t most_at_once_ = 0;
  std::int64_t longest_pause_ms_ = 1;
};

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_STORM_H
