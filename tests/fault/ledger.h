// ledger: the memory in which client processes write down what they believe and do, and in which
// those who watch them read it.
//
// One clock for all of it: CLOCK_BOOTTIME, the same for every process of the machine, and out of
// the reach of every fault of the bench. All times are nanoseconds of it.

#ifndef REDLOCK_FAULT_LEDGER_H
#define REDLOCK_FAULT_LEDGER_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "redlock/clock.h"

namespace redlock::fault {

inline constexpr std::size_t pages_max = 16;
inline constexpr std::size_t codes_max = 16;           // of errc
inline constexpr std::uint64_t beliefs_max = 1 << 18;  // per page; sparse until written

enum class phase : std::uint32_t { storm, calm, end };
enum class call : std::uint32_t { none, acquire, renew, release, adopt, close };

[[nodiscard]] constexpr std::string_view name(call which) noexcept {
  constexpr std::string_view names[] = {"none", "acquire", "renew", "release", "adopt", "close"};
  return names[static_cast<std::size_t>(which)];
}

// A lease was held at every instant from `from` to `until`. Says nothing unless `from` is earlier.
struct belief {
  std::atomic<std::uint32_t> resource;
  std::atomic<std::int64_t> from;
  std::atomic<std::int64_t> until;
};

// One client's. Written by its process alone, but for `stops`; another process may go on with the
// page of one that has ended.
struct page {
  std::atomic<std::uint64_t> operations;  // calls that have ended
  std::atomic<std::uint64_t> grants;
  std::atomic<std::uint64_t> complete;  // a holder's: leases that came to be on every node
  std::atomic<std::uint64_t> losses;    // leases that ended before they were given back
  std::atomic<std::uint64_t> failures;  // calls that did not succeed
  std::atomic<std::uint64_t> failures_by_code[codes_max];
  std::atomic<std::int64_t> worst_wait;   // by how much a call ended after its limit, at most
  std::atomic<std::uint32_t> worst_call;  // which: a `call`
  std::atomic<std::uint32_t> under_way;   // a `call`
  std::atomic<std::int64_t> limit;        // by when it must have ended
  std::atomic<std::uint32_t> stops;       // the bench's: how often the process was stopped
  std::atomic<std::uint64_t> beliefs_count;
  belief beliefs[beliefs_max];
};

struct book {
  std::atomic<std::uint32_t> now;  // a `phase`
  page pages[pages_max];
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free, "shared between processes");

// The book in a file, mapped into this process; all zero at first. Throws std::system_error.
class ledger {
 public:
  explicit ledger(const std::filesystem::path& file);  // made if it is not there
  ~ledger();
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;

  book& operator*() const noexcept { return *book_; }
  book* operator->() const noexcept { return book_; }

 private:
  book* book_;
};

[[nodiscard]] inline std::int64_t ticks() noexcept {
  return clock::now().time_since_epoch().count();
}

}  // namespace redlock::fault

#endif  // REDLOCK_FAULT_LEDGER_H
