// What an answer is worth as a vote, and what a lost vote means. Pure functions.

#ifndef REDLOCK_LIB_CORE_OUTCOME_H
#define REDLOCK_LIB_CORE_OUTCOME_H

#include "core/ballot.h"

namespace redlock::core {

// Acquire and renew: only `granted` is a yes (rule G5).
[[nodiscard]] vote vote_of(answer a) noexcept;

// Release: a node that says the key is gone, or another's, has confirmed as well as one that
// deleted it.
[[nodiscard]] vote vote_of_release(answer a) noexcept;

// Whether only an operator can make this node vote again.
[[nodiscard]] bool is_permanent(answer a) noexcept;

// Why a vote was lost. One dead node and a lock held on the others is held_by_other; so many faults
// that no quorum can be is no_quorum; so many lasting ones, bad_configuration.
// REQUIRES: lost.result() == verdict::lost.
[[nodiscard]] errc reason(const ballot& lost) noexcept;

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_OUTCOME_H
