// The passes of a debt.

#include "core/debt.h"

#include <algorithm>

namespace redlock::core {
namespace {

// Passes end with the life of the key, at most an hour or so; 2^12 node time-outs are longer.
constexpr std::uint8_t doublings_max = 12;

}  // namespace

debt::request debt::owe(attempt_id k, bool up) noexcept {
  check(k > last_);
  if (settled()) confirmed_ = k - 1;
  last_ = k;
  if (!up) return {};
  // A pass that is due takes k in at its time. Put off by every new attempt, it would never start.
  if (asked_ == 0 && again_ == never) asked_ = k;
  return k;
}

void debt::forget(attempt_id k, time_point now) noexcept {
  if (k != last_ || settled()) return;
  last_ = k - 1;
  if (settled()) {
    settle();
  } else if (asked_ >= k) {
    asked_ = 0;
    again_ = now;
  }
}

debt::request debt::on_answer(attempt_id k, answer a, bool up, nanoseconds node_timeout,
                              time_point now) noexcept {
  if (!owes(k)) return {};
  const bool deleted = a == answer::granted;
  const bool gone = deleted || a == answer::absent || a == answer::foreign;
  const bool final = gone && now >= (deleted ? doubled_until_ : unsure_until_);
  if (final && k == confirmed_ + 1) confirmed_ = k;
  if (settled()) {
    settle();
    return {};
  }
  if (k != asked_) return {};
  if (!up) {
    end_pass();
    return {};
  }
  if (gone && asked_ < last_) return ++asked_;
  end_pass();
  again_ = now + node_timeout * (1 << passes_);
  passes_ = std::min<std::uint8_t>(static_cast<std::uint8_t>(passes_ + 1), doublings_max);
  return {};
}

debt::request debt::on_up() noexcept { return settled() ? request{} : start_pass(); }

debt::request debt::on_wake(bool up, time_point now) noexcept {
  if (settled()) return {};
  if (now >= until_) {
    settle();
    return {};
  }
  if (now < again_) return {};
  again_ = never;
  return up ? start_pass() : request{};  // else on_up() starts it
}

time_point debt::wake() const noexcept { return settled() ? never : std::min(again_, until_); }

debt::request debt::start_pass() noexcept {
  again_ = never;
  asked_ = confirmed_ + 1;
  return asked_;
}

void debt::end_pass() noexcept {
  asked_ = 0;
  again_ = never;
}

void debt::settle() noexcept {
  end_pass();
  confirmed_ = last_;
  passes_ = 0;
}

}  // namespace redlock::core
