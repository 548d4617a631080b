// Looks for programs as execvp() does, without running them.

#include "program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "exit_code.h"
#include "text.h"

namespace redlock::tool {
namespace {

// 0, or the errno that executing this file would give.
int check_executable(const std::string& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return errno;
  if (S_ISDIR(s.st_mode)) return EISDIR;
  if (!S_ISREG(s.st_mode)) return EACCES;
  return ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

[[noreturn]] void refuse(const std::string& path, int error) {
  throw failed(exit_code::not_executable, fmt::format("cannot run {}: {}", printable(path),
                                                      std::generic_category().message(error)));
}

bool is_missing(int error) { return error == ENOENT || error == ENOTDIR; }

// PATH as it is, or what execvp() takes where there is none.
std::string search_path() {
  if (const char* path = std::getenv("PATH")) return path;
  return "/bin:/usr/bin";
}

}  // namespace

std::optional<std::string> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) {
    const int error = check_executable(name);
    if (is_missing(error)) return std::nullopt;
    if (error != 0) refuse(name, error);
    return name;
  }
  std::string unusable;
  int why = 0;
  const std::string path = search_path();
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string directory = path.substr(begin, end - begin);
    const std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
    const int error = check_executable(candidate);
    if (error == 0) return candidate;
    if (!is_missing(error) && why == 0) {
      unusable = candidate;
      why = error;
    }
    begin = end + 1;
  }
  if (why != 0) refuse(unusable, why);
  return std::nullopt;
}

program prepare(std::vector<std::string> command) {
  auto path = find_program(command.front());
  if (!path) {
    throw failed(exit_code::not_found,
                 fmt::format("cannot run {}: not found", printable(command.front())));
  }
  program p{std::move(*path), std::move(command), {}};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    p.environment.emplace_back(*variable);
  }
  return p;
}

void program::set_variable(std::string_view name, std::string_view value) {
  const std::string begin = fmt::format("{}=", name);
  std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(begin); });
  environment.push_back(fmt::format("{}{}", begin, value));
}

}  // namespace redlock::tool
