// testimony: how a client writes down, in its page of the ledger, what it believes and what it
// waits for.

#ifndef REDLOCK_FAULT_TESTIMONY_H
#define REDLOCK_FAULT_TESTIMONY_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "ledger.h"
#include "redlock/redlock.h"

namespace redlock::fault {

// What one lease was seen to be. Looks at it again and again, and writes down an interval in which
// it was certainly held, never more than that, however slow, stopped or dead the process is:
//
//     before ── held()? yes ── after                     before ── held()? yes ── after
//            ·····x·····                                        ·····y·····
//                             [from ───────────── until]
//
// held() reads the clock at some instant x between the two readings around it, and says true of
// that instant only. A lease that is no longer held is never held again (rule N4). So of two looks
// that both saw it held, it was held all the time from x of the first to y of the later one, and
// that covers the first's `after` to the later one's `before`. A single look proves no interval,
// and nothing is added after the last. A process that is stopped between two looks adds the time
// in between only if it then finds the lease still held: it believed in it all along.
//
// Thread safety: one thread at a time.
class testimony {
 public:
  testimony(page& where, std::uint32_t resource) : page_(where), resource_(resource) {}

  // Whether the lease is held; written down.
  bool look(const lease& l) {
    const std::int64_t before = ticks();
    if (!l.held()) return false;
    if (mine_ == nullptr) {
      open(ticks());
    } else {
      mine_->until = before;
    }
    return true;
  }

 private:
  void open(std::int64_t from) {
    const std::uint64_t count = page_.beliefs_count;
    if (count == beliefs_max) detail::broken("the ledger is full");
    mine_ = &page_.beliefs[count];
    mine_->resource = resource_;
    mine_->from = from;
    mine_->until = from;
    page_.beliefs_count = count + 1;
  }

  page& page_;
  const std::uint32_t resource_;
  belief* mine_ = nullptr;
};

// Makes a call that must end within `limit`, in view of those who watch: they see one that never
// ends. One during which the process was stopped does not count for the worst wait.
template <class F>
auto watched(page& where, call which, nanoseconds limit, F&& f) {
  const std::uint32_t stops = where.stops;
  const std::int64_t latest = ticks() + limit.count();
  where.limit = latest;
  where.under_way = static_cast<std::uint32_t>(which);
  auto outcome = std::forward<F>(f)();
  const std::int64_t late = ticks() - latest;
  where.under_way = static_cast<std::uint32_t>(call::none);
  if (where.stops == stops && late > where.worst_wait) {
    where.worst_wait = late;
    where.worst_call = static_cast<std::uint32_t>(which);
  }
  ++where.operations;
  if (!outcome) ++where.failures;
  if constexpr (requires { outcome.error(); }) {
    if (!outcome) ++where.failures_by_code[static_cast<std::size_t>(outcome.error().code())];
  }
  return outcome;
}

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_TESTIMONY_H
