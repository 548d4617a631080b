// A program to be run: where it is, its arguments, its environment. Found and checked before
// anything is locked or started; running it is spawn.h.

#ifndef REDLOCK_TOOLS_PROGRAM_H
#define REDLOCK_TOOLS_PROGRAM_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redlock::tool {

struct program {
  std::string path;
  std::vector<std::string> arguments;    // the first is the name it was called by
  std::vector<std::string> environment;  // NAME=value, each name once

  void set_variable(std::string_view name, std::string_view value);
};

// Where execvp() would find `name`: in PATH, or right there if it has a slash. Nothing if it is not
// there; throws failed(not_executable) if all that is there cannot be executed.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

// The program for this command line, which is not empty, in our own environment.
// Throws failed: not_found, not_executable.
[[nodiscard]] program prepare(std::vector<std::string> command);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_PROGRAM_H
