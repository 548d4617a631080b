// faults: what a storm can do to a server, a path or a client, as a table of kinds.

#ifndef REDLOCK_FAULT_FAULTS_H
#define REDLOCK_FAULT_FAULTS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ground.h"
#include "random.h"

namespace redlock::fault {

enum class target : std::size_t { node, path, client };

[[nodiscard]] constexpr std::size_t places(target t) noexcept {
  return t == target::node   ? nodes_count
         : t == target::path ? nodes_count * groups_count
                             : clients_count;
}

// A place never suffers two faults at once: so what heals one finds it as it was left.
struct fault_kind {
  std::string_view name;
  fault::target target;
  int weight;               // how often it comes, compared to the others
  std::int64_t longest_ms;  // 0: over as soon as it has begun
  // Strikes, and gives what heals it; to be called once.
  std::function<std::function<void()>(std::size_t place)> strike;
  // Whether it may strike there now. Empty: anywhere, at any time.
  std::function<bool(std::size_t place)> possible = {};
};

// The kinds refer to `where` and `chance`, which must outlive them.
[[nodiscard]] std::vector<fault_kind> node_faults(ground& where);
[[nodiscard]] std::vector<fault_kind> clock_faults(ground& where, const client_plan& plan,
                                                   random& chance);
[[nodiscard]] std::vector<fault_kind> path_faults(ground& where, random& chance);
[[nodiscard]] std::vector<fault_kind> client_faults(ground& where);

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_FAULTS_H
