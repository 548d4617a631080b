// Why an operation did not succeed: a code to branch on, and what each node said.

#ifndef REDLOCK_FAILURE_H
#define REDLOCK_FAILURE_H

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "redlock/export.h"

namespace redlock {

// What the caller may conclude. Each maps to a generic std::errc condition, given in brackets.
enum class errc {
  held_by_other = 1,  // others hold it [device_or_resource_busy]
  no_quorum,          // too many nodes gave no usable answer [host_unreachable]
  too_slow,           // a quorum said yes, but too late to be of use [timed_out]
  lost,               // the lease ended before its owner released it [owner_dead]
  not_held,           // already released, moved from, or empty [operation_not_permitted]
  cancelled,          // the caller's stop token ended the waiting [operation_canceled]
  shut_down,          // the lock_manager was closed meanwhile [connection_aborted]
  invalid_argument,   // an argument breaks a stated limit; nothing was sent [invalid_argument]
  would_deadlock,     // it would block the thread of options::loop, which it would be waiting for;
                      // nothing was started [resource_deadlock_would_occur]
  overloaded,         // a stated limit of this client is reached [resource_unavailable_try_again]
  bad_configuration,  // so many nodes are misconfigured that no quorum can be [wrong_protocol_type]
};

[[nodiscard]] REDLOCK_API const std::error_category& category() noexcept;

[[nodiscard]] inline std::error_code make_error_code(errc e) noexcept {
  return {static_cast<int>(e), category()};
}

// The name of the code as written above, for logs and metrics: "held_by_other".
[[nodiscard]] REDLOCK_API std::string_view name(errc e) noexcept;

// What one node answered.
enum class answer : std::uint8_t {
  granted,      // yes: took, extended, or deleted the key
  refused,      // the key carries the token of another holder
  absent,       // there is no key
  foreign,      // the key is not our kind: another type, without expiry, or another's token
  guarded,      // it has no vote for a while: restarted, promoted, or its clock went forward
  duplicate,    // the same server as a node before it
  replica,      // read-only: not a master
  denied,       // misconfigured for good: wrong password, missing right, Cluster, Sentinel
  error,        // any other error of the server
  timed_out,    // no answer within the node time-out
  unreachable,  // no connection, or it broke with the answer outstanding
  unsent,       // never sent: the round was over before it could be
};

// "refused", "timed_out", …
[[nodiscard]] REDLOCK_API std::string_view name(answer a) noexcept;

// One node's part in an operation.
struct node_answer {
  std::string node;  // "10.0.0.1:6379"; never with credentials
  redlock::answer answer = redlock::answer::unsent;
  std::string text;  // the server's own words, or the holder's token; may be empty
};

// The votes of all nodes when the outcome was decided. granted + refused + faults may be less than
// nodes: an outcome is decided as soon as no further answer can change it.
struct votes {
  std::uint8_t nodes = 0;   // configured
  std::uint8_t quorum = 0;  // needed
  std::uint8_t granted = 0;
  std::uint8_t refused = 0;  // refused, absent, foreign
  std::uint8_t faults = 0;   // everything else

  friend bool operator==(const votes&, const votes&) = default;
};

// A code and what stands behind it. A value; thread safety as of std::string.
class REDLOCK_API failure {
 public:
  failure(errc code) noexcept : code_(code) {}  // NOLINT(google-explicit-constructor)
  failure(errc code, std::string detail) noexcept : code_(code), detail_(std::move(detail)) {}
  failure(errc code, redlock::votes votes, std::vector<node_answer> nodes,
          std::string detail = {}) noexcept;

  [[nodiscard]] errc code() const noexcept { return code_; }
  [[nodiscard]] const redlock::votes& votes() const noexcept { return votes_; }

  // What each node said, as far as it had been heard when the outcome was decided.
  [[nodiscard]] std::span<const node_answer> nodes() const noexcept { return nodes_; }

  // All of it in one line for people, naming nodes but never credentials:
  // "held by other: 0 of 5 nodes said yes, 3 needed; 10.0.0.1:6379 refused (held by …); …"
  // Of a lease that ended (lost, not_held, shut_down) no votes are counted: its last round may have
  // gone well.
  [[nodiscard]] std::string message() const;

  operator std::error_code() const noexcept { return make_error_code(code_); }  // NOLINT

 private:
  errc code_;
  redlock::votes votes_{};
  std::vector<node_answer> nodes_;
  std::string detail_;
};

// What result<T>::value(), mutex::lock() and the constructors of lock_manager and endpoint throw.
class REDLOCK_API lock_error : public std::system_error {
 public:
  explicit lock_error(failure why);
  [[nodiscard]] const failure& why() const noexcept { return why_; }
  [[nodiscard]] const char* what() const noexcept override;  // why().message()

 private:
  failure why_;
  std::string text_;
};

}  // namespace redlock

template <>
struct std::is_error_code_enum<redlock::errc> : std::true_type {};

#endif  // REDLOCK_FAILURE_H
