// figures: from samples to the counters of a benchmark, and the command line of both programs.

#ifndef REDLOCK_BENCH_FIGURES_H
#define REDLOCK_BENCH_FIGURES_H

#include <benchmark/benchmark.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/contestant.h"

namespace redlock::bench {

// In microseconds.
struct distribution {
  double p50 = 0;
  double p99 = 0;
  double mean = 0;
};

// REQUIRES: not empty.
[[nodiscard]] distribution of_acquires(const std::vector<sample>& samples);
[[nodiscard]] distribution of_pairs(const std::vector<sample>& samples);

// As counters NAME_p50, NAME_p99 and NAME_mean.
void show(benchmark::State& state, const std::string& name, const distribution& d);

// Runs what `add` registers, with the rounds that the command line asks for (--rounds=N, else
// `rounds`); the other options are Google Benchmark's. Gives the program's exit status.
int run_all(int argc, char** argv, int rounds, const std::function<void(int rounds)>& add);

// Registers `body`, to be run for so many rounds, and to be an error instead of an end if it
// throws.
void add(const std::string& name, int rounds, std::function<void(benchmark::State&)> body);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_FIGURES_H
