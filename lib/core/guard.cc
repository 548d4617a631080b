// What follows from a restart, a promotion, and a step of the clock.

#include "core/guard.h"

#include <algorithm>

#include "core/drift.h"

namespace redlock::core {
namespace {

// How much faster than ours a node's clock may seem to run before that is a step: far more than any
// clock is off, far less than a step that matters.
constexpr int rate_bound = 10;  // one part in so many

// A clock not sampled for so long counts as unwatched.
constexpr nanoseconds watch_gap = std::chrono::seconds{1};

// By how much the line above which no sample may lie has risen since time 0.
nanoseconds rise(time_point at) noexcept { return at.time_since_epoch() / rate_bound; }

}  // namespace

void guard::on_set_up(const introduction& who, time_point now) noexcept {
  enrolled_ = false;
  told_ = who.told;
  durable_ = who.durable;
  if (!who.told) {
    // Each of its connections may be the first to another process.
    contacted_ = now;
    born_by_.reset();
    return;
  }
  contacted_.reset();
  if (who.changed) changed_ = now;
  // Of one process the youngest age that it ever gave: its uptime follows its wall clock.
  const time_point born_by = now - who.uptime;
  born_by_ = born_by_ && !who.changed ? std::max(*born_by_, born_by) : born_by;
  // What we have found outlasts the server's own memory of it, which ends with its backlog or with
  // a restart.
  if (who.promoted && (!promoted_ || who.changed || who.again)) promoted_ = now;
}

clock_change guard::on_sample(const clock_sample& s) noexcept {
  if (!terms_.clocks) return clock_change::none;
  const nanoseconds at_most = s.shown - s.sent.time_since_epoch();
  const nanoseconds at_least = s.shown - s.received.time_since_epoch();
  const bool watched = last_ && s.received - *last_ <= watch_gap;
  const nanoseconds since = last_ ? s.received - *last_ : nanoseconds{0};
  clock_change seen = clock_change::none;
  if (line_ && at_least > *line_ + rise(s.received)) {
    seen = clock_change::forward;
    note_step(at_least - *ahead_at_least_, s.received);
    line_.reset();
  } else if (ahead_at_least_ && at_most < *ahead_at_least_ - since / rate_bound) {
    seen = clock_change::back;
    step_ = at_most - *ahead_at_least_;
  }
  const nanoseconds height = at_most - rise(s.sent);
  line_ = line_ ? std::min(*line_, height) : height;
  ahead_at_least_ = at_least;
  ahead_at_most_ = at_most;
  last_ = s.received;
  if (!watched) watched_since_ = s.received;
  return seen;
}

bool guard::compare(nanoseconds median, milliseconds max_ttl, time_point now) noexcept {
  if (!ahead_at_least_) return false;
  if (stepped_ && *stepped_ >= watched_since_) return false;
  if (now >= watched_since_ + max_ttl) return false;
  const nanoseconds ahead = *ahead_at_least_ - median;
  if (ahead <= terms_.max_clock_offset) return false;
  note_step(ahead, now);
  return true;
}

void guard::note_step(nanoseconds by, time_point now) noexcept {
  stepped_ = now;
  step_ = by;
  // Whoever locked before the step had enrolled before it: not until that is read again is it known
  // how long its lock may be. [A client that looked just before the other enrolled would go by its
  // own max_ttl, and let itself in beside a longer lock.]
  enrolled_ = false;
}

guard::standing guard::at(milliseconds max_ttl) const noexcept {
  standing worst;
  const auto extend = [&worst](node_guard why, time_point until) {
    if (until > worst.until) worst = {why, until};
  };
  const nanoseconds longest = max_ttl + drift_of(max_ttl, terms_.drift_factor);
  if (terms_.restarts && !durable_) {
    const auto age = std::chrono::ceil<std::chrono::seconds>(longest) + std::chrono::seconds{1};
    if (born_by_) extend(node_guard::restarted, *born_by_ + age);
    if (changed_) extend(node_guard::restarted, *changed_ + longest);
  }
  // Durability does not help where another server may have taken its place (D3).
  if (terms_.restarts && contacted_) extend(node_guard::unverified, *contacted_ + longest);
  if (terms_.restarts && promoted_) extend(node_guard::promoted, *promoted_ + longest);
  if (stepped_) extend(node_guard::clock_stepped, *stepped_ + longest);
  if (!enrolled_) extend(node_guard::not_enrolled, never);
  return worst;
}

std::optional<nanoseconds> yardstick::length(std::size_t nodes, nanoseconds own) noexcept {
  if (count_ == 0) return {};
  return nodes == 1 ? own : lower_median(std::span(ahead_).first(count_));
}

nanoseconds lower_median(std::span<nanoseconds> offsets) noexcept {
  check(!offsets.empty());
  const auto middle = offsets.begin() + static_cast<std::ptrdiff_t>((offsets.size() - 1) / 2);
  std::ranges::nth_element(offsets, middle);
  return *middle;
}

}  // namespace redlock::core
