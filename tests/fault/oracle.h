// oracle: whether two clients ever believed to hold the same resource at the same instant.
//
// Stands outside of all of them, and knows nothing of quorums, tokens or nodes: only intervals by
// one clock. What is in the ledger is certain (testimony.h), so what it finds is a violation.

#ifndef REDLOCK_FAULT_ORACLE_H
#define REDLOCK_FAULT_ORACLE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ledger.h"

namespace redlock::fault {

// Two beliefs in one resource, and the time that they have in common.
struct overlap {
  std::uint32_t resource;
  std::size_t first, second;  // pages: who was in, and who came
  std::int64_t from, until;

  [[nodiscard]] std::string text() const;
};

// Every belief that begins while others in the same resource stand, with the one of those that
// stands longest. May be asked while clients still write.
[[nodiscard]] std::vector<overlap> overlaps(const book& written);

// The number of beliefs that an overlap could have been found in.
[[nodiscard]] std::size_t beliefs(const book& written);

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_ORACLE_H
