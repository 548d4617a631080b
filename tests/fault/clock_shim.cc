// clock_shim: a wall clock that the test can step, for one process that is started with this
// library in LD_PRELOAD and a file in REDLOCK_CLOCK_OFFSET.
//
// The file holds one 64-bit number of nanoseconds, which is added to what the system says of
// CLOCK_REALTIME, by whichever of the calls below. Clocks that only count (MONOTONIC, BOOTTIME) are
// left alone, as an administrator who sets the time leaves them. Redis calls these functions from
// the first moment on, also while its allocator starts: so nothing here allocates or looks up a
// symbol.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

using word = std::atomic<std::int64_t>;
constinit word* offset = nullptr;

[[gnu::constructor]] void map_offset() {
  const char* file = std::getenv("REDLOCK_CLOCK_OFFSET");
  if (file == nullptr) return;
  const int fd = ::open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) std::abort();
  void* memory = ::mmap(nullptr, sizeof(word), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) std::abort();
  ::close(fd);
  offset = static_cast<word*>(memory);
}

int read_clock(clockid_t which, timespec* now) noexcept {
  const auto status = static_cast<int>(::syscall(SYS_clock_gettime, which, now));
  const bool is_wall = which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE;
  if (status != 0 || !is_wall || offset == nullptr) return status;
  const std::int64_t sum = now->tv_sec * nanoseconds_per_second + now->tv_nsec + offset->load();
  now->tv_sec = sum / nanoseconds_per_second;
  now->tv_nsec = sum % nanoseconds_per_second;
  return 0;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int clock_gettime(clockid_t which, timespec* now) noexcept {
  return read_clock(which, now);
}

[[gnu::visibility("default")]] int gettimeofday(timeval* __restrict now,
                                                void* __restrict) noexcept {
  timespec precise{};
  if (read_clock(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

[[gnu::visibility("default")]] time_t time(time_t* now) noexcept {
  timespec precise{};
  if (read_clock(CLOCK_REALTIME, &precise) != 0) return -1;
  if (now != nullptr) *now = precise.tv_sec;
  return precise.tv_sec;
}

}  // extern "C"
