// Turning knobs one by one.

#include "sim/shrink.h"

#include <array>
#include <utility>

namespace redlock::sim {
namespace {

// With other knobs the same seed draws another history: so many are tried before a turn of a knob
// is given up.
constexpr std::uint64_t seeds_tried = 100;
constexpr std::uint64_t seeds_tried_last = 3'000;

bool says_what_is_looked_for(const knob& k) {
  return k.field == &climate::strict || k.field == &climate::holders_only;
}

// The shortest history among the first `most` seeds in which this climate breaks the same rule.
std::optional<specimen> shortest(const climate& c, const specimen& like, std::uint64_t most) {
  std::optional<specimen> best;
  for (std::uint64_t i = 0; i <= most; ++i) {
    const std::uint64_t seed = i == 0 ? like.seed : i;
    auto found = run_world(c, seed);
    if (!found || found->broken != like.found.broken) continue;
    if (best && best->found.events <= found->events) continue;
    best = specimen{c, seed, std::move(*found)};
  }
  return best;
}

// Turns one knob as far as it goes. Whether it moved.
bool turn(specimen& best, const knob& k) {
  const knob_value from = best.where.*k.field;
  const knob_value way = k.calm - from;
  for (const knob_value to : {k.calm, from + way / 2, from + way / 8, from + (way > 0 ? 1 : -1)}) {
    if (to == from) continue;
    climate c = best.where;
    c.*k.field = to;
    auto smaller = shortest(c, best, seeds_tried);
    if (!smaller) continue;
    best = std::move(*smaller);
    return true;
  }
  return false;
}

}  // namespace

std::optional<violation> run_world(const climate& c, std::uint64_t seed, history::printer print) {
  coverage unread;
  return world(c, seed, unread, std::move(print)).run();
}

specimen shrink(specimen from) {
  for (bool moved = true; moved;) {
    moved = false;
    for (const knob& k : knobs()) {
      if (says_what_is_looked_for(k) || from.where.*k.field == k.calm) continue;
      moved = turn(from, k) || moved;
    }
  }
  if (auto last = shortest(from.where, from, seeds_tried_last)) from = std::move(*last);
  return from;
}

}  // namespace redlock::sim
