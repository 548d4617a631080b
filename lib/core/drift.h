// drift: by how much clocks whose rates differ may come apart during a ttl.

#ifndef REDLOCK_LIB_CORE_DRIFT_H
#define REDLOCK_LIB_CORE_DRIFT_H

#include <chrono>
#include <cmath>
#include <cstdint>

namespace redlock::core {

[[nodiscard]] inline std::chrono::nanoseconds drift_of(std::chrono::milliseconds ttl,
                                                       double drift_factor) noexcept {
  const auto whole = static_cast<double>(std::chrono::nanoseconds{ttl}.count());
  const auto rate = static_cast<std::int64_t>(std::ceil(whole * drift_factor));
  return std::chrono::nanoseconds{rate} + std::chrono::milliseconds{2};
}

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_DRIFT_H
