// redlock acquire, redlock renew: a lease that is given away by its token as soon as it is there.

#include <algorithm>
#include <chrono>
#include <thread>
#include <variant>

#include "complaint.h"
#include "exit_code.h"
#include "redlock/lock_manager.h"
#include "request.h"
#include "signals.h"
#include "text.h"
#include "token_text.h"
#include "waiting.h"

namespace redlock::tool {
namespace {

// Gives the nodes that are up or on their way, but were not among the quorum, one node time-out to
// get the key too: once detached, the lease fills nobody up any more.
void fill_up(const lock_manager& locks, const lease& held, std::chrono::nanoseconds at_most) {
  const auto may_get_it = [](const node_status& n) {
    return n.state == node_state::up || n.state == node_state::connecting;
  };
  const auto end = clock::now() + at_most;
  for (;;) {
    const auto nodes = locks.nodes();
    const auto most = std::count_if(nodes.begin(), nodes.end(), may_get_it);
    if (held.nodes_held() >= static_cast<std::size_t>(most) || clock::now() >= end) return;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
}

int give_away(lease held, std::string_view resource) {
  const auto token = held.detach();
  if (!token) throw failed_on(resource, token.error());
  return exit_code::ok;
}

}  // namespace

int acquire(const acquire_request& r) {
  signal_queue signals;  // before the library starts its threads
  lock_manager locks(r.nodes);
  auto outcome = wait_for_lock(locks, r.resource, r.lock, signals);
  if (const auto* by = std::get_if<interrupted>(&outcome)) {
    return exit_code::signal_base + by->signal;
  }
  auto& granted = std::get<result<lease>>(outcome);
  if (!granted) throw failed_on(r.resource, granted.error());
  fill_up(locks, *granted, r.nodes.node_timeout);
  // Printed before it is given away: a token that nobody could read is released.
  print(r.json ? as_json(*granted) : std::string(granted->token()) + "\n");
  return give_away(std::move(*granted), r.resource);
}

int renew(const renew_request& r) {
  lock_manager locks(r.nodes);
  auto adopted = locks.adopt(r.resource, r.token, r.lock);
  if (!adopted) throw failed_on(r.resource, adopted.error());
  fill_up(locks, *adopted, r.nodes.node_timeout);
  const std::string text = r.json ? as_json(*adopted) : std::string();
  const int code = give_away(std::move(*adopted), r.resource);  // even if the output is lost
  print(text);
  return code;
}

}  // namespace redlock::tool
