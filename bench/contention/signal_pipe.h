// signal_pipe: bytes, and an end, that processes which share it wait for. Made before they are
// forked.

#ifndef REDLOCK_BENCH_CONTENTION_SIGNAL_PIPE_H
#define REDLOCK_BENCH_CONTENTION_SIGNAL_PIPE_H

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>

#include "tests/live/sockets.h"

namespace redlock::bench {

// What is at most PIPE_BUF long is written and read in one piece.
class signal_pipe {
 public:
  signal_pipe() {
    std::array<int, 2> ends{};
    live::checked(::pipe2(ends.data(), O_CLOEXEC), "pipe");
    reader_ = live::descriptor(ends[0]);
    writer_ = live::descriptor(ends[1]);
  }

  void close_writer() noexcept { writer_.reset(); }

  template <class T>
  void write(const T& message) const {
    live::checked(static_cast<int>(::write(writer_.get(), &message, sizeof message)), "write");
  }

  // Waits for a message. False: all writers have closed it.
  template <class T>
  [[nodiscard]] bool read(T& message) const {
    ssize_t got = -1;
    do {
      got = ::read(reader_.get(), &message, sizeof message);
    } while (got < 0 && errno == EINTR);
    return live::checked(static_cast<int>(got), "read") == sizeof message;
  }

  [[nodiscard]] bool readable_within(std::chrono::milliseconds limit) const {
    pollfd p{.fd = reader_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&p, 1, static_cast<int>(limit.count())) > 0;
  }

 private:
  live::descriptor reader_;
  live::descriptor writer_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_SIGNAL_PIPE_H
