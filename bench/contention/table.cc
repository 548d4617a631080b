// Widths.

#include "bench/contention/table.h"

#include <algorithm>
#include <cstdio>

namespace redlock::bench {
namespace {

constexpr int width_min = 8;

int width_of(const figure& f) { return std::max(width_min, static_cast<int>(f.name.size())) + 1; }

void print_start(const char* who, const char* run) { std::printf("%-8s %6s", who, run); }

}  // namespace

void print_header(const row& like) {
  print_start("who", "run");
  for (const figure& f : like) std::printf("%*s", width_of(f), f.name.c_str());
  std::puts("");
}

void print_row(const std::string& who, const std::string& run, const row& figures) {
  print_start(who.c_str(), run.c_str());
  for (const figure& f : figures) std::printf("%*.*f", width_of(f), f.decimals, f.value);
  std::puts("");
  std::fflush(stdout);
}

row median_of(const std::vector<row>& rows) {
  row median = rows.front();
  for (std::size_t i = 0; i < median.size(); ++i) {
    std::vector<double> values;
    for (const row& r : rows) values.push_back(r[i].value);
    std::sort(values.begin(), values.end());
    median[i].value = values[values.size() / 2];
  }
  return median;
}

}  // namespace redlock::bench
