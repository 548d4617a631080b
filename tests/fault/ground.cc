#include "ground.h"

#include <string>

namespace redlock::fault {
namespace {

constexpr std::uint64_t seeds_per_client = 10'000;  // one for each time that it is started

std::vector<live::server_options> servers() {
  std::vector<live::server_options> all;
  for (std::size_t i = 0; i < nodes_count; ++i) {
    all.push_back(stepped({.arguments = {"--lua-time-limit", "20"},
                           .password = {},
                           .keeps_data = i >= durable_from}));
  }
  return all;
}

}  // namespace

ground::ground(client_plan plan) : nodes(servers()) {
  for (std::size_t i = durable_from; i < nodes_count; ++i) nodes[i].fill();
  for (std::size_t i = 0; i < groups_count; ++i) paths.emplace_back(nodes);
  const std::uint64_t seed = plan.seed;
  for (std::size_t i = 0; i < clients_count; ++i) {
    plan.uris.clear();
    for (std::size_t n = 0; n < nodes_count; ++n) {
      const std::string uri = paths[i % groups_count][n].uri();
      plan.uris.push_back(n < durable_from ? uri : uri + "?durable=1");
    }
    plan.seed = (seed * clients_count + i) * seeds_per_client;
    clients.add(plan);
  }
}

}  // namespace redlock::fault
