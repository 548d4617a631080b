// The system calls.

#include "io/socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace redlock::io {
namespace {

void set(int fd, int level, int name, int value) noexcept {
  // Each makes the connection better, none is needed; a unix socket has none of them.
  static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
}

void tune(int fd) noexcept {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  // A peer that vanished without a word while the connection was idle is noticed in 25 seconds;
  // with commands pending, the rule for hung connections is faster.
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

}  // namespace

std::vector<address> numeric_addresses(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  std::vector<address> list;
  for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
    address one;
    std::memcpy(&one.where, a->ai_addr, a->ai_addrlen);
    one.length = a->ai_addrlen;
    list.push_back(one);
  }
  ::freeaddrinfo(found);
  return list;
}

std::vector<address> unix_addresses(std::string_view path) {
  sockaddr_un un{};
  if (path.size() >= sizeof un.sun_path) return {};
  un.sun_family = AF_UNIX;
  path.copy(un.sun_path, path.size());
  address one;
  std::memcpy(&one.where, &un, sizeof un);
  one.length = sizeof un;
  return {one};
}

stream& stream::operator=(stream&& other) noexcept {
  close();
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

stream::~stream() { close(); }

int stream::connect(const address& to) noexcept {
  close();
  fd_ = ::socket(to.where.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return errno;
  tune(fd_);
  const auto* where = reinterpret_cast<const sockaddr*>(&to.where);
  if (::connect(fd_, where, to.length) == 0 || errno == EINPROGRESS) return 0;
  return errno;
}

int stream::connect_error() const noexcept {
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

std::ptrdiff_t stream::send(std::string_view bytes) noexcept {
  for (;;) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) return sent;
    if (errno != EINTR) return errno == EWOULDBLOCK ? -EAGAIN : -errno;
  }
}

std::ptrdiff_t stream::receive(std::span<char> into) noexcept {
  for (;;) {
    const ssize_t got = ::recv(fd_, into.data(), into.size(), 0);
    if (got >= 0) return got;
    if (errno != EINTR) return errno == EWOULDBLOCK ? -EAGAIN : -errno;
  }
}

void stream::close() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace redlock::io
