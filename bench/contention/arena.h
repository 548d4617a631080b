// arena: what the competing processes tell their parent, in memory that all of them share. Made
// before they are forked. Times are CLOCK_MONOTONIC, which is one clock for the whole machine.

#ifndef REDLOCK_BENCH_CONTENTION_ARENA_H
#define REDLOCK_BENCH_CONTENTION_ARENA_H

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace redlock::bench {

using std::chrono::nanoseconds;

[[nodiscard]] inline nanoseconds monotonic_now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch();
}

// One time that a waiter held the key.
struct grant {
  std::uint32_t waiter = 0;
  nanoseconds asked{0};     // when it began to wait
  nanoseconds granted{0};   // when it had the key
  nanoseconds released{0};  // when it called release; 0: its process was killed before
};

// Owns the mapping. Thread and process safety: each waiter calls its own members, in its own
// process; anybody may ask what they are doing; grants() only once all of them have ended.
class arena {
 public:
  explicit arena(std::size_t waiters);  // throws std::system_error
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena();

  // Of a waiter, in this order, again and again. The second gives what the third wants.
  void asks(std::size_t waiter) noexcept;
  std::size_t holds(std::size_t waiter) noexcept;
  void releases(std::size_t waiter, std::size_t which) noexcept;

  void count_failure() noexcept { shared_->failures.fetch_add(1); }  // of an acquire or release
  void complain(std::string_view why) noexcept;  // the first complaint spoils the measurement

  // Since when; 0: it does not.
  [[nodiscard]] nanoseconds waiting_since(std::size_t waiter) const noexcept;
  [[nodiscard]] nanoseconds holding_since(std::size_t waiter) const noexcept;

  [[nodiscard]] std::uint64_t failures() const noexcept { return shared_->failures.load(); }
  [[nodiscard]] std::string complaint() const;      // empty if there was none
  [[nodiscard]] std::vector<grant> grants() const;  // in the order in which they were granted

 private:
  static constexpr std::size_t waiters_max = 16'384;
  static constexpr std::size_t grants_max = std::size_t{1} << 21;

  struct waiter_state {
    std::atomic<std::int64_t> waiting_since;
    std::atomic<std::int64_t> holding_since;
  };
  struct shared {  // all zero at first; memory that is never touched costs nothing
    std::atomic<std::uint64_t> failures;
    std::atomic<bool> complained;
    std::atomic<bool> complaint_complete;
    std::array<char, 1024> complaint;
    std::array<waiter_state, waiters_max> waiters;
    std::atomic<std::size_t> grant_count;
    std::array<grant, grants_max> grants;
  };

  shared* shared_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_ARENA_H
