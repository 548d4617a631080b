// A non-blocking stream socket, and the addresses it connects to. Knows nothing of Redis.

#ifndef REDLOCK_LIB_IO_SOCKET_H
#define REDLOCK_LIB_IO_SOCKET_H

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlock::io {

struct address {
  sockaddr_storage where{};
  socklen_t length = 0;
};

// Only IP addresses written as numbers: never asks a name server, never blocks. Empty if it is
// none.
[[nodiscard]] std::vector<address> numeric_addresses(const std::string& host, std::uint16_t port);

// Empty if the path is too long for a unix socket.
[[nodiscard]] std::vector<address> unix_addresses(std::string_view path);

// One connection. Errors are errno values; 0 is none. Move-only; closes itself.
class stream {
 public:
  stream() = default;
  stream(stream&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  stream& operator=(stream&& other) noexcept;
  ~stream();

  // Starts to connect. When it becomes writable, connect_error() says how that ended.
  [[nodiscard]] int connect(const address& to) noexcept;
  [[nodiscard]] int connect_error() const noexcept;

  // Never raises SIGPIPE. Bytes sent or received; 0 received is the peer's end; negative: -errno,
  // with -EAGAIN for "not now".
  [[nodiscard]] std::ptrdiff_t send(std::string_view bytes) noexcept;
  [[nodiscard]] std::ptrdiff_t receive(std::span<char> into) noexcept;

  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_SOCKET_H
