// One acquire, ended by its outcome or cut short by a signal.

#include "waiting.h"

#include <csignal>
#include <optional>
#include <stop_token>
#include <utility>

#include "descriptor.h"

namespace redlock::tool {

std::variant<interrupted, result<lease>> wait_for_lock(lock_manager& locks,
                                                       const std::string& resource, lock_options o,
                                                       signal_queue& signals) {
  std::stop_source stop;
  o.stop = stop.get_token();

  event ended;
  std::optional<result<lease>> outcome;
  locks.acquire_async(resource, o).then([&](result<lease> given) noexcept {
    outcome.emplace(std::move(given));
    ended.set();  // from here on this frame may be gone
  });

  std::optional<int> signal;
  while (!ended.is_set()) {
    while (const auto s = signals.next()) {
      if (*s == SIGCHLD) continue;
      if (!signal) signal = s;
      stop.request_stop();
    }
    signals.wait(ended.fd(), std::nullopt);
  }
  // Granted all the same, perhaps: nobody wants it now, and the lease releases as it is destroyed.
  if (signal) return interrupted{*signal};
  return std::move(*outcome);
}

}  // namespace redlock::tool
