// Reads the command line. The only file that knows CLI11.

#ifndef REDLOCK_TOOLS_COMMAND_LINE_H
#define REDLOCK_TOOLS_COMMAND_LINE_H

#include "request.h"

namespace redlock::tool {

// Throws failed(exit_code::usage).
[[nodiscard]] request parse_command_line(int argc, const char* const* argv);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_COMMAND_LINE_H
