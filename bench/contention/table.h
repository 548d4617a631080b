// table: rows of figures, aligned, on standard output. Lines that begin with # are for people; the
// first line after one names the columns.

#ifndef REDLOCK_BENCH_CONTENTION_TABLE_H
#define REDLOCK_BENCH_CONTENTION_TABLE_H

#include <string>
#include <vector>

#include "bench/contention/account.h"

namespace redlock::bench {

using row = std::vector<figure>;

void print_header(const row& like);
void print_row(const std::string& who, const std::string& run, const row& figures);

// Of each figure. REQUIRES: at least one row, all of the same figures.
[[nodiscard]] row median_of(const std::vector<row>& rows);

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_TABLE_H
