// chance: the one source of randomness of a world. Numbers and distributions of our own, since
// those of <random> differ between libraries, and one seed must be one history everywhere.

#ifndef REDLOCK_TESTS_SIM_CHANCE_H
#define REDLOCK_TESTS_SIM_CHANCE_H

#include <bit>
#include <cstdint>

namespace redlock::sim {

class chance {
 public:
  explicit chance(std::uint64_t seed) noexcept : state_(seed * 0x9e3779b97f4a7c15U + 1) {}

  // splitmix64.
  std::uint64_t next() noexcept {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  // Uniform in [0, most]; 0 if most is not positive.
  std::int64_t upto(std::int64_t most) noexcept {
    if (most <= 0) return 0;
    return static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(most) + 1));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) noexcept {
    return least + upto(most - least);
  }
  bool of_1000(std::int64_t cases) noexcept { return cases > 0 && upto(999) < cases; }

 private:
  std::uint64_t state_;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_CHANCE_H
