// ring: a first-in first-out queue that keeps its memory, so that a steady flow does not allocate.

#ifndef REDLOCK_LIB_IO_RING_H
#define REDLOCK_LIB_IO_RING_H

#include <cstddef>
#include <utility>
#include <vector>

#include "core/check.h"

namespace redlock::io {

template <class T>
class ring {
 public:
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  // REQUIRES: not empty.
  [[nodiscard]] T& front() noexcept {
    core::check(count_ > 0);
    return slots_[first_];
  }

  void push(T value) {
    if (count_ == slots_.size()) grow();
    slots_[(first_ + count_) % slots_.size()] = std::move(value);
    ++count_;
  }

  // REQUIRES: not empty.
  T pop() noexcept {
    T value = std::move(front());
    first_ = (first_ + 1) % slots_.size();
    --count_;
    return value;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 16 : 2 * slots_.size());
    for (std::size_t i = 0; i < count_; ++i) {
      larger[i] = std::move(slots_[(first_ + i) % slots_.size()]);
    }
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_RING_H
