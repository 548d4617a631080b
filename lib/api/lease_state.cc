// Both sides of a lease's shared state: the handle's first, then the ticket's.

#include "api/lease_state.h"

#include "io/random.h"

namespace redlock::detail {
namespace {

// Of one lease at once.
constexpr std::size_t renewals_max = 1024;

clock::rep ticks(core::time_point t) noexcept { return t.time_since_epoch().count(); }

}  // namespace

lease_state::lease_state(std::shared_ptr<runtime> where, std::string resource)
    : runtime_(std::move(where)), resource_(std::move(resource)) {}

// ---- any thread ----

void lease_state::acquire(const core::terms& terms, origin from, std::stop_token stop,
                          waiter<lease> w) {
  const bool taken =
      runtime_->driver().post([self = shared_from_this(), terms, from = std::move(from), stop, w] {
        self->acquiring_ = w;
        self->start(terms, from, stop);
      });
  if (!taken) runtime_->deliver(w, result<lease>(errc::shut_down));
}

void lease_state::renew(waiter<void> w) {
  if (auto ended = why()) {
    runtime_->deliver(w, result<void>(std::move(*ended)));
    return;
  }
  const bool taken = runtime_->driver().post([self = shared_from_this(), w] {
    if (self->renewing_.size() >= renewals_max) {
      self->runtime_->deliver(w, result<void>(failure(errc::overloaded, "1,024 renewals wait")));
    } else if (self->ticket_ != nullptr && self->ticket_->is_held()) {
      self->renewing_.push_back(w);
      self->ticket_->renew(clock::now());
    } else {
      self->runtime_->deliver(w, result<void>(self->why().value_or(errc::lost)));
    }
  });
  if (!taken) runtime_->deliver(w, result<void>(errc::shut_down));
}

void lease_state::release(waiter<void> w) {
  const bool held = clock::now() < valid_until();
  std::optional<std::stop_source> source;
  // First of all it stops being held: no release is sent before (R4).
  if (!end(held ? errc::not_held : errc::lost, source, ended_by::release)) {
    runtime_->deliver(w, result<void>(why().value_or(errc::not_held)));
    return;
  }
  signal_and(source, [this, w, held] {
    const bool taken = runtime_->driver().post([self = shared_from_this(), w, held] {
      if (held) {
        self->start_release(w);
        return;
      }
      self->let_go();
      self->runtime_->deliver(w, result<void>(errc::lost));
    });
    if (!taken) runtime_->deliver(w, result<void>(held ? errc::shut_down : errc::lost));
  });
}

// What the loop is about to write for it is not written any more from here on (N1, R5).
result<std::string> lease_state::detach() {
  std::optional<std::stop_source> source;
  const bool held = clock::now() < valid_until();
  if (!held || !end(failure(errc::not_held, "detached"), source, ended_by::detach)) {
    return why().value_or(errc::not_held);
  }
  signal_and(source, [this] {
    runtime_->driver().post([self = shared_from_this()] {
      self->end_renewals(errc::not_held);
      if (self->ticket_ != nullptr) self->ticket_->notice_detached(clock::now());
    });
  });
  return token_;
}

void lease_state::abandon() noexcept {
  std::optional<std::stop_source> source;
  if (!end(errc::not_held, source, ended_by::release)) return;
  signal_and(source, [this] {
    try {
      runtime_->driver().post([self = shared_from_this()] { self->let_go(); });
    } catch (const std::bad_alloc&) {
      release_due_ = false;  // it is not: the next renewal finds the lease lost, and releases
    }
  });
}

// Signals stop on this thread, with no lock held, and does the rest as soon as stop_requested() is
// true: libstdc++ runs the callback that was registered last before the user's, which may take
// their time. Where another order is chosen, the rest comes later, and is right all the same.
template <class F>
void lease_state::signal_and(const std::optional<std::stop_source>& source, F rest) {
  if (!source) {
    rest();
    return;
  }
  const std::stop_callback stopped(source->get_token(), std::move(rest));
  source->request_stop();
}

clock::time_point lease_state::valid_until() const noexcept {
  clock::rep until = valid_until_.load();
  while (until != 0) {
    if (ticks(clock::now()) < until && !in_child()) {
      return clock::time_point{clock::duration{until}};
    }
    if (valid_until_.compare_exchange_weak(until, 0)) return {};
  }
  return {};
}

std::stop_token lease_state::stop_token() {
  std::stop_source late;
  if (in_child()) {  // where the mutex may be locked for ever
    late.request_stop();
    return late.get_token();
  }
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return stop_->get_token();
    stop_.emplace();
    if (!ended_) return stop_->get_token();
    late = *stop_;
  }
  late.request_stop();
  return late.get_token();
}

std::optional<failure> lease_state::why() const {
  if (in_child()) return failure(errc::lost, "held by the parent of this process");
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return ended_;
  }
  if (valid_until() == clock::time_point{}) return failure(errc::lost);
  return {};
}

// False if it had ended before. Gives the stop source, if anybody ever asked for the token.
bool lease_state::end(failure why, std::optional<std::stop_source>& to_signal, ended_by whom) {
  const std::lock_guard lock(mutex_);
  if (!ended_) {  // before the loop can see the 0
    release_due_ = whom != ended_by::loop;
    detached_ = whom == ended_by::detach;
  }
  valid_until_.store(0);
  nodes_held_.store(0);
  if (ended_) return false;
  ended_ = std::move(why);
  to_signal = stop_;
  return true;
}

// ---- the loop thread ----

template <class T>
void lease_state::deliver(std::optional<waiter<T>>& to, result<T> r) {
  if (!to) return;
  const waiter<T> w = *to;
  to.reset();
  runtime_->deliver(w, std::move(r));
}

void lease_state::start(const core::terms& terms, origin from, std::stop_token stop) {
  io::driver& driver = runtime_->driver();
  if (driver.is_closing()) {
    deliver(acquiring_, result<lease>(errc::shut_down));
    return;
  }
  const core::attempt_id adopted = from.attempt;
  ticket_ = driver.open(terms, adopted != 0 ? from.who : io::draw_base(),
                        driver.config().key_prefix + resource_, std::move(from.token),
                        shared_from_this());
  if (ticket_ == nullptr) {
    deliver(acquiring_,
            result<lease>(
                failure(errc::overloaded, "options::max_leases operations and leases at once")));
    return;
  }
  if (adopted != 0) {
    ticket_->adopt(adopted, clock::now());
  } else {
    ticket_->acquire(clock::now());
  }
  if (!acquiring_ || !stop.stop_possible()) return;
  // Only hands over: the stop may be requested on any thread, this one included.
  cancel_ = std::make_unique<stop_hook>(std::move(stop), [self = weak_from_this()] {
    const auto alive = self.lock();
    if (!alive) return;
    alive->runtime_->driver().post([alive] {
      if (alive->ticket_ != nullptr) alive->ticket_->cancel(clock::now());
    });
  });
}

void lease_state::start_release(waiter<void> w) {
  end_renewals(errc::not_held);
  if (ticket_ == nullptr || ticket_->is_ended()) {  // it came to its end while this was on its way
    const bool closed = runtime_->driver().is_closing();
    runtime_->deliver(w, result<void>(closed ? errc::shut_down : errc::lost));
  } else if (ticket_->is_lost()) {
    ticket_->release(clock::now());
    runtime_->deliver(w, result<void>(errc::lost));
  } else {
    releasing_.push_back(w);
    if (ticket_->is_held()) ticket_->release(clock::now());
  }
}

// Releases, and tells nobody.
void lease_state::let_go() {
  end_renewals(errc::not_held);
  if (ticket_ != nullptr && (ticket_->is_held() || ticket_->is_lost())) {
    ticket_->release(clock::now());
  }
}

void lease_state::on_acquired(std::string_view token, core::time_point valid_until) noexcept {
  cancel_.reset();
  token_ = token;
  valid_until_.store(ticks(valid_until));
  deliver(acquiring_, result<lease>(lease(shared_from_this())));
}

void lease_state::on_gave_up(failure why) noexcept {
  cancel_.reset();
  deliver(acquiring_, result<lease>(std::move(why)));
}

bool lease_state::on_renewed(core::time_point valid_until) noexcept {
  clock::rep before = valid_until_.load();
  do {
    if (before == 0 && release_due_) {  // let go in this moment: nothing is lost
      end_renewals(errc::not_held);
      return true;
    }
    if (before == 0) return false;
  } while (!valid_until_.compare_exchange_weak(before, ticks(valid_until)));
  end_renewals({});
  return true;
}

void lease_state::on_renew_failed(failure why) noexcept { end_renewals(std::move(why)); }

void lease_state::on_nodes_held(std::size_t count) noexcept { nodes_held_.store(count); }

void lease_state::on_expiring() noexcept {
  end_renewals(failure(errc::too_slow, "the stop signal came before a quorum confirmed"));
  std::optional<std::stop_source> source;
  {
    const std::lock_guard lock(mutex_);
    source = stop_;
    // Whoever asks for the token from here on finds it stopped.
    if (!stop_) stop_.emplace().request_stop();
  }
  if (source) runtime_->signal([source = *source]() mutable { source.request_stop(); });
}

bool lease_state::on_lost(failure why) noexcept {
  std::optional<std::stop_source> source;
  const bool first = end(why, source, ended_by::loop);
  end_renewals(std::move(why));  // after the end: whoever hears of the loss must not find it held
  return first ? signal_then_release(source) : !release_due_;
}

bool lease_state::on_closing() noexcept {
  closing_ = true;
  runtime_->expect_release();
  std::optional<std::stop_source> source;
  const bool first = end(errc::shut_down, source, ended_by::loop);
  end_renewals(errc::shut_down);
  return first ? signal_then_release(source) : !release_due_;
}

// True if nobody listens. Else the release follows as soon as stop_requested() is true.
bool lease_state::signal_then_release(const std::optional<std::stop_source>& source) {
  if (!source || source->stop_requested()) return true;
  runtime_->signal([self = shared_from_this(), source] {
    self->signal_and(source, [self] {
      self->runtime_->driver().post([self] {
        if (self->ticket_ != nullptr) self->ticket_->stop_signalled(clock::now());
      });
    });
  });
  return false;
}

void lease_state::on_released(bool confirmed, failure why) noexcept {
  if (confirmed && closing_) runtime_->release_confirmed();
  std::vector<waiter<void>> waiting;
  waiting.swap(releasing_);
  for (const waiter<void>& w : waiting) {
    runtime_->deliver(w, confirmed ? result<void>{} : result<void>(why));
  }
}

void lease_state::on_retired() noexcept {
  ticket_ = nullptr;
  cancel_.reset();
  deliver(acquiring_, result<lease>(errc::shut_down));
  end_renewals(detached_ ? errc::not_held : errc::shut_down);
  on_released(false, errc::shut_down);
}

void lease_state::end_renewals(const result<void>& how) {
  std::vector<waiter<void>> waiting;
  waiting.swap(renewing_);
  for (const waiter<void>& w : waiting) runtime_->deliver(w, how);
}

}  // namespace redlock::detail
