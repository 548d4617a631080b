// Durations as people write them on a command line: 10s, 250ms, 1.5m, 1h, 0. Not dates, not
// calendars.

#ifndef REDLOCK_TOOLS_DURATION_H
#define REDLOCK_TOOLS_DURATION_H

#include <chrono>
#include <string>
#include <string_view>

namespace redlock::tool {

// A decimal number followed by ms, s, m or h; zero needs no unit. Exact: what is finer than a
// nanosecond or does not fit is refused. Throws std::invalid_argument with a text for people.
[[nodiscard]] std::chrono::nanoseconds parse_duration(std::string_view text);

// The shortest such text for a duration that is not negative: "10s", "250ms", "1m".
[[nodiscard]] std::string to_text(std::chrono::nanoseconds duration);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_DURATION_H
