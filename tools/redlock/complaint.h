// What the library says is wrong, in the words of the command line.

#ifndef REDLOCK_TOOLS_COMPLAINT_H
#define REDLOCK_TOOLS_COMPLAINT_H

#include <string>
#include <string_view>

#include "exit_code.h"

namespace redlock::tool {

// The message, made safe for a terminal, with options where it has the names of fields:
// "--max-ttl" for "options::max_ttl".
[[nodiscard]] std::string complaint(const failure& why);

// The same, beginning with what it is about: "nightly/report: held by other: …".
[[nodiscard]] std::string complaint(std::string_view resource, const failure& why);

// Ends the tool with it.
[[nodiscard]] failed failed_on(std::string_view resource, const failure& why);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_COMPLAINT_H
