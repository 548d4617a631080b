// One server process, its directory and its configuration.

#include "server.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <utility>

#include "exit_code.h"
#include "loopback.h"
#include "spawn.h"
#include "text.h"

namespace redlock::tool {
namespace {

constexpr std::size_t last_words_bytes = 600;

// A word of the configuration file.
std::string quoted(const std::string& word) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Everything that a server must not lose is on disk before it answers, so that it may be killed and
// started again. No rewriting of the log, which would be another process to keep track of.
std::string configuration(const std::filesystem::path& directory, std::uint16_t port) {
  return fmt::format(
      "bind 127.0.0.1\n"
      "port {}\n"
      "dir {}\n"
      "pidfile {}\n"
      "daemonize no\n"
      "save \"\"\n"
      "appendonly yes\n"
      "appendfsync always\n"
      "auto-aof-rewrite-percentage 0\n",
      port, quoted(directory.native()), quoted((directory / "pid").native()));
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  if (!file) throw failed(exit_code::system, "cannot write " + printable(path.native()));
}

}  // namespace

server::server(const std::string& program_path, std::filesystem::path directory)
    : program_(prepare({program_path})), directory_(std::move(directory)) {
  std::filesystem::create_directory(directory_);
  program_.arguments.push_back((directory_ / "server.conf").native());
  start();
}

server::server(server&& other) noexcept
    : program_(std::move(other.program_)),
      directory_(std::move(other.directory_)),
      port_(other.port_),
      pid_(std::exchange(other.pid_, 0)) {}

server::~server() {
  if (!is_running()) return;
  // Not waited for before, so the number is still its own.
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void server::start() {
  port_ = free_port();
  write_file(program_.arguments.back(), configuration(directory_, port_));
  pid_ = spawn(program_,
               {.own = belonging::session, .death_signal = SIGKILL, .output = log().native()});
}

void server::start_elsewhere() { start(); }

bool server::is_ready() const { return is_running() && answers(port_, pid_); }

void server::notice_end() noexcept {
  if (is_running() && ::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = 0;
}

std::string server::address() const { return fmt::format("127.0.0.1:{}", port_); }

std::string server::last_words() const {
  std::ifstream file(log());
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (text.size() > last_words_bytes) {
    text.erase(0, text.size() - last_words_bytes);
    text.erase(0, text.find('\n') + 1);
  }
  return text;
}

}  // namespace redlock::tool
