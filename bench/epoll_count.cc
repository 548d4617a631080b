// The executable's own epoll_ctl, which the libraries that it is linked with call as well: no
// tracer is needed, and nothing is slowed down. What does not go through the C library is not seen;
// that hiredis' stock adapter is seen to call it shows that it works.

#include "bench/epoll_count.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace {

std::atomic<std::uint64_t> calls = 0;  // the one global: a C function has no other place for it

}  // namespace

extern "C" int epoll_ctl(int epoll, int operation, int fd, epoll_event* event) noexcept {
  calls.fetch_add(1, std::memory_order_relaxed);
  return static_cast<int>(::syscall(SYS_epoll_ctl, epoll, operation, fd, event));
}

namespace redlock::bench {

std::uint64_t epoll_ctl_calls() noexcept { return calls.load(std::memory_order_relaxed); }

}  // namespace redlock::bench
