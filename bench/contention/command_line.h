// The command line of bench_contention.

#ifndef REDLOCK_BENCH_CONTENTION_COMMAND_LINE_H
#define REDLOCK_BENCH_CONTENTION_COMMAND_LINE_H

#include <string>
#include <string_view>
#include <vector>

#include "bench/contention/setting.h"

namespace redlock::bench {

extern const std::string_view usage;

// What is to be measured, one after the other. Throws std::invalid_argument, with what is wrong.
[[nodiscard]] std::vector<setting> settings_of(const std::vector<std::string>& words);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_COMMAND_LINE_H
