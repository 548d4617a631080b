// Tokens that change hands: a claim that lets go of its keys without releasing them, one that takes
// such keys up, and one that only takes them back.

#include <algorithm>

#include "core/claim.h"

namespace redlock::core {

void claim::adopt(attempt_id k, time_point now, outbox& out) noexcept {
  enter(entry::adopt, k, now, out);
}

void claim::take_back(attempt_id k, time_point now, outbox& out) noexcept {
  enter(entry::take_back, k, now, out);
}

void claim::enter(entry how, attempt_id k, time_point now, outbox& out) noexcept {
  check(state_ == state::idle && k > 0);
  entry_ = how;
  attempt_ = k;
  terms_.wait = nanoseconds{0};  // one round, whatever becomes of it
  if (how == entry::take_back) expect_keys_everywhere(now);
  started_ = now;
  contact(now, out);
}

// Nothing is sent, and nothing owed: whoever has the token now counts on the keys. Also when the
// claim has found itself lost meanwhile: it may have been adopted already.
void claim::detach() noexcept {
  check(state_ == state::held || state_ == state::lost);
  state_ = state::ended;
  round_kind_ = round_kind::none;
  why_ = errc::not_held;
  touched_ = {};
}

void claim::open_adoption(time_point now, outbox& out) noexcept {
  state_ = state::adopting;
  open_round(round_kind::renew, terms_.ttl, now);
  ask_all(verb::renew, out);
}

void claim::settle_adoption(time_point now, outbox& out) noexcept {
  if (ballot_.result() == verdict::lost) {
    give_up(why_not_renewed(), out);
    return;
  }
  const time_point valid_until = confirmed_by(round_start_, round_ttl_);
  if (!leaves_enough(valid_until, now)) {
    give_up(errc::too_slow, out);
    return;
  }
  expect_keys_everywhere(now);
  hold(valid_until, now, out);
}

// The handle before may have set the key on any node, for as long as any client may.
void claim::expect_keys_everywhere(time_point now) noexcept {
  touched_ = node_set::first(terms_.nodes);
  const milliseconds longest = std::max(terms_.ttl, terms_.max_ttl);
  for (const node_id n : touched_) debts_[n].key_may_stand(gone_by(now, longest));
}

}  // namespace redlock::core
