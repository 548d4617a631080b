// How the threads of a lock_manager start and end.

#include "api/runtime.h"

#include "api/validate.h"
#include "io/thread.h"

namespace redlock::detail {

runtime::runtime(redlock::options o)
    : options_(std::move(o)),
      driver_(settings_of(options_).value()),
      loop_(io::quiet_thread([this] { run(); })) {}

runtime::~runtime() { core::check(!loop_.joinable()); }

void runtime::run() noexcept {
  driver_.run();
  result<void> how;
  if (unconfirmed_ > 0) {
    how = failure(errc::no_quorum, std::to_string(unconfirmed_) +
                                       " releases are unconfirmed; the keys expire by themselves");
  }
  for (const waiter<void>& w : closers_) deliver(w, how);
  closers_.clear();
}

void runtime::close(waiter<void> w) {
  const bool taken = driver_.post([this, w] {
    closers_.push_back(w);
    driver_.close(clock::now());
  });
  if (!taken) deliver(w, result<void>{});
}

void runtime::stop() noexcept {
  driver_.post([this] { driver_.close(clock::now()); });
  loop_.join();
  executor_.stop();
  signals_.stop();
}

}  // namespace redlock::detail
