// How the threads of a lock_manager start and end.

#include "api/runtime.h"

#include "api/validate.h"
#include "io/thread.h"

namespace redlock::detail {

runtime::runtime(redlock::options o)
    : options_(std::move(o)),
      driver_(settings_of(options_).value()),
      loop_thread_(std::this_thread::get_id()) {
  const bool on_users_loop = options_.loop != nullptr && !options_.executor;
  if (options_.loop == nullptr && !options_.executor) executor_.emplace();
  if (!on_users_loop) signals_.emplace();
}

void runtime::start() {
  if (options_.loop == nullptr) {
    loop_ = io::quiet_thread([this] { run(); });
    return;
  }
  self_ = shared_from_this();
  driver_.start([](void* self) noexcept { static_cast<runtime*>(self)->on_gone(); }, this);
}

runtime::~runtime() { core::check(!loop_.joinable()); }

result<void> runtime::outcome_of_close() const {
  if (unconfirmed_ == 0) return {};
  return failure(errc::no_quorum, std::to_string(unconfirmed_) +
                                      " releases are unconfirmed; the keys expire by themselves");
}

void runtime::run() noexcept {
  driver_.run();
  for (const waiter<void>& w : closers_) deliver(w, outcome_of_close());
  closers_.clear();
}

// On the user's loop, in a turn of its own: what waits for the end may be called right here.
void runtime::on_gone() noexcept {
  const std::shared_ptr<runtime> self = std::move(self_);
  gone_ = true;
  std::vector<waiter<void>> waiting;
  waiting.swap(closers_);
  for (const waiter<void>& w : waiting) {
    if (options_.executor) {
      deliver(w, outcome_of_close());
    } else {
      w.whom->complete(outcome_of_close());
    }
  }
}

void runtime::hand_over(std::function<void()> completion) {
  if (options_.executor) {
    options_.executor(std::move(completion));
  } else {
    post_on_loop(std::move(completion));
  }
}

void runtime::signal(std::function<void()> request) {
  if (signals_) {
    signals_->post(std::move(request));
  } else {
    post_on_loop(std::move(request));
  }
}

// What comes when the loop is closed to us, for having been started late, has a thread of its own.
void runtime::post_on_loop(std::function<void()> what) {
  if (!driver_.post([what] { what(); })) io::quiet_thread(std::move(what)).detach();
}

void runtime::close(waiter<void> w) {
  const bool taken = driver_.post([this, w] {
    closers_.push_back(w);
    driver_.close(clock::now());
  });
  if (taken) return;
  if (is_loop_thread() && !gone_) {
    closers_.push_back(w);  // its inbox is closed, its handles are not yet
  } else {
    deliver(w, result<void>{});
  }
}

void runtime::stop() noexcept {
  if (options_.loop != nullptr) {
    if (is_loop_thread()) {
      driver_.close(clock::now());
      driver_.flush(clock::now());  // the loop may not be run again
    } else {
      driver_.post([this] { driver_.close(clock::now()); });
    }
    if (signals_) signals_->leave();
    return;
  }
  driver_.post([this] { driver_.close(clock::now()); });
  loop_.join();
  if (executor_) executor_->stop();
  signals_->stop();
}

}  // namespace redlock::detail
