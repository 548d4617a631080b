// The settings.

#include "bench/contention/plans.h"

#include <algorithm>
#include <utility>

namespace redlock::bench {

using namespace std::chrono_literals;

namespace {

// Long enough for everybody to have two turns.
nanoseconds two_rounds(const setting& s) {
  return std::max<nanoseconds>(1s, 2 * static_cast<int>(s.waiters()) * (s.hold + 1ms));
}

}  // namespace

std::vector<setting> whole_table() {
  constexpr std::pair<std::size_t, std::size_t> crowds[] = {{8, 1}, {64, 1}, {8, 8}};
  setting base;
  base.runs = 1;
  base.measured = two_rounds(base);
  std::vector<setting> all;
  for (const auto& [processes, threads] : crowds) {
    setting s = base;
    s.processes = processes;
    s.threads = threads;
    for (const nanoseconds hold : {0ms, 5ms, 50ms}) {
      s.hold = hold;
      for (const std::size_t nodes : {1U, 3U, 5U}) {
        s.nodes = nodes;
        s.measured = two_rounds(s);
        all.push_back(s);
      }
    }
    s.hold = 5ms;
    s.measured = two_rounds(s);
    s.wakeups = false;
    all.push_back(s);
    s.fairness = false;
    all.push_back(s);
  }
  for (const retry_policy p : {retry_policy::spin, retry_policy::fixed, retry_policy::exponential,
                               retry_policy::adaptive}) {
    setting s = base;
    s.policy = p;
    all.push_back(s);
  }
  for (const fault f : {fault::stop_lead, fault::kill_lead, fault::kill_head, fault::kill_waiter,
                        fault::kill_holder}) {
    setting s = base;
    s.fault = f;
    s.ttl = fault_ttl;
    s.measured = 6s;
    all.push_back(s);
  }
  return all;
}

// With the long TTL also where somebody is killed: a machine that stands still for a moment loses
// no lease.
std::vector<setting> smoke_test() {
  setting calm;
  calm.processes = 3;
  calm.threads = 2;
  calm.nodes = 3;
  calm.hold = 1ms;
  calm.warm_up = 50ms;
  calm.measured = 1s;
  calm.runs = 1;
  setting harmed = calm;
  harmed.fault = fault::kill_head;
  return {calm, harmed};
}

}  // namespace redlock::bench
