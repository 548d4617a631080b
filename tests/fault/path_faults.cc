// What befalls the bytes between a client and a server.

#include <chrono>

#include "faults.h"

namespace redlock::fault {
namespace {

using live::direction;
using live::proxy;
using namespace std::chrono_literals;

// No RESP reply or request begins like that: an injected reply that were well-formed could not be
// told from a true one by any client of the protocol.
constexpr std::string_view nonsense = "\xff?";
constexpr std::int64_t nonsense_bytes_max = 50;

// What is done to one direction of a path until it is let pass again.
template <class Begin>
void add(std::vector<fault_kind>& all, ground& where, std::string_view requests,
         std::string_view replies, std::int64_t longest_ms, Begin begin) {
  for (const direction d : {direction::requests, direction::replies}) {
    all.push_back({d == direction::requests ? requests : replies, target::path, 2, longest_ms,
                   [&where, d, begin](std::size_t i) {
                     begin(where.path(i), d);
                     return [&where, d, i] { where.path(i).pass(d); };
                   }});
  }
}

// What is done to a whole path, and what ends it.
template <class Begin, class End>
void add(std::vector<fault_kind>& all, ground& where, std::string_view name,
         std::int64_t longest_ms, Begin begin, End end) {
  all.push_back({name, target::path, 2, longest_ms, [&where, begin, end](std::size_t i) {
                   begin(where.path(i));
                   return [&where, end, i] { end(where.path(i)); };
                 }});
}

}  // namespace

std::vector<fault_kind> path_faults(ground& where, random& chance) {
  std::vector<fault_kind> all;
  add(all, where, "requests delayed", "replies delayed", 1500,
      [&chance](proxy& p, direction d) { p.delay(d, chance.milliseconds(1, 150)); });
  add(all, where, "requests held, delivered late", "replies held, delivered late", 3000,
      [](proxy& p, direction d) { p.hold(d); });
  add(all, where, "requests dropped", "replies dropped", 1500,
      [](proxy& p, direction d) { p.swallow(d); });
  add(all, where, "requests trickling", "replies trickling", 1500,
      [&chance](proxy& p, direction d) { p.trickle(d, chance.milliseconds(1, 10)); });
  add(all, where, "requests half-closed", "replies half-closed", 0,
      [](proxy& p, direction d) { p.half_close(d); });
  add(all, where, "nonsense among requests", "nonsense among replies", 0,
      [&chance](proxy& p, direction d) {
        const auto size = static_cast<std::size_t>(chance.number(0, nonsense_bytes_max));
        p.inject(d, std::string(nonsense) + chance.bytes(size));
      });
  add(
      all, where, "connections stranded, delivered late", 3000, [](proxy& p) { p.strand(); },
      [](proxy& p) { p.thaw(); });
  add(
      all, where, "connections reset", 0, [](proxy& p) { p.cut(); }, [](proxy&) {});
  add(
      all, where, "connections refused", 1500, [](proxy& p) { p.refuse(); },
      [](proxy& p) { p.accept(); });
  return all;
}

}  // namespace redlock::fault
