// random: what the bench draws, all of it from one seed.

#ifndef REDLOCK_FAULT_RANDOM_H
#define REDLOCK_FAULT_RANDOM_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

namespace redlock::fault {

// Thread safety: one thread at a time.
class random {
 public:
  explicit random(std::uint64_t seed) : engine_(seed) {}

  // From `least` to `most`, both included.
  [[nodiscard]] std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  // Below `size`, which must not be 0.
  [[nodiscard]] std::size_t index(std::size_t size) {
    return static_cast<std::size_t>(number(0, static_cast<std::int64_t>(size) - 1));
  }
  [[nodiscard]] bool chance(int percent) { return number(1, 100) <= percent; }
  [[nodiscard]] std::chrono::milliseconds milliseconds(std::int64_t least, std::int64_t most) {
    return std::chrono::milliseconds(number(least, most));
  }
  [[nodiscard]] std::string bytes(std::size_t size) {
    std::string all;
    while (all.size() < size) all += static_cast<char>(number(0, 255));
    return all;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_RANDOM_H
