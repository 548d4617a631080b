// hammer: work that only a lock keeps from going wrong, and that shows when it did.

#ifndef REDLOCK_LIVE_HAMMER_H
#define REDLOCK_LIVE_HAMMER_H

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <thread>

#include "redlock/redlock.h"

namespace redlock::live {

// Lives in memory that all contenders share, threads and processes alike. Zero to begin with. The
// atomics are for the shared memory's sake; reading and writing `count` is not one step.
struct arena {
  std::atomic<std::uint64_t> count;     // all rounds, unless some were lost
  std::atomic<std::uint64_t> inside;    // who is in, 0 for nobody
  std::atomic<std::uint64_t> overlaps;  // how often someone else was
  std::atomic<std::uint64_t> failures;  // acquires that failed
};

// An arena in a file, mapped into this process. Throws std::system_error.
class mapped_arena {
 public:
  explicit mapped_arena(const std::filesystem::path& file);  // made if it is not there
  ~mapped_arena();
  mapped_arena(const mapped_arena&) = delete;
  mapped_arena& operator=(const mapped_arena&) = delete;
  arena& operator*() const noexcept { return *arena_; }
  arena* operator->() const noexcept { return arena_; }

 private:
  arena* arena_;
};

// Goes in and out `rounds` times. `me` is not 0 and different for each contender.
inline void hammer(lock_manager& locks, arena& shared, std::uint64_t me, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    result<lease> held =
        locks.acquire("arena", {.ttl = std::chrono::seconds{30}, .wait = std::chrono::minutes{2}});
    if (!held) {
      ++shared.failures;
      continue;
    }
    if (shared.inside.exchange(me) != 0) ++shared.overlaps;
    const std::uint64_t seen = shared.count;
    for (int turn = 0; turn < 20; ++turn) std::this_thread::yield();
    shared.count = seen + 1;
    if (shared.inside.exchange(0) != me) ++shared.overlaps;
    if (!held->release()) ++shared.failures;
  }
}

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_HAMMER_H
