#include "vitals.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace redlock::fault {
namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The number in the line of /proc/PID/status that begins with `name`; -1 if there is none.
std::int64_t number_in(const std::string& status, const std::string& name) {
  const std::size_t at = status.find("\n" + name + ":");
  return at == std::string::npos ? -1 : std::stoll(status.substr(at + name.size() + 2));
}

// utime and stime, the 14th and 15th word of /proc/PID/stat; the second, the program's name, is in
// parentheses and may contain anything.
std::chrono::milliseconds cpu_in(const std::string& stat) {
  constexpr int words_between = 11;
  std::istringstream in(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  for (int i = 0; i < words_between; ++i) in >> skipped;
  std::int64_t user = 0;
  std::int64_t system = 0;
  in >> user >> system;
  return std::chrono::milliseconds((user + system) * 1000 / ::sysconf(_SC_CLK_TCK));
}

}  // namespace

std::optional<vitals> vitals_of(pid_t pid) {
  const std::filesystem::path dir = "/proc/" + std::to_string(pid);
  const std::string status = contents(dir / "status");
  const std::string stat = contents(dir / "stat");
  std::error_code gone;
  const std::filesystem::directory_iterator descriptors(dir / "fd", gone);
  if (gone || status.empty() || stat.empty()) return {};
  const vitals found{.memory_kb = number_in(status, "RssAnon"),
                     .descriptors = std::distance(begin(descriptors), end(descriptors)),
                     .threads = number_in(status, "Threads"),
                     .cpu = cpu_in(stat)};
  if (found.memory_kb < 0) return {};  // a zombie uses nothing
  return found;
}

}  // namespace redlock::fault
