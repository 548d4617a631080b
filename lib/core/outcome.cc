// Votes, and the priority of reasons.

#include "core/outcome.h"

namespace redlock::core {

vote vote_of(answer a) noexcept {
  switch (a) {
    case answer::granted:
      return vote::yes;
    case answer::refused:
    case answer::absent:
    case answer::foreign:
      return vote::no;
    case answer::guarded:
    case answer::duplicate:
    case answer::replica:
    case answer::denied:
    case answer::error:
    case answer::timed_out:
    case answer::unreachable:
    case answer::unsent:
      return vote::fault;
  }
  return vote::fault;
}

vote vote_of_release(answer a) noexcept {
  return vote_of(a) == vote::fault ? vote::fault : vote::yes;
}

bool is_permanent(answer a) noexcept { return a == answer::denied || a == answer::duplicate; }

errc reason(const ballot& lost) noexcept {
  check(lost.result() == verdict::lost);
  const std::size_t spare = lost.nodes() - lost.quorum();
  std::size_t permanent = 0;
  for (const node_id n : lost.faults()) permanent += is_permanent(lost.said(n)) ? 1 : 0;
  if (permanent > spare) return errc::bad_configuration;
  if (lost.faults().size() > spare) return errc::no_quorum;
  return errc::held_by_other;
}

}  // namespace redlock::core
