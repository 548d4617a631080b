// descriptor: a file descriptor that closes itself; event: one that other threads can make
// readable.

#ifndef REDLOCK_TOOLS_DESCRIPTOR_H
#define REDLOCK_TOOLS_DESCRIPTOR_H

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "exit_code.h"

namespace redlock::tool {

// Move-only owner. Thread safety as of an int.
class descriptor {
 public:
  descriptor() noexcept = default;
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~descriptor() { close(); }

  void close() noexcept {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Set once by any thread, waited for by one.
class event {
 public:
  event() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!fd_) throw system_failure("eventfd");
  }

  // Any thread. What it wrote before is seen by whoever is_set() told.
  void set() noexcept {
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then the event is set.
    [[maybe_unused]] const ssize_t n = ::write(fd_.fd(), &one, sizeof one);
  }

  // The waiting thread only. Never blocks.
  [[nodiscard]] bool is_set() noexcept {
    std::uint64_t count = 0;
    set_ = set_ || ::read(fd_.fd(), &count, sizeof count) > 0;
    return set_;
  }

  // Readable once it is set, until is_set() has said so.
  [[nodiscard]] int fd() const noexcept { return fd_.fd(); }

 private:
  descriptor fd_;
  bool set_ = false;
};

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_DESCRIPTOR_H
