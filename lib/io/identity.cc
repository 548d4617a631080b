// INFO is lines of `name:value`, under headings that begin with #.

#include "io/identity.h"

#include <algorithm>

namespace redlock::io {

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
