// redlock-storm: random faults on five masters while eight client processes take, renew, lose and
// give back locks. The last line is "violations: N". Exit: 0 if N is 0, 1 if not; any other code if
// it could not be run.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <iostream>

#include "client_plan.h"
#include "ground.h"
#include "storm.h"

namespace redlock::fault {
namespace {

int run(int count, char** words) {
  CLI::App app("Random faults on real Redis servers, and an oracle.", "redlock-storm");
  std::int64_t seconds = 60;
  client_plan plan{.seed = 1};
  bool without_restart_guard = false;
  bool without_clock_guard = false;
  app.add_option("--seconds", seconds, "how long it rages")->check(CLI::Range(1, 86'400));
  app.add_option("--seed", plan.seed, "from which all faults are drawn");
  app.add_flag("--no-restart-guard", without_restart_guard,
               "let restarted nodes vote: finds violations, sooner or later");
  app.add_flag("--no-clock-guard", without_clock_guard,
               "let nodes vote whose clock leapt: finds violations, sooner or later");
  CLI11_PARSE(app, count, words);
  plan.restart_guard = !without_restart_guard;
  plan.clock_guard = !without_clock_guard;

  std::cout << "seed: " << plan.seed << ", seconds: " << seconds << std::endl;
  ground where(plan);
  storm over(plan, where);
  over.rage(std::chrono::seconds(seconds));
  over.calm_down();
  over.report();
  return over.violations() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace redlock::fault

int main(int count, char** words) {
  try {
    return redlock::fault::run(count, words);
  } catch (const std::exception& e) {
    std::cerr << "redlock-storm: " << e.what() << '\n';
    return 2;
  }
}
