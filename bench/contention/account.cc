// Sums and percentiles.

#include "bench/contention/account.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace redlock::bench {
namespace {

constexpr nanoseconds settling = std::chrono::milliseconds{500};

double milliseconds_of(nanoseconds t) {
  return std::chrono::duration<double, std::milli>(t).count();
}
double seconds_of(nanoseconds t) { return std::chrono::duration<double>(t).count(); }

std::vector<grant> between(const std::vector<grant>& all, nanoseconds from, nanoseconds to) {
  std::vector<grant> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const grant& g) { return g.granted >= from && g.granted < to; });
  return some;
}

// Sorts. 0 where there is nothing.
double percentile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

// How much the process that was served least got, to the one served most; of those that live.
double least_to_most(const story& s, const std::vector<grant>& grants) {
  std::vector<std::size_t> served(s.processes);
  for (const grant& g : grants) ++served[g.waiter / s.threads];
  std::vector<std::size_t> living;
  for (std::size_t i = 0; i < s.processes; ++i) {
    if (s.after.cpu[i]) living.push_back(served[i]);
  }
  const auto [least, most] = std::minmax_element(living.begin(), living.end());
  return *most == 0 ? 0 : static_cast<double>(*least) / static_cast<double>(*most);
}

// Of nodes that answered at both ends, and have not been started anew between. If there are any,
// they have been called: else the looks are wrong.
double calls_between(const look& before, const look& after) {
  std::uint64_t sum = 0;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < before.calls.size(); ++i) {
    const auto from = before.calls[i];
    const auto to = after.calls[i];
    if (!from || !to || *to < *from) continue;
    sum += *to - *from;
    ++seen;
  }
  if (seen > 0 && sum == 0) throw std::runtime_error("no command was counted");
  return static_cast<double>(sum);
}

// In percent of a core: the mean of the processes that live.
double cpu_between(const look& before, const look& after) {
  nanoseconds sum{0};
  std::size_t count = 0;
  for (std::size_t i = 0; i < before.cpu.size(); ++i) {
    if (!before.cpu[i] || !after.cpu[i]) continue;
    sum += *after.cpu[i] - *before.cpu[i];
    ++count;
  }
  if (count == 0) return 0;
  return 100 * seconds_of(sum) / seconds_of(after.at - before.at) / static_cast<double>(count);
}

}  // namespace

void check_exclusion(std::vector<grant>& all, nanoseconds dead_at) {
  nanoseconds free_from{0};
  for (grant& g : all) {
    if (g.released == nanoseconds{0}) g.released = dead_at;
    if (g.released < g.granted) throw std::runtime_error("a grant without an end");
    if (g.granted < free_from) throw std::runtime_error("two held the key at once");
    free_from = g.released;
  }
}

std::vector<figure> figures_of(const story& s) {
  const std::vector<grant> grants = between(s.grants, s.before.at, s.after.at);
  if (grants.empty()) throw std::runtime_error("nobody was granted the key");
  const auto count = static_cast<double>(grants.size());
  const double seconds = seconds_of(s.after.at - s.before.at);

  std::size_t hand_overs = 0;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < grants.size(); ++i) {
    const grant& one = grants[i - 1];
    const grant& next = grants[i];
    if (one.waiter / s.threads != next.waiter / s.threads) ++hand_overs;
    gaps.push_back(milliseconds_of(next.granted - one.released));
  }
  // The first grant may be one too, but nobody looks: of so few, one would show.
  const double share =
      gaps.empty() ? 0 : static_cast<double>(hand_overs) / static_cast<double>(gaps.size());

  nanoseconds waited{0};
  nanoseconds longest = *std::max_element(s.after.waiting.begin(), s.after.waiting.end());
  for (const grant& g : grants) {
    waited += g.granted - g.asked;
    longest = std::max(longest, g.granted - g.asked);
  }
  const double mean = milliseconds_of(waited) / count;

  return {{"grants/s", count / seconds, 1},
          {"hand_overs/s", static_cast<double>(hand_overs) / seconds, 1},
          {"hand_over_share", share, 3},
          {"commands/grant", calls_between(s.before, s.after) / count, 2},
          {"gap_p50_ms", percentile(gaps, 0.5), 3},
          {"gap_p99_ms", percentile(gaps, 0.99), 3},
          {"least/most", least_to_most(s, grants), 3},
          {"wait_mean_ms", mean, 2},
          {"wait_max_ms", milliseconds_of(longest), 2},
          {"wait_max/mean", mean > 0 ? milliseconds_of(longest) / mean : 0, 2},
          {"cpu_%", cpu_between(s.before, s.after), 2}};
}

std::vector<figure> figures_after(const story& s, nanoseconds struck_at) {
  nanoseconds longest{0};
  nanoseconds free_from = struck_at;
  for (const grant& g : s.grants) {
    if (g.granted > struck_at) longest = std::max(longest, g.granted - free_from);
    free_from = g.released;
  }
  longest = std::max(longest, s.after.at - free_from);  // nobody came any more

  const std::vector<grant> before = between(s.grants, s.before.at, struck_at);
  const std::vector<grant> after = between(s.grants, struck_at + settling, s.after.at);
  const double rate_before =
      static_cast<double>(before.size()) / seconds_of(struck_at - s.before.at);
  const double rate_after =
      static_cast<double>(after.size()) / seconds_of(s.after.at - struck_at - settling);
  return {{"fault_gap_ms", milliseconds_of(longest), 1},
          {"rate_after/before", rate_before > 0 ? rate_after / rate_before : 0, 3},
          {"least/most_after", least_to_most(s, after), 3}};
}

}  // namespace redlock::bench
