// The Lua scripts that do all the work on a node. What SCRIPT LOAD says of them is the node's.

#ifndef REDLOCK_LIB_IO_SCRIPTS_H
#define REDLOCK_LIB_IO_SCRIPTS_H

#include <array>
#include <cstdint>
#include <string_view>

#include "core/types.h"

namespace redlock::io {

enum class script : std::uint8_t { acquire, renew, refill, release, inspect, enroll, probe };

inline constexpr std::array scripts{script::acquire, script::renew,   script::refill,
                                    script::release, script::inspect, script::enroll,
                                    script::probe};

[[nodiscard]] script script_of(core::verb v) noexcept;
[[nodiscard]] std::string_view text_of(script s) noexcept;

// Made from the .lua files when the library is built.
namespace script_text {
extern const char acquire[];
extern const char renew[];
extern const char refill[];
extern const char release[];
extern const char inspect[];
extern const char enroll[];
extern const char probe[];
}  // namespace script_text

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_SCRIPTS_H
