// Passwords that stand in a file.

#ifndef REDLOCK_LIB_API_PASSWORD_FILE_H
#define REDLOCK_LIB_API_PASSWORD_FILE_H

#include <string>

namespace redlock::detail {

// The first line of the file, without its end. Throws std::runtime_error with a text for people
// that names the file, and never what stands in it. May block as long as the file system does.
[[nodiscard]] std::string read_password(const std::string& path);

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_PASSWORD_FILE_H
