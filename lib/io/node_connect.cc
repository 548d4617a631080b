// How a node gets its connection, and what becomes of everything when it loses it.

#include <uv.h>

#include <algorithm>
#include <cstring>

#include "io/driver.h"
#include "io/node.h"
#include "io/resolver.h"
#include "io/uv_handle.h"

namespace redlock::io {
namespace {

constexpr core::nanoseconds rest_min = core::milliseconds{10};
constexpr core::nanoseconds rest_max = core::milliseconds{1000};

// Doubles with every failure in a row; half of it is random, so that clients that lost a node
// together do not come back together.
core::nanoseconds rest_after(std::uint32_t failures, std::uint64_t random) noexcept {
  const std::uint32_t doublings = std::min<std::uint32_t>(failures, 7);
  const core::nanoseconds longest = std::min(rest_max, rest_min * (1 << doublings));
  const auto half = static_cast<std::uint64_t>(longest.count() / 2);
  return core::nanoseconds{static_cast<std::int64_t>(half + random % (half + 1))};
}

}  // namespace

void node::poll_closer::operator()(uv_poll_s* handle) const noexcept {
  uv_closer<uv_poll_t>{}(handle);
}

void node::start(core::time_point now) noexcept { connect(now); }

void node::connect(core::time_point now) noexcept {
  state_ = state::resolving;
  deadline_ = now + driver_.config().connect_timeout;
  driver_.timers().set(*this, deadline_);
  publish();
  next_address_ = 0;
  addresses_ = where_.unix_path.empty() ? numeric_addresses(where_.host, where_.port)
                                        : unix_addresses(where_.unix_path);
  const bool needs_addresses = addresses_.empty() && where_.unix_path.empty();
  if (needs_addresses || driver_.config().credentials) {
    look_around(needs_addresses);
  } else {
    who_ = {where_.username, where_.password};
    try_next_address(now);
  }
}

// What may block. One at a time, however long it takes; what comes late serves the connection that
// is due then.
void node::look_around(bool for_addresses) noexcept {
  if (std::exchange(looking_up_, true)) return;
  std::function<credentials()> ask;
  if (const auto& whom = driver_.config().credentials) {
    ask = [whom, where = where_] { return whom(where); };
  }
  const auto then = [this, for_addresses](lookup found) {
    looking_up_ = false;
    if (state_ != state::resolving) return;
    const core::time_point later = clock::now();
    const bool given = static_cast<bool>(driver_.config().credentials);
    who_ = given ? std::move(found.who) : credentials{where_.username, where_.password};
    if (for_addresses) addresses_ = std::move(found.addresses);
    if (!found.error.empty()) {
      fail(std::move(found.error), answer::unreachable, later);
    } else {
      try_next_address(later);
    }
  };
  look_up(for_addresses ? where_.host : std::string(), where_.port, driver_.mail(), then,
          std::move(ask));
}

void node::try_next_address(core::time_point now) noexcept {
  disconnect();
  state_ = state::connecting;
  std::string why = "no address to connect to";
  while (next_address_ < addresses_.size()) {
    // Each address gets its share of the time: one that swallows everything must not take it all.
    const auto left = static_cast<std::int64_t>(addresses_.size() - next_address_);
    driver_.timers().set(*this, now + (deadline_ - now) / left);
    const int error = stream_.connect(addresses_[next_address_++]);
    if (error == 0) {
      if (poll(UV_WRITABLE)) return;
      why = "cannot watch the socket";
    } else {
      why = std::string("cannot connect: ") + std::strerror(error);
    }
  }
  fail(std::move(why), answer::unreachable, now);
}

bool node::poll(int events) noexcept {
  auto handle = std::make_unique<uv_poll_t>();
  handle->data = this;
  if (uv_poll_init(driver_.loop(), handle.get(), stream_.fd()) != 0) return false;
  poll_.reset(handle.release());  // from here on the loop knows it, and must close it
  return watch(events);
}

void node::on_connected(core::time_point now) noexcept {
  if (const int error = stream_.connect_error(); error != 0) {
    if (next_address_ < addresses_.size()) {
      try_next_address(now);
    } else {
      fail(std::string("cannot connect: ") + std::strerror(error), answer::unreachable, now);
    }
    return;
  }
  state_ = state::setting_up;
  driver_.timers().set(*this, deadline_);
  reader_ = std::make_unique<reader>();
  steps_done_ = 0;
  write_setup(now);
  if (!watch(UV_READABLE)) {
    fail("cannot watch the socket", answer::unreachable, now);
    return;
  }
  write(now);
}

// Every way in which a connection ends, or does not come about.
void node::fail(std::string why, answer absence, core::time_point now) noexcept {
  fresh_ = false;
  rest(std::move(why), absence, now);
}

void node::rest(std::string why, answer absence, core::time_point now) noexcept {
  disconnect();
  health_.on_down();
  listener_.stop();
  state_ = state::resting;
  absence_ = absence;
  last_error_ = std::move(why);
  driver_.timers().set(*this, now + rest_after(failures_++, driver_.random()));
  publish();
  // In this order: whoever reacts to a lost command must know already that the node is gone.
  driver_.on_reach_changed(now);
  settle_all(now);
}

void node::disconnect() noexcept {
  ++generation_;
  poll_.reset();
  stream_.close();
  reader_.reset();
  watched_ = 0;
  out_.clear();
  taken_ = 0;
  blocked_ = false;
  silent_ = false;
}

void node::settle_all(core::time_point now) noexcept {
  while (!pending_.empty()) {
    settle(pending_.pop().q, {.answer = answer::unreachable, .text = last_error_}, now);
  }
  settle_queued(now);
}

// Only what is there now: a node that is still fresh may be asked for more.
void node::settle_queued(core::time_point now) noexcept {
  for (std::size_t left = queue_.size(); left > 0; --left) {
    settle(queue_.pop(), {.answer = answer::unsent, .text = last_error_}, now);
  }
}

void node::stop(core::time_point now) noexcept {
  disconnect();
  health_.on_down();
  listener_.stop();
  state_ = state::idle;
  fresh_ = false;
  last_error_ = "the lock_manager was closed";
  driver_.timers().clear(*this);
  publish();
  driver_.on_reach_changed(now);
  settle_all(now);
}

void node::on_time(core::time_point now) noexcept {
  switch (state_) {
    case state::idle:
      break;
    case state::resolving:
      fail(driver_.config().credentials ? "the credentials did not come in time"
                                        : "the name was not resolved in time",
           answer::unreachable, now);
      break;
    case state::connecting:
      if (next_address_ < addresses_.size()) {
        try_next_address(now);
      } else {
        fail("the connection was not made in time", answer::unreachable, now);
      }
      break;
    case state::setting_up:
      fail("the server did not answer in time", answer::unreachable, now);
      break;
    case state::resting:
      connect(now);
      break;
    case state::up:
      if (!pending_.empty()) watch_silence(now);
      break;
  }
}

// One that does not answer for a node time-out leads nobody any more (G3); one that is hung gets a
// new connection (D5).
void node::watch_silence(core::time_point now) noexcept {
  const core::time_point hung = progress_ + driver_.config().hung_timeout;
  const core::time_point late = pending_.front().at + driver_.config().node_timeout;
  if (now >= hung) {
    fail("the server has stopped answering", answer::unreachable, now);
    return;
  }
  const bool falls_silent = now >= late && !std::exchange(silent_, true);
  // Also while it is silent: it may answer, and then fall silent again.
  const core::time_point next = silent_ ? now + driver_.config().node_timeout : late;
  driver_.timers().set(*this, std::min(hung, next));
  if (falls_silent) driver_.on_reach_changed(now);
}

}  // namespace redlock::io
