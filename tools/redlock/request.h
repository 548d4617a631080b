// What the command line asks for, as plain values; command_line.h reads it, one function each does
// it.

#ifndef REDLOCK_TOOLS_REQUEST_H
#define REDLOCK_TOOLS_REQUEST_H

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "redlock/options.h"

namespace redlock::tool {

struct run_request {
  options nodes;  // and what else holds for all locks
  lock_options lock;
  std::chrono::nanoseconds kill_after = std::chrono::seconds{5};
  std::string resource;
  std::vector<std::string> command;
};

struct acquire_request {
  options nodes;
  lock_options lock;
  std::string resource;
  bool json = false;
};

struct renew_request {
  options nodes;
  lock_options lock;
  std::string resource;
  std::string token;
  bool json = false;
};

struct release_request {
  options nodes;
  std::string resource;
  std::string token;
  bool force = false;  // without a token: whatever lock keys there are
  bool yes = false;
};

struct status_request {
  options nodes;
  std::vector<std::string> resources;
  bool json = false;
};

struct sandbox_request {
  unsigned nodes = 5;
  std::vector<std::string> command;  // empty: a shell
};

// Help or version, to be printed.
struct text_request {
  std::string text;
};

using request = std::variant<text_request, run_request, acquire_request, renew_request,
                             release_request, status_request, sandbox_request>;

// Each gives the tool's exit code, or throws failed or what the library throws.
[[nodiscard]] int run(const run_request& r);
[[nodiscard]] int acquire(const acquire_request& r);
[[nodiscard]] int renew(const renew_request& r);
[[nodiscard]] int release(const release_request& r);
[[nodiscard]] int status(const status_request& r);
[[nodiscard]] int sandbox(const sandbox_request& r);

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_REQUEST_H
