// redlock run: holds a lock while CMD runs. The library decides whether it is held; supervisor.h
// deals with CMD; this file is what stands between them.

#include <fmt/format.h>

#include <csignal>
#include <optional>
#include <stop_token>
#include <utility>
#include <variant>

#include "complaint.h"
#include "descriptor.h"
#include "duration.h"
#include "exit_code.h"
#include "program.h"
#include "redlock/lock_manager.h"
#include "request.h"
#include "signals.h"
#include "spawn.h"
#include "supervisor.h"
#include "text.h"
#include "waiting.h"

namespace redlock::tool {
namespace {

// The exit code of CMD; nothing if the lock was lost.
std::optional<int> run_under(lease& l, const program& what, const run_request& r,
                             signal_queue& signals) {
  event over;
  const auto token = l.stop_token();
  const std::stop_callback tell(token, [&over]() noexcept { over.set(); });

  const auto lost = [&] {
    if (l.held() && !token.stop_requested()) return false;
    const auto why = l.failure();
    warn(fmt::format("{} the lock on {}: {}", l.held() ? "losing" : "lost", printable(r.resource),
                     why ? printable(why->message()) : "its time runs out"));
    return true;
  };
  if (lost()) return std::nullopt;

  const pid_t command = spawn(what, {.own = belonging::group, .death_signal = SIGTERM});
  supervisor s(command, signals, {.wake = over.fd(), .must_end = lost, .kill_after = r.kill_after});
  const int status = s.wait();
  // CMD may have ended before we saw that it had to: it was not protected to its end all the same.
  if (s.had_to_end() || lost()) return std::nullopt;
  return status;
}

}  // namespace

int run(const run_request& r) {
  program what = prepare(r.command);  // a command that cannot run needs no lock
  signal_queue signals;               // before the library starts its threads
  lock_manager locks(r.nodes);

  auto outcome = wait_for_lock(locks, r.resource, r.lock, signals);
  if (const auto* by = std::get_if<interrupted>(&outcome)) {
    return exit_code::signal_base + by->signal;
  }
  auto& granted = std::get<result<lease>>(outcome);
  if (!granted) {
    warn(complaint(r.resource, granted.error()));
    return exit_code_of(granted.error().code());
  }

  what.set_variable("REDLOCK_RESOURCE", r.resource);
  what.set_variable("REDLOCK_TOKEN", granted->token());
  const auto status = run_under(*granted, what, r, signals);
  if (!status) return exit_code::lost;
  if (const auto released = granted->release(); !released) {
    warn(fmt::format("cannot release the lock on {}, which ends by itself after at most {}: {}",
                     printable(r.resource), to_text(r.lock.ttl),
                     printable(released.error().message())));
  }
  return *status;
}

}  // namespace redlock::tool
