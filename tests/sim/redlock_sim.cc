// redlock-sim: runs the real core in worlds of our making.
//
//   redlock-sim --seeds 1..100000           all of them; a summary of what they met
//   redlock-sim --seed 4711 --trace         the history of one
//   redlock-sim --shrink 4711               the smallest world that still fails as that one does
//   redlock-sim … --with 'amnesia=10 strict=1'   with these knobs turned
//   redlock-sim --world 'nodes=3 …' --seed 1     with these knobs and no others
//
// The last line is the number of violations. Exit: 0 if there are none, 1 if there are, 64 usage.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>

#include "sim/run_seeds.h"
#include "sim/shrink.h"

namespace redlock::sim {
namespace {

struct arguments {
  std::string seeds;
  std::uint64_t seed = 0;
  std::uint64_t shrink = 0;
  bool trace = false;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  std::string with;
  std::string world;
};

void turn_knobs(climate& c, const std::string& assignments) {
  std::istringstream words(assignments);
  for (std::string word; words >> word;) {
    if (!set_knob(c, word)) throw CLI::ValidationError("no such knob: " + word);
  }
}

climate climate_of(const arguments& a, std::uint64_t seed) {
  climate c = a.world.empty() ? climate::drawn(seed) : climate{};
  turn_knobs(c, a.world);
  turn_knobs(c, a.with);
  return c;
}

seed_range range_of(const std::string& text) {
  seed_range r;
  const std::size_t dots = text.find("..");
  const char* const end = text.data() + text.size();
  const char* const middle = text.data() + std::min(dots, text.size());
  const auto first = std::from_chars(text.data(), middle, r.first);
  const bool both = dots != std::string::npos;
  const auto last = both ? std::from_chars(middle + 2, end, r.last) : first;
  if (!both) r.last = r.first;
  if (first.ec != std::errc{} || first.ptr != middle || last.ec != std::errc{} || last.ptr != end ||
      r.first > r.last || r.last > UINT64_MAX / 2) {
    throw CLI::ValidationError("--seeds: A..B, with A <= B < 2^63: " + text);
  }
  return r;
}

void print(const specimen& s) {
  std::printf("seed %llu breaks %s: %s, after %.3f ms and %llu events\n",
              static_cast<unsigned long long>(s.seed), s.found.broken.rule.c_str(),
              s.found.broken.what.c_str(), static_cast<double>(s.found.at) / ms,
              static_cast<unsigned long long>(s.found.events));
}

int end(std::uint64_t violations) {
  std::printf("violations: %llu\n", static_cast<unsigned long long>(violations));
  return violations == 0 ? 0 : 1;
}

int run_many(const arguments& a) {
  const seed_range range = range_of(a.seeds);
  const std::uint64_t all = range.last - range.first + 1;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const auto began = std::chrono::steady_clock::now();
  const auto adapt = [&](climate& c) {
    if (!a.world.empty()) c = climate{};
    turn_knobs(c, a.world);
    turn_knobs(c, a.with);
  };
  const auto progress = [&](std::uint64_t done, std::uint64_t violations) {
    if (!terminal) return;
    std::fprintf(stderr, "\r%llu of %llu worlds, %llu violations",
                 static_cast<unsigned long long>(done), static_cast<unsigned long long>(all),
                 static_cast<unsigned long long>(violations));
  };
  const run_report report = run_seeds(range, a.jobs, adapt, progress);
  if (terminal) std::fputs("\r\033[K", stderr);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  for (const specimen& s : report.found) print(s);
  std::fputs(report.seen.summary().c_str(), stdout);
  std::printf("%.1f s, %.0f worlds a second on %u threads\n", took.count(),
              static_cast<double>(all) / took.count(), a.jobs);
  return end(report.violations);
}

int run_one(const arguments& a) {
  const climate c = climate_of(a, a.seed);
  history::printer printer;
  if (a.trace) printer = [](const std::string& line) { std::puts(line.c_str()); };
  std::printf("world: %s\n", describe(c).c_str());
  auto found = run_world(c, a.seed, printer);
  if (found) print({c, a.seed, *found});
  return end(found ? 1 : 0);
}

int run_shrink(const arguments& a) {
  const climate c = climate_of(a, a.shrink);
  auto found = run_world(c, a.shrink);
  if (!found) {
    std::printf("seed %llu breaks no rule\n", static_cast<unsigned long long>(a.shrink));
    return end(0);
  }
  const specimen small = shrink({c, a.shrink, *found});
  static_cast<void>(
      run_world(small.where, small.seed, [](const std::string& line) { std::puts(line.c_str()); }));
  print(small);
  std::printf("again: redlock-sim --trace --seed %llu --world '%s'\n",
              static_cast<unsigned long long>(small.seed), describe(small.where).c_str());
  return end(1);
}

int run(int argc, char** argv) {
  arguments a;
  CLI::App app("Runs the core of the lock in simulated worlds.");
  auto* seeds = app.add_option("--seeds", a.seeds, "Run the worlds of these seeds, A..B");
  auto* seed = app.add_option("--seed", a.seed, "Run the world of this seed");
  auto* shrink = app.add_option("--shrink", a.shrink, "Find the smallest world that fails so");
  seeds->excludes(seed)->excludes(shrink);
  seed->excludes(shrink);
  app.add_flag("--trace", a.trace, "Print its history")->needs(seed);
  app.add_option("--jobs", a.jobs, "Threads")->check(CLI::Range(1U, 1024U));
  app.add_option("--with", a.with, "Knobs to turn: 'name=value …'");
  app.add_option("--world", a.world, "A world with these knobs turned and no others");
  try {
    app.parse(argc, argv);
    climate checked;
    turn_knobs(checked, a.world + " " + a.with);
    if (!a.seeds.empty()) return run_many(a);
    if (seed->count() > 0) return run_one(a);
    if (shrink->count() > 0) return run_shrink(a);
    throw CLI::ValidationError("one of --seeds, --seed and --shrink is needed");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 64;
  }
}

}  // namespace
}  // namespace redlock::sim

int main(int argc, char** argv) { return redlock::sim::run(argc, argv); }
