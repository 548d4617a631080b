// INFO commandstats, and clocks.

#include "bench/contention/look.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace redlock::bench {
namespace {

std::uint64_t calls_of(std::string_view command, std::string_view statistics) {
  const std::string label = "cmdstat_" + std::string(command) + ":calls=";
  const std::size_t at = statistics.find(label);
  if (at == std::string_view::npos) return 0;
  const std::string_view digits = statistics.substr(at + label.size());
  std::uint64_t count = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), count);
  return count;
}

}  // namespace

std::vector<std::optional<std::uint64_t>> calls(live::masters& nodes, counted which) {
  std::vector<std::optional<std::uint64_t>> of_each;
  for (const live::redis_server& node : nodes) {
    if (!node.answers()) {
      of_each.emplace_back();
      continue;
    }
    const std::string said = node.command({"INFO", "commandstats"}).text;
    std::uint64_t sum = calls_of("evalsha", said) + calls_of("eval", said);
    if (which == counted::scripts_and_set) sum += calls_of("set", said);
    of_each.emplace_back(sum);
  }
  return of_each;
}

look take_look(live::masters& nodes, counted which, const crowd& all, std::size_t waiters,
               const arena& notes) {
  look l;
  l.at = monotonic_now();
  l.cpu = all.cpu_times();
  for (std::size_t i = 0; i < waiters; ++i) {
    const nanoseconds since = notes.waiting_since(i);
    l.waiting.push_back(since > nanoseconds{0} ? std::max(l.at - since, nanoseconds{0})
                                               : nanoseconds{0});
  }
  l.calls = calls(nodes, which);
  return l;
}

}  // namespace redlock::bench
