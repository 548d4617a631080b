#include "sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <random>
#include <system_error>

namespace redlock::live {
namespace {

// Connecting sockets are given ports from 32768 on (net.ipv4.ip_local_port_range).
constexpr int port_first = 20'000;
constexpr int port_count = 12'000;

sockaddr_in loopback(std::uint16_t number) noexcept {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(number);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

const sockaddr* generic(const void* address) noexcept {
  return static_cast<const sockaddr*>(address);
}

// Names in the abstract namespace are as unique as ports, since both belong to the network
// namespace, and they vanish with their process.
descriptor claim(std::uint16_t number) {
  descriptor socket(checked(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), "socket"));
  const std::string name = "redlock-live-port-" + std::to_string(number);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket.get(), generic(&address), size) != 0) return {};
  return socket;
}

bool can_be_bound(std::uint16_t number) {
  try {
    const descriptor probe = listen_on(number);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

descriptor& descriptor::operator=(descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void descriptor::reset() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

int checked(int status, const char* what) {
  if (status < 0) throw std::system_error(errno, std::generic_category(), what);
  return status;
}

reserved_port::reserved_port() {
  std::random_device entropy;
  const auto offset = static_cast<int>(entropy() % port_count);
  for (int i = 0; i < port_count; ++i) {
    const auto candidate = static_cast<std::uint16_t>(port_first + (offset + i) % port_count);
    descriptor socket = claim(candidate);
    if (!socket || !can_be_bound(candidate)) continue;
    number_ = candidate;
    claim_ = std::move(socket);
    return;
  }
  throw std::system_error(EADDRINUSE, std::generic_category(), "no free port");
}

descriptor listen_on(std::uint16_t number, int backlog) {
  constexpr int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  descriptor socket(checked(::socket(AF_INET, kind, 0), "socket"));
  const int on = 1;
  checked(::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), "SO_REUSEADDR");
  const sockaddr_in address = loopback(number);
  checked(::bind(socket.get(), generic(&address), sizeof address), "bind");
  checked(::listen(socket.get(), backlog), "listen");
  return socket;
}

descriptor connect_to(std::uint16_t number) {
  constexpr int kind = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  descriptor socket(checked(::socket(AF_INET, kind, 0), "socket"));
  const int on = 1;
  checked(::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), "TCP_NODELAY");
  const sockaddr_in address = loopback(number);
  if (::connect(socket.get(), generic(&address), sizeof address) != 0 && errno != EINPROGRESS) {
    return {};
  }
  return socket;
}

descriptor accept_from(const descriptor& listener) {
  descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return {};
  const int on = 1;
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

void abort_connection(descriptor& socket) noexcept {
  if (!socket) return;
  const linger at_once{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket.reset();
}

bell::bell() : fd_(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {}

void bell::ring() noexcept { static_cast<void>(::eventfd_write(fd_.get(), 1)); }

void bell::hush() noexcept {
  eventfd_t rung = 0;
  static_cast<void>(::eventfd_read(fd_.get(), &rung));
}

}  // namespace redlock::live
