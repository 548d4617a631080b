// What befalls a server's wall clock.

#include <chrono>

#include "faults.h"

namespace redlock::fault {
namespace {

using namespace std::chrono_literals;

// Only some clocks ever leap ahead: the guards compare a node with the others, and nothing notices
// all of them leaping together. A leap is an hour, since one too small to notice is not guarded
// against; and none comes so soon after a node lost its data that the uptime, which follows this
// clock, would hide that from a client that comes later (docs/safety.md names all three).
constexpr std::size_t leaping = 2;
constexpr auto leap = 1h;
constexpr std::int64_t slip_ms = 200;

}  // namespace

std::vector<fault_kind> clock_faults(ground& where, const client_plan& plan, random& chance) {
  const auto node = target::node;
  const auto healed = [] { return [] {}; };
  std::vector<fault_kind> all;
  all.push_back({"clock set back", node, 1, 0, [&where, &chance, healed](std::size_t i) {
                   const auto by = chance.milliseconds(1, slip_ms);
                   where.nodes[i].step_clock(-by);
                   where.past[i].set_back += by;
                   return healed();
                 }});
  const auto first = chance.index(nodes_count);
  const auto quiet = std::chrono::milliseconds(plan.max_ttl_ms) * 2 + 2s;
  all.push_back({"clock set ahead", node, 2, 0,
                 [&where, healed](std::size_t i) {
                   where.nodes[i].step_clock(leap);
                   return healed();
                 },
                 [&where, first, quiet](std::size_t i) {
                   const bool may_leap = (i + nodes_count - first) % nodes_count < leaping;
                   return may_leap && clock::now() - where.past[i].emptied > quiet;
                 }});
  return all;
}

}  // namespace redlock::fault
