// Makes a directory that nobody else can guess or enter.

#include "scratch_directory.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "exit_code.h"
#include "text.h"

namespace redlock::tool {

scratch_directory::scratch_directory() {
  const char* parent = std::getenv("TMPDIR");
  const bool has_parent = parent != nullptr && *parent != '\0';
  std::string pattern = fmt::format("{}/redlock-sandbox.XXXXXX", has_parent ? parent : "/tmp");
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw system_failure("cannot make a directory " + printable(pattern));
  }
  path_ = std::filesystem::absolute(pattern);
}

scratch_directory::~scratch_directory() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (error) warn(fmt::format("cannot remove {}: {}", printable(path_.native()), error.message()));
}

}  // namespace redlock::tool
