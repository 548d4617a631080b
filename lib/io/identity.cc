// INFO is lines of `name:value`, under headings that begin with #.

#include "io/identity.h"

#include <algorithm>
#include <charconv>

namespace redlock::io {
namespace {

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return n;
}

// Nothing that a server can have seen; it only must not overflow.
constexpr std::int64_t uptime_max = std::int64_t{100} * 365 * 24 * 3600;

}  // namespace

void identity::read(std::string_view info) {
  std::string host;
  std::string port;
  while (!info.empty()) {
    const std::string_view line = info.substr(0, info.find('\n'));
    info.remove_prefix(std::min(info.size(), line.size() + 1));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, colon);
    std::string_view value = line.substr(colon + 1);
    if (value.ends_with('\r')) value.remove_suffix(1);
    if (name == "run_id") run_id = value;
    if (name == "role") role = value;
    if (name == "redis_mode" || name == "server_mode") mode = value;
    if (name == "uptime_in_seconds") {
      if (const auto n = number_in(value)) {
        uptime = std::chrono::seconds{std::clamp<std::int64_t>(*n, 0, uptime_max)};
      }
    }
    if (name == "master_replid") replid = value;
    if (name == "second_repl_offset") promoted = number_in(value).value_or(-1) >= 0;
    if (name == "master_host") host = value;
    if (name == "master_port") port = value;
  }
  if (!host.empty()) master = host + ":" + port;
}

std::string identity::objection() const {
  if (mode == "cluster") {
    return "it runs in cluster mode: a node must be a master that stands alone";
  }
  if (mode == "sentinel") return "it is a Sentinel: name the masters themselves";
  return {};
}

}  // namespace redlock::io
