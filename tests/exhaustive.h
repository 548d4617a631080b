// exhaustive: every way in which a bounded test can go. Write the test as if each choice were
// random, and it is run once for every sequence of choices:
//
//   for (exhaustive ways; ways.next();) {
//     const std::size_t nodes = 1 + ways.pick(5);
//     …
//   }
//
// Counts like an odometer: the last choice turns fastest, and a wheel at its end falls off. How
// many choices a run makes, and among how many, may depend on the choices before.

#ifndef REDLOCK_TESTS_EXHAUSTIVE_H
#define REDLOCK_TESTS_EXHAUSTIVE_H

#include <cstddef>
#include <cstdlib>
#include <deque>
#include <iterator>

namespace redlock {

class exhaustive {
 public:
  // Begins the next run; false when there is none left.
  bool next() {
    made_ = 0;
    if (runs_++ == 0) return true;
    while (!wheels_.empty() && wheels_.back().at + 1 == wheels_.back().size) wheels_.pop_back();
    if (wheels_.empty()) return false;
    ++wheels_.back().at;
    return true;
  }

  // One of 0 … among-1. REQUIRES: among >= 1.
  std::size_t pick(std::size_t among) {
    if (among == 0) std::abort();
    if (made_ == wheels_.size()) wheels_.push_back({0, among});
    // The same choices before must lead to the same question.
    if (wheels_[made_].size != among) std::abort();
    return wheels_[made_++].at;
  }

  template <class Range>
  auto& one_of(Range& range) {
    return range[pick(std::size(range))];
  }

  [[nodiscard]] std::size_t runs() const { return runs_; }

 private:
  struct wheel {
    std::size_t at;
    std::size_t size;
  };
  std::deque<wheel> wheels_;
  std::size_t made_ = 0;
  std::size_t runs_ = 0;
};

}  // namespace redlock

#endif  // REDLOCK_TESTS_EXHAUSTIVE_H
