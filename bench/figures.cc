// Percentiles and registration.

#include "bench/figures.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <thread>

namespace redlock::bench {
namespace {

distribution of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
  };
  double sum = 0;
  for (const double v : values) sum += v;
  return {at(0.5), at(0.99), sum / static_cast<double>(values.size())};
}

distribution of(const std::vector<sample>& samples, nanoseconds sample::*part) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const sample& s : samples) {
    values.push_back(std::chrono::duration<double, std::micro>(s.*part).count());
  }
  return of(std::move(values));
}

}  // namespace

distribution of_acquires(const std::vector<sample>& samples) {
  return of(samples, &sample::acquire);
}
distribution of_pairs(const std::vector<sample>& samples) { return of(samples, &sample::pair); }

void show(benchmark::State& state, const std::string& name, const distribution& d) {
  state.counters[name + "_p50"] = d.p50;
  state.counters[name + "_p99"] = d.p99;
  state.counters[name + "_mean"] = d.mean;
}

int run_all(int argc, char** argv, int rounds, const std::function<void(int rounds)>& add) {
  std::vector<char*> rest;
  constexpr std::string_view option = "--rounds=";
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with(option)) {
      rest.push_back(argv[i]);
      continue;
    }
    const char* end = word.data() + word.size();
    if (std::from_chars(word.data() + option.size(), end, rounds).ptr != end || rounds < 1) {
      std::fputs("--rounds takes a number from 1 on\n", stderr);
      return 64;
    }
  }
  int left = static_cast<int>(rest.size());
  rest.push_back(nullptr);
  benchmark::Initialize(&left, rest.data());
  if (benchmark::ReportUnrecognizedArguments(left, rest.data())) return 64;
  add(rounds);
  return benchmark::RunSpecifiedBenchmarks() > 0 ? 0 : 1;
}

void add(const std::string& name, int rounds, std::function<void(benchmark::State&)> body) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [body = std::move(body)](benchmark::State& state) {
                                 try {
                                   body(state);
                                 } catch (const std::exception& e) {
                                   state.SkipWithError(e.what());
                                 }
                               })
      ->Iterations(rounds)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace redlock::bench
