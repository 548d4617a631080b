// File descriptors with an owner, and the few socket calls that the fixture needs.
//
// Loopback only. Everything is close-on-exec, so that no server started meanwhile inherits it.

#ifndef REDLOCK_LIVE_SOCKETS_H
#define REDLOCK_LIVE_SOCKETS_H

#include <cstdint>
#include <string>
#include <utility>

namespace redlock::live {

// Owns a file descriptor, or nothing (-1).
class descriptor {
 public:
  descriptor() noexcept = default;
  explicit descriptor(int fd) noexcept : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept;
  ~descriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

// Throws std::system_error with errno and `what` if `status` is negative; else returns it.
int checked(int status, const char* what);

// A TCP port of 127.0.0.1 (and ::1) that no other live test takes for as long as this object lives,
// also while nothing listens on it. Below the range of ports that connecting sockets are given, so
// that nobody gets it by chance while a server restarts, and no socket connects to itself.
class reserved_port {
 public:
  reserved_port();  // throws std::system_error if all are taken
  [[nodiscard]] std::uint16_t number() const noexcept { return number_; }

 private:
  std::uint16_t number_ = 0;
  descriptor claim_;  // an abstract unix socket named after the port
};

// A non-blocking listener on 127.0.0.1. Throws std::system_error.
[[nodiscard]] descriptor listen_on(std::uint16_t number, int backlog = 128);

// A non-blocking socket that is connected, or is being connected, to 127.0.0.1. Nothing if refused.
[[nodiscard]] descriptor connect_to(std::uint16_t number);

// A connection waiting at a listener, non-blocking. Nothing if there is none.
[[nodiscard]] descriptor accept_from(const descriptor& listener);

// Closes with RST rather than FIN: what a peer sees when a process or a path dies rudely.
void abort_connection(descriptor& socket) noexcept;

// Wakes a thread out of poll(). Any thread may ring; one polls and hushes.
class bell {
 public:
  bell();
  void ring() noexcept;
  void hush() noexcept;
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }

 private:
  descriptor fd_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_SOCKETS_H
