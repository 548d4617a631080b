// redlock status: asks who holds what, and how that ends. How it looks is status_text.h.

#include <utility>
#include <vector>

#include "complaint.h"
#include "exit_code.h"
#include "redlock/lock_manager.h"
#include "request.h"
#include "status_text.h"
#include "text.h"

namespace redlock::tool {
namespace {

int exit_code_for(const std::vector<resource_status>& all) {
  int code = exit_code::ok;
  for (const auto& one : all) {
    if (one.seen.held()) continue;
    // That one is not held decides the question whether all are, whatever is unknown of others.
    if (one.seen.known) return exit_code::not_held;
    code = exit_code::unavailable;
  }
  return code;
}

}  // namespace

int status(const status_request& r) {
  lock_manager locks(r.nodes);
  std::vector<resource_status> all;
  for (const auto& resource : r.resources) {
    auto seen = locks.inspect(resource);
    if (!seen) throw failed_on(resource, seen.error());
    all.push_back({resource, std::move(*seen)});
  }
  print(r.json ? as_json(all) : as_table(all));
  return exit_code_for(all);
}

}  // namespace redlock::tool
