#include "storm.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <thread>

#include "live/eventually.h"
#include "oracle.h"

namespace redlock::fault {
namespace {

using namespace std::chrono_literals;

constexpr auto turn = 5ms;
constexpr auto look_every = 250ms;
constexpr std::int64_t most_at_once = 8;
constexpr std::int64_t longest_pause_ms = 150;
constexpr int favourite_percent = 40;   // of all faults, one kind for some seconds
constexpr int everywhere_percent = 10;  // as when the power fails, or a switch
constexpr auto calm_limit = 60s;        // far more than eight clients need, one after the other

void append(std::vector<fault_kind>& all, std::vector<fault_kind> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

}  // namespace

storm::storm(const client_plan& plan, ground& where)
    : plan_(plan),
      ground_(where),
      random_(plan.seed),
      vigil_(where, std::chrono::milliseconds(plan.max_ttl_ms)),
      kinds_(node_faults(where)) {
  append(kinds_, clock_faults(where, plan, random_));
  append(kinds_, path_faults(where, random_));
  append(kinds_, client_faults(where));
}

void storm::rage(std::chrono::seconds duration) {
  const auto end = clock::now() + duration;
  while (clock::now() < end) {
    change_climate();
    heal(clock::now());
    strike();
    look();
    std::this_thread::sleep_for(turn);
  }
}

// How many faults at once, how soon after each other, and of which kind most, for the next seconds.
// So there are quiet times too; and a kind that is rare comes in numbers, in several places at
// once.
void storm::change_climate() {
  if (clock::now() < next_climate_) return;
  next_climate_ = clock::now() + random_.milliseconds(1000, 5000);
  most_at_once_ = static_cast<std::size_t>(random_.number(0, most_at_once));
  longest_pause_ms_ = random_.number(10, longest_pause_ms);
  favourite_ = &kinds_[random_.index(kinds_.size())];
}

void storm::strike() {
  if (clock::now() < next_strike_ || faults_.size() >= most_at_once_) return;
  next_strike_ = clock::now() + random_.milliseconds(1, longest_pause_ms_);
  const fault_kind* const kind = random_.chance(favourite_percent) ? favourite_ : &drawn_kind();
  const std::size_t count = places(kind->target);
  const std::size_t first = random_.index(count);
  const std::size_t last = random_.chance(everywhere_percent) ? first + count - 1 : first;
  const auto duration = random_.milliseconds(0, kind->longest_ms);
  for (std::size_t place = first; place <= last; ++place) strike(*kind, place % count, duration);
}

void storm::strike(const fault_kind& kind, std::size_t place, std::chrono::milliseconds duration) {
  if (is_struck(kind.target, place) || (kind.possible && !kind.possible(place))) return;
  ++struck_[kind.name];
  faults_.push_back({&kind, place, {}, kind.strike(place)});
  faults_.back().end = clock::now() + duration;
}

const fault_kind& storm::drawn_kind() {
  const int weights = std::accumulate(kinds_.begin(), kinds_.end(), 0,
                                      [](int sum, const fault_kind& k) { return sum + k.weight; });
  std::int64_t drawn = random_.number(1, weights);
  return *std::find_if(kinds_.begin(), kinds_.end(),
                       [&](const fault_kind& k) { return (drawn -= k.weight) <= 0; });
}

void storm::heal(clock::time_point until) {
  std::erase_if(faults_, [&](const fault& f) {
    if (f.end > until) return false;
    f.heal();
    return true;
  });
}

bool storm::is_struck(target t, std::size_t place) const {
  return std::any_of(faults_.begin(), faults_.end(),
                     [&](const fault& f) { return f.kind->target == t && f.place == place; });
}

void storm::look() {
  if (clock::now() < next_look_) return;
  next_look_ = clock::now() + look_every;
  vigil_.look([this](std::size_t i) { return is_struck(target::node, i); },
              [this](std::size_t i) { return is_struck(target::client, i); });
}

void storm::calm_down() {
  heal(clock::time_point::max());
  ground_.clients.enter(phase::calm);
  for (client& each : ground_.clients) {
    const std::uint64_t before = each.written().grants;
    const bool granted = live::eventually(
        [&] {
          look();
          return each.written().grants > before;
        },
        calm_limit);
    if (!granted) {
      vigil_.tell("client " + std::to_string(each.number()) + " gets no lock in the calm");
    }
  }
  ground_.clients.enter(phase::end);
  for (client& each : ground_.clients) {
    const std::string name = "client " + std::to_string(each.number());
    if (!live::eventually([&] { return each.ended(); })) {
      vigil_.tell(name + " does not end");
    } else if (const int code = each.wait(); code != 0) {
      vigil_.tell(name + " ended with " + std::to_string(code));
    }
  }
  vigil_.see_keys_go();
  const std::vector<overlap> found = overlaps(ground_.clients.written());
  for (const overlap& each : found) vigil_.tell(each.text());
}

}  // namespace redlock::fault
