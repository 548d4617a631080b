// redis_server: a real Redis (or Valkey) master of the test's own.

#ifndef REDLOCK_LIVE_REDIS_SERVER_H
#define REDLOCK_LIVE_REDIS_SERVER_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "process.h"
#include "sockets.h"
#include "temp_dir.h"

namespace redlock::live {

// What a server said, as a value.
struct reply {
  enum class kind { nothing, text, status, number, list, error };
  kind type = kind::nothing;
  std::string text;  // of text, status and error
  long long number = 0;
  std::vector<reply> items;

  [[nodiscard]] bool failed() const noexcept { return type == kind::error; }
};

struct server_options {
  std::vector<std::string> arguments;  // as on redis-server's command line: "--maxmemory", "1mb"
  std::string password;                // `requirepass`; the fixture itself uses it
  bool keeps_data = false;             // appendonly, each write on disk before it is answered
  std::string clock_shim =
      {};  // the library that lets its clock be stepped (tests/fault); "": none
};

// A server process on 127.0.0.1, ::1 (where there is one) and a unix socket, that keeps nothing on
// disk unless it is told to, and dies with the test. Runs and answers from construction on. Its
// port stays its own while it is down.
//
// Which program: $REDLOCK_TEST_SERVER, or redis-server, or valkey-server, the first there is.
//
// Thread safety: one thread at a time, but for command(), uri() and port(), and the process must be
// started by a thread that outlives it.
class redis_server {
 public:
  explicit redis_server(server_options o = {});  // throws std::runtime_error if it does not run

  [[nodiscard]] std::uint16_t port() const noexcept { return port_.number(); }
  [[nodiscard]] std::string uri() const;       // with the password, if any
  [[nodiscard]] std::string unix_uri() const;  // likewise
  [[nodiscard]] std::string name() const;      // as the library calls it: "127.0.0.1:20001"
  [[nodiscard]] bool has_ipv6() const;         // answers on ::1 too
  [[nodiscard]] std::string socket_path() const { return dir_.path() / "redis.sock"; }

  void kill() { process_.reset(); }  // SIGKILL; clients see their connections reset
  void start();          // after kill(): on the same port, with the data that it keeps, or empty
  void restart();        // both
  void forget();         // while it is killed: what it kept is gone too
  void fill();           // with so much to keep, in database 15, that it can be seen loading
  void start_loading();  // as start(), but returns while it is loading, which takes seconds
  void stop() { process_->stop(); }  // SIGSTOP: connections stand, nothing is answered
  void cont() { process_->cont(); }
  [[nodiscard]] bool answers() const noexcept { return process_ && !process_->stopped(); }

  // From now on, and after restarts too. Connections that are there stay. "": none.
  void set_password(const std::string& password);

  // Steps its wall clock, for good. REQUIRES: a clock_shim.
  void step_clock(std::chrono::nanoseconds by);

  // Asks it, on a connection of its own. Throws std::runtime_error if it does not answer.
  reply command(const std::vector<std::string>& words) const;

 private:
  enum class outcome { ready, ended };
  void start(const std::string& answer, const std::vector<std::string>& also);
  outcome await(const std::string& answer);
  [[nodiscard]] std::vector<std::string> command_line() const;
  [[nodiscard]] std::filesystem::path clock_file() const { return dir_.path() / "clock"; }

  server_options options_;
  reserved_port port_;
  temp_dir dir_;
  std::optional<process> process_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_REDIS_SERVER_H
