// lock_manager: locks on a fixed set of independent Redis masters.

#ifndef REDLOCK_LOCK_MANAGER_H
#define REDLOCK_LOCK_MANAGER_H

#include <initializer_list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "redlock/lease.h"
#include "redlock/options.h"
#include "redlock/status.h"
#include "redlock/with.h"

namespace redlock {

class mutex;
namespace detail {
class runtime;
}

// Owns one connection to each node and the threads that serve them: one that does all I/O and
// renews leases, one that runs callbacks of then(), one that signals stops; options::loop and
// options::executor put a loop and an executor of yours in their place. Connects in the background:
// construction never waits for a node. Make one per set of nodes and share it.
//
// The destructor ends all leases (signal, then release) and all operations (with shut_down), and
// waits at most one node time-out for the releases to be answered; then for callbacks that are
// running or due, so that none runs after it. It may itself run in such a callback, which then
// is not waited for. Leases may outlive the manager; they are no longer held. With options::loop it
// waits for nothing: the loop must be run on until what is left there has gone, which takes one
// node time-out at most; with options::executor, completions may run after it.
//
// After fork(), the child's managers and leases are dead: they hold nothing and touch no socket.
// Make a new manager in the child.
//
// Thread safety: every member from any threads at once.
class REDLOCK_API lock_manager {
 public:
  // Throws lock_error(invalid_argument) if an option breaks its stated limits, before any I/O, and
  // std::system_error if the system gives no thread or descriptor.
  explicit lock_manager(options o);
  // A template, and the copy constructor that of an lvalue: else g++ 12 finds ({.nodes = {"a",
  // "b"}}) ambiguous, where the standard does not.
  template <class = void>
  lock_manager(std::initializer_list<endpoint> nodes) : lock_manager(options{.nodes = nodes}) {}
  lock_manager(lock_manager&) = delete;
  lock_manager& operator=(const lock_manager&) = delete;
  ~lock_manager();

  // Takes the lock on `resource` (1 to 4,096 bytes, any bytes).
  // Until a node's first contact has ended, one way or the other, the first attempt waits for it,
  // at most options::connect_timeout. Errors: held_by_other, no_quorum, too_slow,
  // bad_configuration, cancelled, shut_down, invalid_argument, overloaded. After a failure no key
  // is left behind: what may have been set is taken back, in the background where a node does not
  // answer.
  result<lease> acquire(std::string_view resource, const lock_options& o = {});
  operation<lease> acquire_async(std::string_view resource, const lock_options& o = {});

  // Calls f(std::stop_token) or f(const lease&) on this thread while it holds the lock: with.h.
  template <class F>
  requires detail::guarded_function<F> detail::guarded_result<F> with(std::string_view resource,
                                                                      const lock_options& o, F&& f);

  // Takes up a lock whose former handle gave its token away (lease::detach()), here or in another
  // process: one renewal round under that token, after first contact as in acquire. Held if a
  // quorum says "was yours, extended" with validity left (rule G3), counted from the start of that
  // round; from then on a lease like any other, under the same token. `o` is as for acquire, but
  // `wait`, `max_attempts` and the policy, which mean nothing here.
  // REQUIRES: the former handle was detached, and nobody else adopts the same token: two handles of
  // one token would both be held.
  // Errors: lost: so many nodes do not have this token that no quorum can (it ran out, was
  // released, or never was): others may hold the lock; no_quorum, too_slow, bad_configuration:
  // nothing is changed but that keys may have been extended, and it may be tried again; cancelled,
  // shut_down, overloaded; invalid_argument, also for what is no token of this library. After a
  // failure the keys stay (rule N3).
  result<lease> adopt(std::string_view resource, std::string_view token,
                      const lock_options& o = {});
  operation<lease> adopt_async(std::string_view resource, std::string_view token,
                               const lock_options& o = {});

  // Deletes the keys of `resource` that carry `token`, on every node (rule R4), without holding the
  // lock: what is left of a handle that is gone. Any value of 1 to 512 bytes: also another
  // library's. Returns once a quorum has answered, at the latest after one node time-out (and first
  // contact); the rest goes on in the background. A lease that stands under this token learns of it
  // with its next renewal: release the lease instead.
  // Errors: lost: confirmed, and no node that answered had it; no_quorum: unconfirmed, the keys
  // expire by themselves at the latest; invalid_argument, overloaded, shut_down.
  result<void> release(std::string_view resource, std::string_view token);
  operation<void> release_async(std::string_view resource, std::string_view token);

  // Who holds `resource`, as the nodes see it: one round, at most one node time-out (and first
  // contact, as in acquire). Errors: invalid_argument, shut_down, overloaded.
  result<holdings> inspect(std::string_view resource);
  operation<holdings> inspect_async(std::string_view resource);

  // The state of each node, in the order of options::nodes. Never waits for a node.
  [[nodiscard]] std::vector<node_status> nodes() const;

  // Ends all leases and operations as the destructor does; afterwards every acquire gives
  // shut_down, called back on a thread of its own where options::loop would have done it. Ends with
  // options::loop when nothing of this manager is left on that loop. Calling it again is harmless.
  // Error: no_quorum if some release was not confirmed.
  operation<void> close();

 private:
  friend class mutex;
  [[nodiscard]] bool is_called_on_its_loop() const noexcept;

  std::shared_ptr<detail::runtime> runtime_;
};

template <class F>
requires detail::guarded_function<F> detail::guarded_result<F> lock_manager::with(
    std::string_view resource, const lock_options& o, F&& f) {
  result<lease> l = acquire(resource, o);
  if (!l) return std::move(l).error();
  return detail::guarded_call(*l, std::forward<F>(f));
}

}  // namespace redlock

#endif  // REDLOCK_LOCK_MANAGER_H
