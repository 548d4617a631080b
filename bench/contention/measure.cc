// The order of things.

#include "bench/contention/measure.h"

#include <optional>
#include <thread>

#include "bench/contention/arena.h"
#include "bench/contention/crowd.h"
#include "bench/contention/library_competitor.h"
#include "bench/contention/look.h"
#include "bench/contention/trouble.h"
#include "bench/contention/wake_one.h"
#include "tests/live/eventually.h"

namespace redlock::bench {
namespace {

// How much later than it expires a server may drop a key by itself.
constexpr nanoseconds expiry_lag = std::chrono::seconds{2};

void sleep_until(nanoseconds time) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(time));
}

// The whole fault, in its time. Gives when it struck.
nanoseconds suffer(const setting& s, trouble& t, nanoseconds from) {
  sleep_until(from + s.measured / 3);
  const nanoseconds at = monotonic_now();
  t.strike();
  if (s.fault_lasts > nanoseconds{0} && at + s.fault_lasts < from + s.measured) {
    sleep_until(at + s.fault_lasts);
    t.heal();
  }
  return at;
}

// After a fault, what is left at first may be what only its ttl ends.
std::size_t keys_left(const setting& s, const live::masters& nodes) {
  if (s.fault != fault::none) {
    static_cast<void>(live::eventually([&] { return nodes.keys() == 0; }, s.ttl + expiry_lag));
  }
  return nodes.keys();
}

}  // namespace

std::vector<figure> measure(const setting& s, side who) {
  live::masters nodes(s.nodes);
  arena notes(s.waiters());
  std::optional<wake_queue> queue;
  if (who == side::wake_one) queue.emplace(s.waiters());
  crowd all(
      s, notes,
      queue ? wake_one_competitors(s, nodes, *queue, notes) : library_competitors(s, nodes, notes));
  trouble fate(s, nodes, all, notes);
  const counted which = queue ? counted::scripts_and_set : counted::scripts;

  all.start();
  std::this_thread::sleep_for(s.warm_up);
  story told{
      .grants = {}, .processes = s.processes, .threads = s.threads, .before = {}, .after = {}};
  told.before = take_look(nodes, which, all, s.waiters(), notes);
  nanoseconds struck_at{0};
  if (s.fault != fault::none) struck_at = suffer(s, fate, told.before.at);
  sleep_until(told.before.at + s.measured);
  told.after = take_look(nodes, which, all, s.waiters(), notes);
  all.end();
  fate.heal();

  told.grants = notes.grants();
  check_exclusion(told.grants, fate.dead() ? fate.dead()->dead_at : nanoseconds{0});
  std::vector<figure> figures = figures_of(told);
  figures.push_back({"keys_left", static_cast<double>(keys_left(s, nodes)), 0});
  figures.push_back({"failures", static_cast<double>(notes.failures()), 0});
  if (s.fault == fault::none) return figures;
  const std::vector<figure> more = figures_after(told, struck_at);
  figures.insert(figures.end(), more.begin(), more.end());
  return figures;
}

}  // namespace redlock::bench
