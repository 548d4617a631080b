// lease_state: what a lease handle and its ticket on the loop share. The handle's side is any
// thread's; the ticket's is the loop thread's.

#ifndef REDLOCK_LIB_API_LEASE_STATE_H
#define REDLOCK_LIB_API_LEASE_STATE_H

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/runtime.h"
#include "io/owner.h"
#include "redlock/lease.h"

namespace redlock::detail {

class lease_state final : public io::owner, public std::enable_shared_from_this<lease_state> {
 public:
  lease_state(std::shared_ptr<runtime> where, std::string resource);
  lease_state(const lease_state&) = delete;
  lease_state& operator=(const lease_state&) = delete;

  // Where an adopted token came from; attempt 0: from nowhere, the lock is to be acquired.
  struct origin {
    core::base who{};
    core::attempt_id attempt = 0;
    std::string token;
  };

  // Any thread. Delivers to the waiter exactly once.
  void acquire(const core::terms& terms, origin from, std::stop_token stop, waiter<lease> w);
  void renew(waiter<void> w);
  void release(waiter<void> w);
  [[nodiscard]] result<std::string> detach();
  void abandon() noexcept;  // the handle is gone: releases, and tells nobody

  // Any thread, without waiting.
  [[nodiscard]] clock::time_point valid_until() const noexcept;  // the epoch when not held
  [[nodiscard]] std::size_t nodes_held() const noexcept { return nodes_held_.load(); }
  [[nodiscard]] std::stop_token stop_token();
  [[nodiscard]] std::optional<failure> why() const;
  [[nodiscard]] const std::string& resource() const noexcept { return resource_; }
  [[nodiscard]] const std::string& token() const noexcept { return token_; }
  [[nodiscard]] bool in_child() const noexcept { return runtime_->in_child(); }
  [[nodiscard]] bool is_loop_thread() const noexcept { return runtime_->is_loop_thread(); }

 private:
  using stop_hook = std::stop_callback<std::function<void()>>;

  // io::owner.
  void on_acquired(std::string_view token, core::time_point valid_until) noexcept override;
  void on_gave_up(failure why) noexcept override;
  bool is_held() const noexcept override { return valid_until_.load() != 0; }
  bool is_detached() const noexcept override { return detached_; }
  bool on_renewed(core::time_point valid_until) noexcept override;
  void on_renew_failed(failure why) noexcept override;
  void on_nodes_held(std::size_t count) noexcept override;
  void on_expiring() noexcept override;
  bool on_lost(failure why) noexcept override;
  void on_released(bool confirmed, failure why) noexcept override;
  bool on_closing() noexcept override;
  void on_retired() noexcept override;

  void start(const core::terms& terms, origin from, std::stop_token stop);  // on the loop
  void start_release(waiter<void> w);                                       // on the loop
  void let_go();                                                            // on the loop
  enum class ended_by : std::uint8_t { loop, release, detach };
  [[nodiscard]] bool end(failure why, std::optional<std::stop_source>& to_signal, ended_by whom);
  template <class F>
  void signal_and(const std::optional<std::stop_source>& source, F rest);
  [[nodiscard]] bool signal_then_release(const std::optional<std::stop_source>& source);
  void end_renewals(const result<void>& how);
  template <class T>
  void deliver(std::optional<waiter<T>>& to, result<T> r);

  const std::shared_ptr<runtime> runtime_;
  const std::string resource_;
  std::string token_;  // written before the handle exists

  // The end of validity in clock ticks; 0: not held. Once 0 after a grant it stays 0: whoever sees
  // the time reached sets it, so that no renewal can bring a lease back that somebody saw end (N4).
  mutable std::atomic<clock::rep> valid_until_{0};
  std::atomic<std::size_t> nodes_held_{0};
  std::atomic<bool> release_due_{false};  // the handle let go, and its release is on its way here
  std::atomic<bool> detached_{false};     // the handle let go, and there will be no release

  mutable std::mutex mutex_;
  std::optional<failure> ended_;          // guarded by mutex_
  std::optional<std::stop_source> stop_;  // guarded by mutex_; made when first asked for

  // The loop thread's.
  io::ticket* ticket_ = nullptr;
  std::optional<waiter<lease>> acquiring_;
  std::vector<waiter<void>> renewing_;
  std::vector<waiter<void>> releasing_;
  std::unique_ptr<stop_hook> cancel_;
  bool closing_ = false;  // close() waits for the release
};

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_LEASE_STATE_H
