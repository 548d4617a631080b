// fault_client: a client of the library in a process of its own. `fault_client WORD…`, as
// client_plan::words() gives them. Exits with 0 when the ledger says that it is over.

#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "client_plan.h"
#include "ledger.h"
#include "redlock/redlock.h"
#include "testimony.h"
#include "wander.h"

namespace redlock::fault {
namespace {

using namespace std::chrono_literals;

// Never renews: what it holds, it believes in until its validity ends.
void hold(const client_plan& plan, book& shared) {
  page& mine = shared.pages[plan.page];
  lock_manager locks(plan.options());
  const lock_options o{.ttl = std::chrono::milliseconds(plan.max_ttl_ms),
                       .wait = 100ms,
                       .renewal = renewal::manual()};
  while (static_cast<phase>(shared.now.load()) != phase::end) {
    const result<lease> held = locks.acquire(resource_name(0), o);
    if (!held) {
      ++mine.failures;
      continue;
    }
    ++mine.grants;
    testimony seen(mine, 0);
    bool complete = false;
    while (seen.look(*held) && static_cast<phase>(shared.now.load()) != phase::end) {
      if (!complete && held->nodes_held() == plan.uris.size()) {
        complete = true;
        ++mine.complete;
      }
      std::this_thread::sleep_for(1ms);
    }
    ++mine.losses;
    // Another one's turn: without fairness, whoever lets go and asks at once gets it again.
    const auto turn = clock::now() + o.ttl * 2;
    while (clock::now() < turn && static_cast<phase>(shared.now.load()) != phase::end) {
      std::this_thread::sleep_for(1ms);
    }
  }
}

int run(const std::vector<std::string>& words) {
  try {
    const client_plan plan = client_plan::of(words);
    const ledger shared(plan.ledger);
    if (plan.role == "hold") {
      hold(plan, *shared);
    } else {
      wanderer(plan, *shared).run();
    }
    return 0;
  } catch (const std::exception& e) {
    std::cerr << "fault_client: " << e.what() << '\n';
    return 1;
  }
}

}  // namespace
}  // namespace redlock::fault

int main(int count, char** words) { return redlock::fault::run({words + 1, words + count}); }
