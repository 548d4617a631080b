// The scripts, in words of their own.

#include "sim/model_master.h"

#include <algorithm>

namespace redlock::sim {

model_reply model_master::run(const model_call& c, ns now, bool out_of_memory, const quirks& q) {
  if (look(now) == nullptr) key_.reset();
  const bool other_type = key_ && key_->what == stored::kind::other_type;
  const bool equal = key_ && key_->is(c.who, c.attempt);
  switch (c.what) {
    case core::verb::acquire:
      if (other_type) break;
      return equal ? extend(now + c.ttl, q) : acquire(c, now, out_of_memory, q);
    case core::verb::refill:
      if (other_type) break;
      if (equal) return extend(now + c.ttl, q);
      return !key_ ? take(c, now, out_of_memory) : refusal(now);
    case core::verb::renew:
      if (other_type) break;
      if (equal) return extend(now + c.ttl, q);
      return {.said = key_ ? answer::foreign : answer::absent};
    case core::verb::release:
      return release(c, now, q);
  }
  return {.said = answer::foreign};
}

// The key is not what this attempt has set.
model_reply model_master::acquire(const model_call& c, ns now, bool out_of_memory,
                                  const quirks& q) {
  const bool handed =
      key_ && c.released && (q.any_takeover || key_->is(c.released->who, c.released->attempt));
  const bool earlier = key_ && key_->is(c.who) && (key_->attempt < c.attempt || q.any_own_attempt);
  const bool free = !key_ || handed || earlier;
  if (!free && !key_->expires) return {.said = answer::foreign};
  model_queue::told told;
  bool ours = true;
  std::size_t before = 0;
  if (c.queue != core::queueing::none) {
    const std::int64_t now_ms = now / ms;
    queue_.prune(now_ms);
    queue_.clamp(now_ms);
    if (free) told = queue_.wake(now_ms, c.window / ms, c.who, c.listening, {});
    const bool first = queue_.is_first(c.who, c.channel);
    ours = queue_.size() == 0 || first;
    if (!ours) before = queue_.size();
    const bool joins = c.queue == core::queueing::join && (queue_.size() > 0 || !free);
    if (joins && !out_of_memory) {
      before = queue_.join(c.who, c.channel, c.listens, now_ms + c.life / ms);
    }
  }
  model_reply r;
  if (free && ours) {
    r = take(c, now, out_of_memory);
    r.took_over = handed && r.said == answer::granted;
  } else {
    r = {.said = answer::refused, .queued = !ours, .waiting = before};
    if (key_ && key_->expires && !handed) r.key_left = *key_->expires - now;
  }
  r.woken = told.whom;
  r.dropped = told.dropped;
  return r;
}

model_reply model_master::release(const model_call& c, ns now, const quirks& q) {
  const bool equal = key_ && key_->is(c.who, c.attempt);
  const bool free = !key_ || equal;
  model_reply r{.said = key_ ? answer::foreign : answer::absent};
  if (equal || (key_ && q.blind_release && key_->what != stored::kind::other_type)) {
    r = {.said = answer::granted, .changed = true};
    if (!q.idle_release) key_.reset();
  }
  if (c.queue == core::queueing::none) return r;
  const std::int64_t now_ms = now / ms;
  queue_.prune(now_ms);
  if (c.queue == core::queueing::leave) queue_.leave(c.who, c.channel);
  if (free) {
    const auto told =
        queue_.wake(now_ms, c.window / ms, c.who, c.listening, token{c.who, c.attempt});
    r.woken = told.whom;
    r.dropped = told.dropped;
  }
  r.waiting = queue_.size();
  return r;
}

model_reply model_master::refusal(ns now) const noexcept {
  if (!key_->expires) return {.said = answer::foreign};
  return {.said = answer::refused, .key_left = *key_->expires - now};
}

model_reply model_master::take(const model_call& c, ns now, bool out_of_memory) {
  if (out_of_memory) return {.said = answer::error};
  key_ = stored{stored::kind::ours, c.who, c.attempt, now + c.ttl};
  return {.said = answer::granted, .changed = true};
}

model_reply model_master::extend(ns expires, const quirks& q) {
  // A key of ours without an expiry (PERSIST by an operator) counts as one that ends now.
  if (!key_->expires || q.shortening) key_->expires = expires;
  key_->expires = std::max(*key_->expires, expires);
  return {.said = answer::granted, .changed = true};
}

}  // namespace redlock::sim
