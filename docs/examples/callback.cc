// Asynchronous: the lock is asked for, and a callback gets the lease.

#include <redlock/redlock.h>

#include <chrono>
#include <cstdio>
#include <future>
#include <memory>
#include <utility>

#include "nodes.h"

using namespace std::chrono_literals;

int main() {
  std::promise<int> exit_code;
  redlock::lock_manager locks(options_from_environment());

  // An operation starts when it is consumed: then() starts it and returns at once. The callback
  // runs on the manager's executor thread, and may block there; others then wait for it.
  locks.acquire_async("report/daily", {.ttl = 10s, .wait = 30s})
      .then([&exit_code](redlock::result<redlock::lease> granted) noexcept {
        if (!granted) {
          std::fprintf(stderr, "not acquired: %s\n", granted.error().message().c_str());
          exit_code.set_value(69);
          return;
        }
        std::printf("working on %d nodes\n", static_cast<int>(granted->nodes_held()));

        // Whoever lets go of the lease releases it. To hear how that ended, keep it until then.
        auto lease = std::make_shared<redlock::lease>(std::move(*granted));
        lease->release_async().then([&exit_code, lease](redlock::result<void> released) noexcept {
          std::printf("released: %s\n", released ? "confirmed" : "unconfirmed");
          exit_code.set_value(0);
        });
      });

  return exit_code.get_future().get();
}
