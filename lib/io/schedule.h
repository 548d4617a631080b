// schedule: when each of many things wants to be woken; a binary heap over timers that live in the
// things themselves. Decides nothing, reads no clock.

#ifndef REDLOCK_LIB_IO_SCHEDULE_H
#define REDLOCK_LIB_IO_SCHEDULE_H

#include <cstddef>
#include <vector>

#include "core/types.h"

namespace redlock::io {

// Something that can be woken. Not movable while it is scheduled; takes itself off when destroyed
// only if its owner says so: schedule::clear().
class timer {
 public:
  virtual void on_time(core::time_point now) noexcept = 0;

 protected:
  ~timer() = default;

 private:
  friend class schedule;
  static constexpr std::size_t off = static_cast<std::size_t>(-1);
  core::time_point at_ = core::never;
  std::size_t place_ = off;
};

class schedule {
 public:
  // Wakes t once, at `at`, instead of at what was set before. `never` is the same as clear().
  void set(timer& t, core::time_point at);
  void clear(timer& t) noexcept;
  [[nodiscard]] bool is_set(const timer& t) const noexcept { return t.place_ != timer::off; }

  // The earliest; `never` if there is none.
  [[nodiscard]] core::time_point next() const noexcept {
    return heap_.empty() ? core::never : heap_.front()->at_;
  }

  // Takes off and wakes the earliest, if it is due.
  bool wake_one(core::time_point now) noexcept;

 private:
  void rise(std::size_t place) noexcept;
  void sink(std::size_t place) noexcept;
  void put(std::size_t place, timer* t) noexcept;

  std::vector<timer*> heap_;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_SCHEDULE_H
