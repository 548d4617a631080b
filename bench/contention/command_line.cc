// Words to settings.

#include "bench/contention/command_line.h"

#include <charconv>
#include <stdexcept>

#include "bench/contention/plans.h"

namespace redlock::bench {

using namespace std::chrono_literals;

const std::string_view usage =
    "Usage: bench_contention [OPTION VALUE]…\n"
    "  --processes 8  --threads 1 (in each, all of which wait)  --nodes 5\n"
    "  --hold-ms 5  --pause-ms 0  --ttl-ms 10000 (1000 with a fault)\n"
    "  --policy hybrid|spin|fixed|exponential|adaptive  --no-fairness  --no-wakeups\n"
    "  --seconds 2 (measured, of each run)  --runs 3\n"
    "  --stop-lead MS, --kill-lead MS: for so long, from a third of the time on; 0: to the end\n"
    "  --lead busiest|INDEX: which node that is\n"
    "  --kill-head, --kill-waiter, --kill-holder: the process that waits longest, any, or holds\n"
    "  --table: a table of all of that, a few minutes; --smoke: that it runs at all\n";

namespace {

std::size_t number_of(const std::string& option, const std::string& word, std::size_t least,
                      std::size_t most) {
  std::size_t n = 0;
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(word.data(), end, n);
  if (parsed.ptr != end || parsed.ec != std::errc{} || n < least || n > most) {
    throw std::invalid_argument(option + " takes a number from " + std::to_string(least) + " to " +
                                std::to_string(most) + ", not " + word);
  }
  return n;
}

class words_left {
 public:
  explicit words_left(const std::vector<std::string>& words) : words_(words) {}

  [[nodiscard]] bool empty() const noexcept { return next_ == words_.size(); }
  [[nodiscard]] const std::string& pop() { return words_[next_++]; }  // REQUIRES: not empty
  [[nodiscard]] const std::string& pop_value(const std::string& option) {
    if (empty()) throw std::invalid_argument(option + " takes a value");
    return pop();
  }
  [[nodiscard]] std::size_t pop_number(const std::string& option, std::size_t least,
                                       std::size_t most) {
    return number_of(option, pop_value(option), least, most);
  }
  [[nodiscard]] nanoseconds pop_milliseconds(const std::string& option, std::size_t least) {
    return std::chrono::milliseconds{pop_number(option, least, 60'000)};
  }

 private:
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
};

retry_policy policy_of(const std::string& word) {
  if (word == "hybrid") return retry_policy::hybrid;
  if (word == "spin") return retry_policy::spin;
  if (word == "fixed") return retry_policy::fixed;
  if (word == "exponential") return retry_policy::exponential;
  if (word == "adaptive") return retry_policy::adaptive;
  throw std::invalid_argument("there is no policy " + word);
}

struct given {
  setting base;
  std::optional<nanoseconds> ttl = {};
  std::optional<nanoseconds> measured = {};
  std::optional<std::size_t> runs = {};
  bool table = false;
  bool smoke = false;
};

bool take_size(given& g, const std::string& word, words_left& rest) {
  if (word == "--processes") {
    g.base.processes = rest.pop_number(word, 2, processes_max);
  } else if (word == "--threads") {
    g.base.threads = rest.pop_number(word, 1, threads_max);
  } else if (word == "--nodes") {
    g.base.nodes = rest.pop_number(word, 1, nodes_max);
  } else if (word == "--hold-ms") {
    g.base.hold = rest.pop_milliseconds(word, 0);
  } else if (word == "--pause-ms") {
    g.base.pause = rest.pop_milliseconds(word, 0);
  } else if (word == "--ttl-ms") {
    g.ttl = rest.pop_milliseconds(word, 100);
  } else if (word == "--seconds") {
    constexpr std::size_t most = measured_max / 1s;
    g.measured = std::chrono::seconds{rest.pop_number(word, 1, most)};
  } else if (word == "--runs") {
    g.runs = rest.pop_number(word, 1, runs_max);
  } else {
    return false;
  }
  return true;
}

bool take_fault(given& g, const std::string& word, words_left& rest) {
  if (word == "--stop-lead") {
    g.base.fault = fault::stop_lead;
    g.base.fault_lasts = rest.pop_milliseconds(word, 0);
  } else if (word == "--kill-lead") {
    g.base.fault = fault::kill_lead;
    g.base.fault_lasts = rest.pop_milliseconds(word, 0);
  } else if (word == "--kill-head") {
    g.base.fault = fault::kill_head;
  } else if (word == "--kill-waiter") {
    g.base.fault = fault::kill_waiter;
  } else if (word == "--kill-holder") {
    g.base.fault = fault::kill_holder;
  } else {
    return false;
  }
  return true;
}

void take(given& g, const std::string& word, words_left& rest) {
  if (take_size(g, word, rest) || take_fault(g, word, rest)) return;
  if (word == "--policy") {
    g.base.policy = policy_of(rest.pop_value(word));
  } else if (word == "--no-fairness") {
    g.base.fairness = false;
  } else if (word == "--no-wakeups") {
    g.base.wakeups = false;
  } else if (word == "--lead") {
    const std::string& which = rest.pop_value(word);
    g.base.lead.reset();
    if (which != "busiest") g.base.lead = number_of(word, which, 0, nodes_max - 1);
  } else if (word == "--table") {
    g.table = true;
  } else if (word == "--smoke") {
    g.smoke = true;
  } else {
    throw std::invalid_argument("there is no option " + word);
  }
}

}  // namespace

std::vector<setting> settings_of(const std::vector<std::string>& words) {
  given g;
  for (words_left rest(words); !rest.empty();) {
    const std::string& word = rest.pop();
    take(g, word, rest);
  }
  if (g.base.lead >= g.base.nodes) throw std::invalid_argument("there is no such node to lead");
  if (g.base.fault != fault::none) g.base.ttl = fault_ttl;
  std::vector<setting> all{g.base};
  if (g.table) all = whole_table();
  if (g.smoke) all = smoke_test();
  for (setting& s : all) {
    if (g.ttl) s.ttl = *g.ttl;
    if (g.measured) s.measured = *g.measured;
    if (g.runs) s.runs = *g.runs;
  }
  return all;
}

}  // namespace redlock::bench
