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

namespace detail {
class runtime;
}

// Owns one connection to each node and the threads that serve them: one that does all I/O and
// renews leases, one that runs callbacks of then(), one that signals stops. Connects in the
// background: construction never waits for a node. Make one per set of nodes and share it.
//
// The destructor ends all leases (signal, then release) and all operations (with shut_down), and
// waits at most one node time-out for the releases to be answered; then for callbacks that are
// running or due, so that none runs after it. It may itself run in such a callback, which then
// is not waited for. Leases may outlive the manager; they are no longer held.
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

  // Who holds `resource`, as the nodes see it: one round, at most one node time-out (and first
  // contact, as in acquire). Errors: invalid_argument, shut_down, overloaded.
  result<holdings> inspect(std::string_view resource);
  operation<holdings> inspect_async(std::string_view resource);

  // The state of each node, in the order of options::nodes. Never waits for a node.
  [[nodiscard]] std::vector<node_status> nodes() const;

  // Ends all leases and operations as the destructor does; afterwards every acquire gives
  // shut_down. Calling it again is harmless. Error: no_quorum if some release was not confirmed.
  operation<void> close();

 private:
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
