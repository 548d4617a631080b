// bench_throughput: how many pairs of acquire and release a second five masters and one process
// manage: many in flight, beside the floor and hiredis on libuv, in turns; and from many threads
// that block.

#include <algorithm>
#include <memory>
#include <vector>

#include "bench/cluster.h"
#include "bench/epoll_client.h"
#include "bench/figures.h"
#include "bench/hiredis_client.h"
#include "bench/redlock_client.h"

namespace redlock::bench {
namespace {

constexpr std::size_t nodes = 5;

struct entry {
  std::string name;
  std::unique_ptr<contestant> who;
  std::vector<double> rates = {};  // of each round

  void run(std::size_t pairs, std::size_t in_flight) {
    std::vector<sample> samples;
    samples.reserve(pairs);
    const auto start = stopwatch::now();
    who->run(pairs, in_flight, samples);
    const std::chrono::duration<double> took = stopwatch::now() - start;
    rates.push_back(static_cast<double>(samples.size()) / took.count());
  }
  // The median: a round in which the machine had something else to do counts as one round.
  [[nodiscard]] double rate() {
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }
};

void measure(benchmark::State& state, std::vector<entry>& all, std::size_t in_flight) {
  const std::size_t pairs = std::max<std::size_t>(500, 4 * in_flight);
  for (entry& e : all) {
    e.run(pairs, in_flight);  // warms up
    e.rates.clear();
  }
  for ([[maybe_unused]] auto _ : state) {
    for (entry& e : all) e.run(pairs, in_flight);
  }
  for (entry& e : all) state.counters[e.name + "_pairs_a_second"] = e.rate();
}

void in_flight(benchmark::State& state, std::size_t count, placement p) {
  cluster c(nodes, p);
  std::vector<entry> all(3);
  all[0] = {"floor", std::make_unique<epoll_client>(c.nodes(), c.quorum())};
  all[1] = {"hiredis", std::make_unique<hiredis_client>(c.nodes(), c.quorum())};
  all[2] = {"redlock", std::make_unique<callback_client>(c.nodes().options())};
  measure(state, all, count);
  state.counters["ratio_floor"] = all[2].rate() / all[0].rate();
  state.counters["ratio_hiredis"] = all[2].rate() / all[1].rate();
}

void threads(benchmark::State& state, std::size_t count, placement p) {
  cluster c(nodes, p);
  std::vector<entry> all(1);
  all[0] = {"redlock", std::make_unique<blocking_client>(c.nodes().options())};
  measure(state, all, count);
}

void add_all(int rounds) {
  for (const placement p : {placement::pinned, placement::unpinned}) {
    const std::string where = p == placement::pinned ? "/pinned" : "/unpinned";
    for (const std::size_t count : {1U, 8U, 64U, 512U, 4096U}) {
      add("in_flight:" + std::to_string(count) + where, rounds,
          [=](benchmark::State& state) { in_flight(state, count, p); });
    }
    for (const std::size_t count : {1U, 16U, 64U}) {
      add("threads:" + std::to_string(count) + where, rounds,
          [=](benchmark::State& state) { threads(state, count, p); });
    }
  }
}

}  // namespace
}  // namespace redlock::bench

int main(int argc, char** argv) {
  return redlock::bench::run_all(argc, argv, 10, redlock::bench::add_all);
}
