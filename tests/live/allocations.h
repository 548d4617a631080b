// allocations: how many there are, and one that fails.
//
// A program that links this has its operator new counted, and refused where the test says so.

#ifndef REDLOCK_LIVE_ALLOCATIONS_H
#define REDLOCK_LIVE_ALLOCATIONS_H

#include <cstddef>
#include <cstdint>

namespace redlock::live {

// Allocated by this process with operator new, and not yet freed.
[[nodiscard]] std::int64_t allocations() noexcept;

// While it lives, this thread's allocation number `n`, counted from 0, throws std::bad_alloc; those
// before and after it succeed. One at a time for each thread.
class failing_allocation {
 public:
  explicit failing_allocation(std::size_t n) noexcept;
  ~failing_allocation();
  failing_allocation(const failing_allocation&) = delete;
  failing_allocation& operator=(const failing_allocation&) = delete;

  [[nodiscard]] static bool has_failed() noexcept;  // on this thread
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_ALLOCATIONS_H
