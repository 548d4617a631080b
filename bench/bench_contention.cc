// bench_contention: how several processes compete for one key: the library beside wake_one, the
// least that handing the key over can cost, in turns; and the library in trouble. CONTRIBUTING.md
// says what the columns mean.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/contention/command_line.h"
#include "bench/contention/measure.h"
#include "bench/contention/table.h"

namespace redlock::bench {
namespace {

double load_average() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

struct column {
  side who;
  std::string name;
  std::vector<row> rows = {};
};

void run(const setting& s) {
  std::printf("# %s, %.1f s, load average %.2f\n", description(s).c_str(),
              std::chrono::duration<double>(s.measured).count(), load_average());
  std::vector<column> sides{{side::library, "redlock"}};
  if (s.fault == fault::none) sides.push_back({side::wake_one, "wake_one"});
  for (std::size_t i = 1; i <= s.runs; ++i) {
    for (column& c : sides) {
      c.rows.push_back(measure(s, c.who));
      if (i == 1 && c.who == side::library) print_header(c.rows.back());
      print_row(c.name, std::to_string(i), c.rows.back());
    }
  }
  if (s.runs == 1) return;
  for (const column& c : sides) print_row(c.name, "median", median_of(c.rows));
}

bool run_all(const std::vector<setting>& settings) {
  bool all_well = true;
  for (const setting& s : settings) {
    try {
      run(s);
    } catch (const std::exception& e) {
      std::printf("contention ERROR OCCURRED: '%s'\n", e.what());
      all_well = false;
    }
    std::fflush(stdout);
  }
  return all_well;
}

}  // namespace
}  // namespace redlock::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<redlock::bench::setting> settings;
  if (words == std::vector<std::string>{"--help"}) {
    std::fputs(redlock::bench::usage.data(), stdout);
    return 0;
  }
  try {
    settings = redlock::bench::settings_of(words);
  } catch (const std::invalid_argument& e) {
    std::fprintf(stderr, "bench_contention: %s\n%s", e.what(), redlock::bench::usage.data());
    return 64;
  }
  return redlock::bench::run_all(settings) ? 0 : 1;
}
