// What the tool writes, and how: bytes of strangers made safe for a terminal, and writes whose
// failure is noticed.

#ifndef REDLOCK_TOOLS_TEXT_H
#define REDLOCK_TOOLS_TEXT_H

#include <string>
#include <string_view>

namespace redlock::tool {

// `bytes` with everything that a terminal might act on, or that is no UTF-8, written as \xNN, and a
// backslash as two. The names of resources and holders, and whatever servers say, go through here.
[[nodiscard]] std::string printable(std::string_view bytes);

// Opens what is closed of descriptors 0, 1 and 2 in such a way that using it fails as before.
// Without this the first socket would become standard output. Call it first in main().
void occupy_standard_descriptors() noexcept;

// Writes to standard output, all of it or throws failed(exit_code::output).
void print(std::string_view text);

// Writes "redlock: text" and a line feed to standard error. False if that failed, which most
// callers cannot help.
bool warn(std::string_view text) noexcept;

// Writes `text` as it is to standard error.
bool print_error(std::string_view text) noexcept;

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_TEXT_H
