// The asking and the counting.

#include "io/survey.h"

#include <algorithm>

#include "io/driver.h"

namespace redlock::io {

survey::survey(driver& where, std::string key, callback then)
    : driver_(where), key_(std::move(key)), then_(std::move(then)) {}

survey::~survey() {
  core::check(pending_ == 0);
  driver_.timers().clear(*this);
}

void survey::start(core::time_point now) noexcept {
  const core::reach reach = driver_.reach();
  const std::size_t count = driver_.config().nodes.size();
  found_.quorum = driver_.config().quorum;
  found_.nodes.resize(count);
  for (core::node_id n = 0; n < count; ++n) {
    node& at = driver_.node_at(n);
    found_.nodes[n].node = at.name();
    if (at.is_up() || at.is_fresh()) {
      // What nobody answers in time has timed out, unless it is heard of otherwise.
      found_.nodes[n].answer = answer::timed_out;
      at.enqueue(*this, script::inspect, {.node = n});
      ++pending_;
    } else {
      found_.nodes[n].answer = at.absence();
      found_.nodes[n].text = at.last_error();
    }
  }
  const auto contact =
      reach.fresh.empty() ? core::nanoseconds{0} : driver_.config().connect_timeout;
  driver_.timers().set(*this, now + contact + driver_.config().node_timeout);
  if (pending_ == 0) end();
}

void survey::on_settled(const core::command& c, const node_reply& r,
                        core::time_point /*now*/) noexcept {
  --pending_;
  if (!ended_) {
    node_holding& h = found_.nodes[c.node];
    h.answer = r.answer;
    if (r.answer == answer::unsent) {  // its set-up came to nothing
      h.answer = driver_.node_at(c.node).absence();
    }
    if (r.answer == answer::granted) {
      h.token = r.text;
      h.ttl = r.key_left;
    } else {
      h.text = r.text;
    }
    if (pending_ == 0) end();
  }
  if (is_finished()) driver_.retire(*this);
}

void survey::on_time(core::time_point /*now*/) noexcept { end(); }

void survey::close() noexcept {
  if (ended_) return;
  ended_ = true;
  then_(errc::shut_down);
  if (is_finished()) driver_.retire(*this);
}

void survey::end() noexcept {
  if (ended_) return;
  ended_ = true;
  count();
  then_(std::move(found_));
  if (is_finished()) driver_.retire(*this);
}

void survey::count() noexcept {
  std::size_t silent = 0;
  std::string most;
  for (const node_holding& h : found_.nodes) {
    if (h.answer != answer::granted) {
      if (h.answer != answer::absent && h.answer != answer::foreign) ++silent;
      continue;
    }
    const auto same = static_cast<std::size_t>(
        std::count_if(found_.nodes.begin(), found_.nodes.end(), [&](const node_holding& other) {
          return other.answer == answer::granted && other.token == h.token;
        }));
    if (same > found_.votes) {
      found_.votes = same;
      most = h.token;
    }
  }
  const bool held = found_.votes >= found_.quorum;
  if (held) found_.token = std::move(most);
  found_.known = held || found_.votes + silent < found_.quorum;
}

}  // namespace redlock::io
