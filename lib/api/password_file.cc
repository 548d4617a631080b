// Reading them.

#include "api/password_file.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace redlock::detail {
namespace {

constexpr std::size_t password_bytes_max = 4096;

[[noreturn]] void reject(const std::string& path, const std::string& why) {
  throw std::runtime_error("the password file " + path + " " + why);
}

}  // namespace

std::string read_password(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string line(password_bytes_max + 1, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  if (file.gcount() == 0 && (!file.is_open() || file.bad() || errno != 0)) {
    reject(path, "cannot be read: " + std::generic_category().message(errno));
  }
  line.resize(static_cast<std::size_t>(file.gcount()));
  line.resize(std::min(line.find('\n'), line.size()));
  if (line.ends_with('\r')) line.pop_back();
  if (line.empty()) reject(path, "is empty");
  if (line.size() > password_bytes_max) reject(path, "has a line of more than 4,096 bytes");
  return line;
}

}  // namespace redlock::detail
