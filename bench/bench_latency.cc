// bench_latency: how long an acquire takes, and a pair of acquire and release, one at a time: the
// library beside the floor (a bare epoll program that sends the same bytes) and beside hiredis on
// libuv, in turns within each round; and the library with one of five nodes stopped, or dead.

#include <array>
#include <functional>
#include <memory>

#include "bench/cluster.h"
#include "bench/epoll_client.h"
#include "bench/epoll_count.h"
#include "bench/figures.h"
#include "bench/hiredis_client.h"
#include "bench/redlock_client.h"

namespace redlock::bench {
namespace {

constexpr std::size_t pairs_a_round = 20;
constexpr std::size_t pairs_to_warm_up = 200;

enum class form : bool { callback, blocking };

struct entry {
  explicit entry(std::string n, std::unique_ptr<contestant> c)
      : name(std::move(n)), who(std::move(c)) {
    who->run(pairs_to_warm_up, 1, samples);
    samples.clear();
  }
  void run() {
    const std::uint64_t before = epoll_ctl_calls();
    who->run(pairs_a_round, 1, samples);
    epoll_calls += epoll_ctl_calls() - before;
  }

  std::string name;
  std::unique_ptr<contestant> who;
  std::vector<sample> samples;
  std::uint64_t epoll_calls = 0;
};

std::unique_ptr<contestant> library(options o, form f) {
  if (f == form::callback) return std::make_unique<callback_client>(std::move(o));
  return std::make_unique<blocking_client>(std::move(o));
}

void compare(benchmark::State& state, std::size_t n, form f, placement p) {
  cluster c(n, p);
  std::array<entry, 3> all{
      entry("floor", std::make_unique<epoll_client>(c.nodes(), c.quorum())),
      entry("hiredis", std::make_unique<hiredis_client>(c.nodes(), c.quorum())),
      entry("redlock", library(c.nodes().options(), f))};
  for ([[maybe_unused]] auto _ : state) {
    for (entry& e : all) e.run();
  }
  for (const entry& e : all) {
    show(state, e.name + "_acquire", of_acquires(e.samples));
    show(state, e.name + "_pair", of_pairs(e.samples));
    state.counters[e.name + "_epoll_ctl"] =
        static_cast<double>(e.epoll_calls) / static_cast<double>(2 * n * e.samples.size());
  }
  state.counters["ratio_p50"] = of_pairs(all[2].samples).p50 / of_pairs(all[0].samples).p50;
  state.counters["ratio_acquire_p50"] =
      of_acquires(all[2].samples).p50 / of_acquires(all[0].samples).p50;
}

// Two sets of five masters, one of them whole, in turns. With the library's own time-outs, since
// these are what it lives with such a node by. On few CPUs the harmed set has it easier: there are
// only four servers to wait for.
void with_a_fault(benchmark::State& state, const std::function<void(live::redis_server&)>& harm) {
  cluster whole(5, placement::unpinned);
  cluster harmed(5, placement::unpinned);
  const auto plain = [](cluster& c) {
    options o;
    o.nodes = c.nodes().endpoints();
    o.restart_guard = false;
    return library(std::move(o), form::callback);
  };
  entry good("whole", plain(whole));
  entry bad("harmed", plain(harmed));
  harm(harmed.nodes()[0]);
  for ([[maybe_unused]] auto _ : state) {
    good.run();
    bad.run();
  }
  const distribution before = of_acquires(good.samples);
  const distribution after = of_acquires(bad.samples);
  show(state, "whole_acquire", before);
  show(state, "harmed_acquire", after);
  state.counters["ratio_p50"] = after.p50 / before.p50;
  state.counters["ratio_p99"] = after.p99 / before.p99;
}

void add_all(int rounds) {
  for (const placement p : {placement::pinned, placement::unpinned}) {
    for (const form f : {form::callback, form::blocking}) {
      for (const std::size_t n : {1U, 3U, 5U, 7U, 9U}) {
        add("acquire_release/n:" + std::to_string(n) +
                (f == form::callback ? "/callback" : "/blocking") +
                (p == placement::pinned ? "/pinned" : "/unpinned"),
            rounds, [=](benchmark::State& state) { compare(state, n, f, p); });
      }
    }
  }
  // Long enough for a node that has stopped to be found hung, and tried again.
  add("one_of_five_stopped", 2 * rounds,
      [](benchmark::State& s) { with_a_fault(s, [](live::redis_server& node) { node.stop(); }); });
  add("one_of_five_dead", 2 * rounds,
      [](benchmark::State& s) { with_a_fault(s, [](live::redis_server& node) { node.kill(); }); });
}

}  // namespace
}  // namespace redlock::bench

int main(int argc, char** argv) {
  return redlock::bench::run_all(argc, argv, 100, redlock::bench::add_all);
}
