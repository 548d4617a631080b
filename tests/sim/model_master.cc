// The scripts, in words of their own.

#include "sim/model_master.h"

#include <algorithm>

namespace redlock::sim {

model_reply model_master::run(core::verb what, const core::base& who, core::attempt_id attempt,
                              ns ttl, ns now, bool out_of_memory, const quirks& q) {
  if (look(now) == nullptr) key_.reset();
  if (key_ && key_->what == stored::kind::other_type) return {.said = answer::foreign};
  const bool equal = key_ && key_->is(who, attempt);
  const bool earlier =
      key_ && key_->is(who) && (key_->attempt < attempt || q.any_own_attempt) && !equal;
  switch (what) {
    case core::verb::acquire:
      if (equal) return extend(now + ttl, q);
      return !key_ || earlier ? take(who, attempt, now + ttl, out_of_memory) : refusal(now);
    case core::verb::refill:
      if (equal) return extend(now + ttl, q);
      return !key_ ? take(who, attempt, now + ttl, out_of_memory) : refusal(now);
    case core::verb::renew:
      if (equal) return extend(now + ttl, q);
      return {.said = key_ ? answer::foreign : answer::absent};
    case core::verb::release:
      if (!equal && !(key_ && q.blind_release)) {
        return {.said = key_ ? answer::foreign : answer::absent};
      }
      if (!q.idle_release) key_.reset();
      return {.said = answer::granted, .changed = true};
  }
  return {};
}

model_reply model_master::refusal(ns now) const noexcept {
  if (!key_->expires) return {.said = answer::foreign};
  return {.said = answer::refused, .key_left = *key_->expires - now};
}

model_reply model_master::take(const core::base& who, core::attempt_id attempt, ns expires,
                               bool out_of_memory) {
  if (out_of_memory) return {.said = answer::error};
  key_ = stored{stored::kind::ours, who, attempt, expires};
  return {.said = answer::granted, .changed = true};
}

model_reply model_master::extend(ns expires, const quirks& q) {
  // A key of ours without an expiry (PERSIST by an operator) counts as one that ends now.
  if (!key_->expires || q.shortening) key_->expires = expires;
  key_->expires = std::max(*key_->expires, expires);
  return {.said = answer::granted, .changed = true};
}

}  // namespace redlock::sim
