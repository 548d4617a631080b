// hold_times: for how long a resource is usually held, as one process sees it; for
// retry_policy::adaptive. A guess, that nothing but the pace of waiting rests on.

#ifndef REDLOCK_LIB_CORE_HOLD_TIMES_H
#define REDLOCK_LIB_CORE_HOLD_TIMES_H

#include <algorithm>

#include "core/types.h"

namespace redlock::core {

class hold_times {
 public:
  // Somebody, told apart by any number, is seen to have it; or (0) nobody.
  void saw(std::uint64_t holder, time_point now) noexcept {
    if (holder == holder_) return;
    if (holder_ != 0) note(now - since_);
    holder_ = holder;
    since_ = now;
  }

  // What 99 of 100 holds do not exceed, of the last `kept`; 0: none was seen from its beginning to
  // its end yet.
  [[nodiscard]] nanoseconds usual() const noexcept {
    if (count_ == 0) return nanoseconds{0};
    auto sorted = times_;
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto nearest_rank = static_cast<std::ptrdiff_t>((count_ * 99 + 99) / 100 - 1);
    std::nth_element(sorted.begin(), sorted.begin() + nearest_rank, end);
    return sorted[static_cast<std::size_t>(nearest_rank)];
  }

 private:
  static constexpr std::size_t kept = 128;

  void note(nanoseconds held) noexcept {
    times_[next_] = std::max(held, nanoseconds{1});
    next_ = (next_ + 1) % kept;
    count_ = std::min(count_ + 1, kept);
  }

  std::array<nanoseconds, kept> times_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
  std::uint64_t holder_ = 0;
  time_point since_{};
};

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_HOLD_TIMES_H
