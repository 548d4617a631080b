// redlock release: takes back the keys of one token; or, by force, whatever lock keys there are.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>

#include "complaint.h"
#include "exit_code.h"
#include "redlock/lock_manager.h"
#include "request.h"
#include "text.h"

namespace redlock::tool {
namespace {

holdings look(lock_manager& locks, const std::string& resource) {
  auto seen = locks.inspect(resource);
  if (!seen) throw failed_on(resource, seen.error());
  return std::move(*seen);
}

bool has_key(const node_holding& n) { return n.answer == answer::granted; }

// Releases compare the whole value, and of a longer one only the beginning is seen.
bool is_deletable(const node_holding& n) {
  return has_key(n) && !n.token.empty() && n.token.size() < token_bytes_max;
}

bool is_heard(const node_holding& n) {
  return has_key(n) || n.answer == answer::absent || n.answer == answer::foreign;
}

// What is on each node, and what would become of it.
std::string plan(const std::string& resource, const holdings& seen) {
  std::string text = fmt::format("redlock: {}:\n", printable(resource));
  for (const node_holding& n : seen.nodes) {
    text += fmt::format("  {}: ", printable(n.node));
    if (has_key(n) && !is_deletable(n)) {
      text += "cannot delete: its value is no token, being empty or too long; use redis-cli\n";
    } else if (has_key(n)) {
      text += fmt::format("delete {}, which has {:.3f} s left\n", printable(n.token),
                          static_cast<double>(n.ttl.count()) / 1000.0);
    } else if (n.answer == answer::absent) {
      text += "nothing to delete\n";
    } else if (n.answer == answer::foreign) {
      text += fmt::format("leave alone: {}\n", printable(n.text));
    } else {
      text += fmt::format("cannot tell: {}", name(n.answer));
      text += n.text.empty() ? "\n" : fmt::format(" ({})\n", printable(n.text));
    }
  }
  return text;
}

bool is_agreed(const release_request& r) {
  if (r.yes) return true;
  if (::isatty(STDIN_FILENO) == 0) {
    throw failed(exit_code::usage, "nothing is deleted without --yes, or a terminal to ask at");
  }
  print_error(
      "A holder that lives learns of this only with its next renewal, and goes on until then.\n"
      "Delete these keys? [y/N] ");
  char first = 'n';
  const bool answered = ::read(STDIN_FILENO, &first, 1) == 1;
  return answered && (first == 'y' || first == 'Y');
}

int force(const release_request& r) {
  lock_manager locks(r.nodes);
  const holdings before = look(locks, r.resource);
  std::set<std::string> tokens;
  for (const node_holding& n : before.nodes) {
    if (is_deletable(n)) tokens.insert(n.token);
  }
  print_error(plan(r.resource, before));
  const auto heard = std::count_if(before.nodes.begin(), before.nodes.end(), is_heard);
  const bool enough =
      static_cast<std::size_t>(heard) >= before.quorum &&
      std::all_of(before.nodes.begin(), before.nodes.end(),
                  [](const node_holding& n) { return !has_key(n) || is_deletable(n); });
  if (tokens.empty()) return enough ? exit_code::ok : exit_code::unavailable;
  if (!is_agreed(r)) return exit_code::declined;

  // By its token, so that one that has changed meanwhile stays.
  for (const std::string& token : tokens) static_cast<void>(locks.release(r.resource, token));
  const holdings after = look(locks, r.resource);
  bool all_gone = enough;
  for (std::size_t i = 0; i < after.nodes.size(); ++i) {
    if (!is_deletable(before.nodes[i])) continue;
    const node_holding& n = after.nodes[i];
    if (is_heard(n) && !(has_key(n) && tokens.contains(n.token))) continue;
    warn(fmt::format("{}: {} may still have its key", printable(r.resource), printable(n.node)));
    all_gone = false;
  }
  return all_gone ? exit_code::ok : exit_code::unavailable;
}

}  // namespace

int release(const release_request& r) {
  if (r.force) return force(r);
  lock_manager locks(r.nodes);
  const auto released = locks.release(r.resource, r.token);
  if (!released) throw failed_on(r.resource, released.error());
  return exit_code::ok;
}

}  // namespace redlock::tool
