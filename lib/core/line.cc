// Who may compete, and who comes next.

#include "core/line.h"

namespace redlock::core {
namespace {

// For how long a process may hand a resource on within itself before it gives the waiters of others
// a chance: they cannot see that it is free for a moment.
constexpr nanoseconds keep_max = milliseconds{100};

}  // namespace

bool line::enter(place& p, bool waits) noexcept {
  check(p.spot_ == place::spot::outside);
  if (!waits) {
    if (first_ != nullptr || waiter_ != nullptr) return false;
    enter_in_front(p);
    return true;
  }
  if (in_front_ > 0 || first_ != nullptr) {
    append(p);
    return false;
  }
  enter_in_front(p);
  waiter_ = &p;
  return true;
}

void line::enter_in_front(place& p) noexcept {
  check(p.spot_ == place::spot::outside);
  p.spot_ = place::spot::in_front;
  ++in_front_;
}

void line::on_served(const place& p) noexcept {
  if (waiter_ == &p) waiter_ = nullptr;
}

void line::leave(place& p, bool held, time_point now) noexcept {
  if (p.spot_ == place::spot::behind) unlink(p);
  if (p.spot_ == place::spot::in_front) {
    --in_front_;
    on_served(p);
    if (!held) kept_since_.reset();
    if (held && !kept_since_) kept_since_ = now;
    late_ = held && now - *kept_since_ >= keep_max;
    if (late_) kept_since_.reset();
  }
  p.spot_ = place::spot::outside;
}

line::turn line::next() noexcept {
  if (!is_due()) return {};
  place& p = *first_;
  unlink(p);
  p.spot_ = place::spot::outside;
  enter_in_front(p);
  waiter_ = &p;
  return {.whose = &p, .late = std::exchange(late_, false)};
}

void line::append(place& p) noexcept {
  p.spot_ = place::spot::behind;
  p.before_ = std::exchange(last_, &p);
  (p.before_ != nullptr ? p.before_->after_ : first_) = &p;
}

void line::unlink(place& p) noexcept {
  (p.before_ != nullptr ? p.before_->after_ : first_) = p.after_;
  (p.after_ != nullptr ? p.after_->before_ : last_) = p.before_;
  p.before_ = p.after_ = nullptr;
}

}  // namespace redlock::core
