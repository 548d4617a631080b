// server: one throw-away Redis master of the sandbox, on the loopback address.

#ifndef REDLOCK_TOOLS_SERVER_H
#define REDLOCK_TOOLS_SERVER_H

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "program.h"

namespace redlock::tool {

// Owns the process that it started, and no other: one that somebody starts by hand on the same
// port, after this one was killed, is theirs. The process has a session of its own, so no signal of
// a terminal reaches it, and the kernel kills it when we die.
//
// Move-only; main thread only.
class server {
 public:
  // Starts it, with its files and the configuration "server.conf" in `directory`, which is made if
  // it is not there. `program_path` is a redis-server or valkey-server.
  server(const std::string& program_path, std::filesystem::path directory);
  server(server&& other) noexcept;
  server& operator=(server&&) = delete;
  ~server();  // kills it and waits for its end

  // Starts it again on another port. REQUIRES: !is_running().
  void start_elsewhere();

  // Whether it is up and answers on its port.
  [[nodiscard]] bool is_ready() const;

  // Takes note of its end, if it has ended. To be called when a child has ended.
  void notice_end() noexcept;

  [[nodiscard]] bool is_running() const noexcept { return pid_ != 0; }
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  [[nodiscard]] std::string address() const;     // "127.0.0.1:7001"
  [[nodiscard]] std::string last_words() const;  // the end of its log, for people

 private:
  [[nodiscard]] std::filesystem::path log() const { return directory_ / "log"; }
  void start();

  program program_;
  std::filesystem::path directory_;
  std::uint16_t port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_SERVER_H
