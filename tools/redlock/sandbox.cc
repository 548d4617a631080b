// redlock sandbox: some throw-away masters, for as long as CMD runs. server.h is one master;
// supervisor.h deals with CMD.

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exit_code.h"
#include "node_list.h"
#include "program.h"
#include "request.h"
#include "scratch_directory.h"
#include "server.h"
#include "signals.h"
#include "spawn.h"
#include "supervisor.h"
#include "text.h"

namespace redlock::tool {
namespace {

constexpr auto start_patience = std::chrono::seconds{30};
constexpr auto start_pause = std::chrono::milliseconds{10};
constexpr int ports_per_server = 20;
constexpr auto kill_after = std::chrono::seconds{5};
constexpr const char* directory_variable = "REDLOCK_SANDBOX";

std::string find_server_program() {
  for (const char* name : {"redis-server", "valkey-server"}) {
    try {
      if (const auto path = find_program(name)) return *path;
    } catch (const failed&) {
      // One that cannot be executed is as good as none.
    }
  }
  throw failed(exit_code::unavailable,
               "found neither redis-server nor valkey-server in PATH; install one of them");
}

program prepare_command(const sandbox_request& r) {
  if (!r.command.empty()) return prepare(r.command);
  const char* shell = std::getenv("SHELL");
  const bool usable = shell != nullptr && find_program(shell);
  return prepare({usable ? shell : "sh"});
}

[[noreturn]] void give_up(const server& s) {
  throw failed(exit_code::unavailable,
               fmt::format("the server on {} does not come up; its log ends:\n{}", s.address(),
                           s.last_words()));
}

// Waits until the server answers; gives the signal that ended the waiting, if one did.
std::optional<int> wait_until_ready(server& s, signal_queue& signals) {
  const auto deadline = std::chrono::steady_clock::now() + start_patience;
  int ports_tried = 1;
  while (!s.is_ready()) {
    while (const auto signal = signals.next()) {
      if (*signal != SIGCHLD) return signal;
    }
    s.notice_end();
    if (!s.is_running()) {
      // Most likely somebody else was given its port meanwhile.
      if (++ports_tried > ports_per_server) give_up(s);
      s.start_elsewhere();
    }
    if (std::chrono::steady_clock::now() > deadline) give_up(s);
    signals.wait(-1, start_pause);
  }
  return std::nullopt;
}

std::string uris_of(const std::vector<server>& servers) {
  std::string out;
  for (const auto& s : servers) {
    if (!out.empty()) out += ',';
    out += "redis://" + s.address() + "?durable=1";
  }
  return out;
}

void announce(const std::vector<server>& servers) {
  std::string text = fmt::format("export {}={}\n", nodes_variable, uris_of(servers));
  std::size_t i = 0;
  for (const auto& s : servers) {
    text += fmt::format("node {}: {} pid {}\n", ++i, s.address(), s.pid());
  }
  if (!print_error(text)) throw failed(exit_code::output, "cannot write to standard error");
}

// Puts the directory of this very program before all others in PATH, ours and what comes of it: CMD
// may be `redlock`. REQUIRES: no other thread.
void put_own_directory_first() {
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").parent_path().native();
  const char* path = std::getenv("PATH");
  const std::string all = path == nullptr ? own + ":/bin:/usr/bin" : own + ":" + path;
  if (::setenv("PATH", all.c_str(), 1) != 0) throw system_failure("setenv");
}

}  // namespace

int sandbox(const sandbox_request& r) {
  put_own_directory_first();
  program command = prepare_command(r);
  const std::string server_program = find_server_program();
  signal_queue signals;
  const scratch_directory scratch;

  std::vector<server> servers;
  servers.reserve(r.nodes);
  for (unsigned i = 1; i <= r.nodes; ++i) {
    servers.emplace_back(server_program, scratch.path() / std::to_string(i));
  }
  for (auto& s : servers) {
    if (const auto signal = wait_until_ready(s, signals)) return exit_code::signal_base + *signal;
  }
  announce(servers);

  command.set_variable(nodes_variable, uris_of(servers));
  command.set_variable(directory_variable, scratch.path().native());
  const pid_t pid = spawn(command, {.own = belonging::group, .death_signal = SIGTERM});
  const auto notice_ends = [&servers] {
    for (auto& s : servers) s.notice_end();
  };
  supervisor s(pid, signals,
               {.on_child = notice_ends, .signals_end_it = true, .kill_after = kill_after});
  return s.wait();
}

}  // namespace redlock::tool
