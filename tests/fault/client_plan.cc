#include "client_plan.h"

#include <chrono>
#include <stdexcept>

namespace redlock::fault {
namespace {

constexpr std::size_t settings = 9;  // words before the URIs

}  // namespace

std::vector<std::string> client_plan::words() const {
  std::vector<std::string> all{role,
                               ledger,
                               std::to_string(page),
                               std::to_string(seed),
                               std::to_string(resources),
                               std::to_string(max_ttl_ms),
                               std::to_string(node_timeout_ms),
                               std::to_string(restart_guard ? 1 : 0),
                               std::to_string(clock_guard ? 1 : 0)};
  all.insert(all.end(), uris.begin(), uris.end());
  return all;
}

client_plan client_plan::of(std::span<const std::string> words) {
  if (words.size() <= settings) throw std::invalid_argument("too few words");
  return {.role = words[0],
          .ledger = words[1],
          .page = std::stoul(words[2]),
          .seed = std::stoull(words[3]),
          .resources = static_cast<std::uint32_t>(std::stoul(words[4])),
          .max_ttl_ms = std::stol(words[5]),
          .node_timeout_ms = std::stol(words[6]),
          .restart_guard = words[7] == "1",
          .clock_guard = words[8] == "1",
          .uris = {words.begin() + settings, words.end()}};
}

redlock::options client_plan::options() const {
  redlock::options o;
  for (const std::string& uri : uris) o.nodes.emplace_back(uri);
  o.node_timeout = std::chrono::milliseconds(node_timeout_ms);
  o.connect_timeout = std::chrono::milliseconds(500);
  o.hung_timeout = std::chrono::milliseconds(500);
  o.max_ttl = std::chrono::milliseconds(max_ttl_ms);
  o.client_name = "client-" + std::to_string(page);
  o.restart_guard = restart_guard;
  o.clock_guard = clock_guard;
  return o;
}

std::string resource_name(std::uint32_t number) { return "r" + std::to_string(number); }

}  // namespace redlock::fault
