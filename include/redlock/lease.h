// lease: the right to act on one resource, until a time.

#ifndef REDLOCK_LEASE_H
#define REDLOCK_LEASE_H

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "redlock/clock.h"
#include "redlock/operation.h"

namespace redlock {

namespace detail {
class lease_state;
}

// Whoever holds a lease is the only one to hold it, for as long as held() says so and no longer
// (docs/safety.md, "The promise").
//
// held() is the truth: it reads the clock each time it is asked. stop_token() is the courtesy: it
// tells code that is not looking, as soon as it can. Between asking and acting, time passes, and no
// lock can stop that: where it matters, let the resource check too.
//
// A lease that was lost stays lost (rule N4); a new acquire gives a new lease.
//
// Thread safety: all members from any threads at once, except move and destruction. The queries
// never block and cost one clock reading at most.
class [[nodiscard]] REDLOCK_API lease {
 public:
  lease() noexcept;                          // holds nothing
  lease(lease&& other) noexcept;             // leaves `other` empty
  lease& operator=(lease&& other) noexcept;  // lets go of what it held first
  ~lease();                                  // releases; never waits, never throws

  // True while nobody else can hold the resource, by this machine's clock.
  [[nodiscard]] bool held() const noexcept;
  explicit operator bool() const noexcept { return held(); }

  // The end of validity, as far as it is confirmed; the past when not held.
  [[nodiscard]] clock::time_point expires_at() const noexcept;
  [[nodiscard]] clock::duration remaining() const noexcept;  // never negative

  // Stop is requested exactly once: when the lease is lost, when it has stop_margin left and no
  // renewal succeeded, or when it is released, whichever is first (rule N5). Stop callbacks run on
  // a thread of their own; on a release, on the thread that releases, destroys or overwrites the
  // lease. After the request exclusivity is not guaranteed, except that held() stays true until
  // validity really ends. An empty lease gives a token that can never be stopped.
  [[nodiscard]] std::stop_token stop_token() const noexcept;

  // Why the lease ended: `lost` with what the nodes said, `not_held` after a release, or
  // `shut_down` with its manager; nothing while it stands.
  [[nodiscard]] std::optional<redlock::failure> failure() const;

  // What was asked for. Empty for an empty lease. Valid as long as the lease is.
  [[nodiscard]] std::string_view resource() const noexcept;

  // The value the nodes hold for it: unique among all grants, not ordered.
  [[nodiscard]] std::string_view token() const noexcept;

  // On how many nodes the key is confirmed to outlive the validity.
  [[nodiscard]] std::size_t nodes_held() const noexcept;

  // Starts the ttl anew (one round; joins one that is under way). On failure nothing is lost: the
  // lease stands until expires_at().
  // Errors: no_quorum, too_slow (the stop signal came first), bad_configuration; lost, not_held,
  // shut_down.
  result<void> renew();
  operation<void> renew_async();

  // Ends the lease at once and tells every node. Returns once a quorum has answered, at the latest
  // after one node time-out; what is left is confirmed in the background.
  // Errors: no_quorum: unconfirmed, the keys expire by themselves at the latest; lost: it had ended
  // before the call; not_held: released, moved from or empty; shut_down.
  result<void> release();
  operation<void> release_async();

  // Lets go of the lease without telling the nodes: no longer held, renewed no more, stop is
  // requested as on a release, and the keys stay until their time is up. Gives the token, by which
  // lock_manager::adopt() takes the lock up again, here or in another process; how long it has for
  // that is what remaining() said before. Never waits.
  // Errors, with nothing detached: lost; not_held: released, detached, moved from or empty;
  // shut_down.
  result<std::string> detach();

 private:
  friend class detail::lease_state;
  explicit lease(std::shared_ptr<detail::lease_state> state) noexcept;

  std::shared_ptr<detail::lease_state> state_;
};

}  // namespace redlock

#endif  // REDLOCK_LEASE_H
