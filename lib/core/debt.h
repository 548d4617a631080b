// debt: the releases that one node has not confirmed yet, of one operation (rules R1, R2, R4).
//
// Attempts of one operation are released in order, so what is unconfirmed is a range of attempt
// numbers, and the memory is constant however often an operation tries. A range may cover attempts
// that never reached the node; releasing those is harmless.
//
//            owe()                          all confirmed, or the keys have expired
//   settled ──────► asked ◄────────────┐ ──────────────────────────────────────► settled
//                    │   wake(), up()  │
//                    └──────► waiting ─┘
//         error, "absent" while unsure, or connection lost
//
// A pass asks for the attempts of the range one after the other; what a pass leaves unconfirmed is
// asked again after 1, 2, 4, … node time-outs.

#ifndef REDLOCK_LIB_CORE_DEBT_H
#define REDLOCK_LIB_CORE_DEBT_H

#include <algorithm>

#include "core/types.h"

namespace redlock::core {

class debt {
 public:
  // What to send: the release of this attempt, or nothing.
  using request = std::optional<attempt_id>;

  // A command that may set or extend the key was emitted; the key must have expired by `until`.
  void key_may_stand(time_point until) noexcept { until_ = std::max(until_, until); }

  // Such a command was lost with its connection, so that it may yet be executed: until then
  // "absent" and "foreign" prove nothing. [Else a late acquire leaves a ghost for a whole ttl.]
  void unsure(time_point until) noexcept {
    key_may_stand(until);
    unsure_until_ = std::max(unsure_until_, until);
  }

  // One more command that may set the key follows. If an earlier one is in doubt, one "deleted" may
  // be for either of them, and the other's key yet to come.
  void set_again() noexcept { doubled_until_ = unsure_until_; }

  // Attempt k is to be released. Its release goes out at once, behind its acquire on the same
  // connection; without a connection it is remembered. REQUIRES: k is greater than all before.
  [[nodiscard]] request owe(attempt_id k, bool up) noexcept;

  // Attempt k never reached the node after all.
  void forget(attempt_id k, time_point now) noexcept;

  // What became of the release of attempt k.
  [[nodiscard]] request on_answer(attempt_id k, answer a, bool up, nanoseconds node_timeout,
                                  time_point now) noexcept;

  // Nothing is owed any more: it is confirmed, or the keys expire by themselves.
  void settle() noexcept;

  // The node takes commands again.
  [[nodiscard]] request on_up() noexcept;

  [[nodiscard]] request on_wake(bool up, time_point now) noexcept;

  [[nodiscard]] bool owes(attempt_id k) const noexcept { return k > confirmed_ && k <= last_; }
  [[nodiscard]] bool settled() const noexcept { return confirmed_ == last_; }
  [[nodiscard]] time_point wake() const noexcept;  // `never` when settled

 private:
  [[nodiscard]] request start_pass() noexcept;
  void end_pass() noexcept;

  attempt_id confirmed_ = 0;    // all up to this one are confirmed, or never were
  attempt_id last_ = 0;         // the last that is owed
  attempt_id asked_ = 0;        // the one the pass is at; 0: no pass
  std::uint8_t passes_ = 0;     // that ended with something unconfirmed
  time_point again_ = never;    // when the next pass starts
  time_point until_{};          // when every key must have expired
  time_point unsure_until_{};   // when those of lost commands must have
  time_point doubled_until_{};  // until then "deleted" proves nothing either
};

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_DEBT_H
