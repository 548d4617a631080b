// The lease handle: hands everything to the state it shares with its ticket.

#include "redlock/lease.h"

#include <algorithm>

#include "api/lease_state.h"

namespace redlock {
namespace {

// The library's side of renew_async() and release_async().
class lease_call final : public detail::starter<void> {
 public:
  using what = void (detail::lease_state::*)(detail::waiter<void>);
  lease_call(std::shared_ptr<detail::lease_state> state, what call) noexcept
      : state_(std::move(state)), call_(call) {}
  void start(detail::completion<void>& whom, detail::delivery how) noexcept override {
    if (state_->in_child()) {
      detail::deliver_without_runtime(whom, how, errc::lost);
    } else {
      (state_.get()->*call_)({&whom, how});
    }
  }
  [[nodiscard]] bool would_deadlock() const noexcept override { return state_->is_loop_thread(); }

 private:
  std::shared_ptr<detail::lease_state> state_;
  what call_;
};

// The same of a lease that is empty, or not this process's.
class failed_call final : public detail::starter<void> {
 public:
  explicit failed_call(errc why) noexcept : why_(why) {}
  void start(detail::completion<void>& whom, detail::delivery how) noexcept override {
    detail::deliver_without_runtime(whom, how, why_);
  }

 private:
  errc why_;
};

operation<void> call(const std::shared_ptr<detail::lease_state>& state, lease_call::what what) {
  if (state == nullptr) {
    return operation<void>(std::make_unique<failed_call>(errc::not_held));
  }
  if (state->in_child()) return operation<void>(std::make_unique<failed_call>(errc::lost));
  return operation<void>(std::make_unique<lease_call>(state, what));
}

// Lets go of the state without touching anything that another process may share.
void drop(std::shared_ptr<detail::lease_state>& state) noexcept {
  if (state == nullptr) return;
  if (state->in_child()) {
    // Left alone on purpose: its threads and sockets are the parent's.
    static_cast<void>(new (std::nothrow) std::shared_ptr<detail::lease_state>(std::move(state)));
    return;
  }
  state->abandon();
  state.reset();
}

}  // namespace

lease::lease() noexcept = default;
lease::lease(std::shared_ptr<detail::lease_state> state) noexcept : state_(std::move(state)) {}
lease::lease(lease&& other) noexcept : state_(std::move(other.state_)) {}

lease& lease::operator=(lease&& other) noexcept {
  if (this != &other) {
    drop(state_);
    state_ = std::move(other.state_);
  }
  return *this;
}

lease::~lease() { drop(state_); }

bool lease::held() const noexcept { return expires_at() != clock::time_point{}; }

clock::time_point lease::expires_at() const noexcept {
  return state_ != nullptr ? state_->valid_until() : clock::time_point{};
}

clock::duration lease::remaining() const noexcept {
  return std::max(expires_at() - clock::now(), clock::duration{0});
}

std::stop_token lease::stop_token() const noexcept {
  return state_ != nullptr ? state_->stop_token() : std::stop_token{};
}

std::optional<failure> lease::failure() const {
  if (state_ == nullptr) return redlock::failure(errc::not_held);
  return state_->why();
}

std::string_view lease::resource() const noexcept {
  return state_ != nullptr ? std::string_view(state_->resource()) : std::string_view{};
}

std::string_view lease::token() const noexcept {
  return state_ != nullptr ? std::string_view(state_->token()) : std::string_view{};
}

std::size_t lease::nodes_held() const noexcept { return held() ? state_->nodes_held() : 0; }

result<void> lease::renew() { return renew_async().get(); }
operation<void> lease::renew_async() { return call(state_, &detail::lease_state::renew); }

result<void> lease::release() { return release_async().get(); }
result<std::string> lease::detach() {
  if (state_ == nullptr) return errc::not_held;
  return state_->detach();
}
operation<void> lease::release_async() { return call(state_, &detail::lease_state::release); }

}  // namespace redlock
