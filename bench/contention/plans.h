// plans: lists of settings that have a name.

#ifndef REDLOCK_BENCH_CONTENTION_PLANS_H
#define REDLOCK_BENCH_CONTENTION_PLANS_H

#include <vector>

#include "bench/contention/setting.h"

namespace redlock::bench {

// What the dead hold ends so soon that what comes afterwards can be measured as well.
inline constexpr nanoseconds fault_ttl = std::chrono::seconds{1};

[[nodiscard]] std::vector<setting> whole_table();
[[nodiscard]] std::vector<setting> smoke_test();  // a few seconds

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_PLANS_H
