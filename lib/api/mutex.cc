// The mutex: first a turn among the threads of this process, then a lease.

#include "redlock/mutex.h"

#include <algorithm>
#include <utility>

#include "redlock/contract.h"

namespace redlock {

mutex::mutex(lock_manager& locks, std::string_view resource, const lock_options& o)
    : locks_(locks), resource_(resource), options_(o) {}

mutex::~mutex() = default;

void mutex::lock() {
  if (const result<void> taken = take(wait_forever); !taken) {
    detail::throw_lock_error(taken.error());
  }
}

bool mutex::try_lock() { return take(nanoseconds{0}).has_value(); }
bool mutex::try_for(nanoseconds wait) { return take(wait).has_value(); }

void mutex::unlock() noexcept {
  lease ended;
  {
    const std::lock_guard lock(guard_);
    if (!taken_ || lease_.resource().empty())
      detail::broken("a mutex was unlocked that is not locked");
    ended = std::move(lease_);
  }
  // The release is on its way before the next thread of this process asks: both go the same ways.
  ended = lease();
  end_turn();
}

bool mutex::held() const noexcept {
  const std::lock_guard lock(guard_);
  return lease_.held();
}

std::stop_token mutex::stop_token() const noexcept {
  const std::lock_guard lock(guard_);
  return lease_.stop_token();
}

std::optional<failure> mutex::last_failure() const {
  const std::lock_guard lock(guard_);
  return last_failure_;
}

result<void> mutex::take(nanoseconds wait) {
  result<void> taken;
  // Before it waits for another thread, whose acquire may need this one.
  auto left =
      locks_.is_called_on_its_loop() ? result<nanoseconds>(errc::would_deadlock) : take_turn(wait);
  if (left) {
    lock_options o = options_;
    o.wait = *left;
    o.max_attempts = 0;
    // Gives the turn back if acquire() throws, for want of memory.
    struct turn {
      mutex* of;
      ~turn() {
        if (of != nullptr) of->end_turn();
      }
    } mine{this};
    result<lease> granted = locks_.acquire(resource_, o);
    if (granted) {
      const std::lock_guard lock(guard_);
      lease_ = std::move(*granted);
      mine.of = nullptr;
      return taken;
    }
    taken = std::move(granted).error();
  } else {
    taken = std::move(left).error();
  }
  const std::lock_guard lock(guard_);
  last_failure_ = taken.error();
  return taken;
}

// Gives what is left of the wait.
result<nanoseconds> mutex::take_turn(nanoseconds wait) {
  const auto is_free = [this] { return !taken_; };
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(guard_);
  if (wait == wait_forever) {
    turn_ended_.wait(lock, options_.stop, is_free);
  } else {
    turn_ended_.wait_until(lock, options_.stop, start + wait, is_free);
  }
  if (taken_) {
    if (options_.stop.stop_requested()) return errc::cancelled;
    return failure(errc::held_by_other, "by another thread, through the same mutex");
  }
  taken_ = true;
  if (wait == wait_forever) return wait;
  return std::max(wait - (std::chrono::steady_clock::now() - start), nanoseconds{0});
}

void mutex::end_turn() noexcept {
  const std::lock_guard lock(guard_);
  taken_ = false;
  // Under the lock: who is woken may destroy the mutex once it has locked and unlocked it.
  turn_ended_.notify_one();
}

}  // namespace redlock
