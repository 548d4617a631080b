// How often this process has called epoll_ctl, on any thread.

#ifndef REDLOCK_BENCH_EPOLL_COUNT_H
#define REDLOCK_BENCH_EPOLL_COUNT_H

#include <cstdint>

namespace redlock::bench {

[[nodiscard]] std::uint64_t epoll_ctl_calls() noexcept;

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_EPOLL_COUNT_H
