// Plain blocking sockets with a time limit.

#include "loopback.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

#include "descriptor.h"
#include "exit_code.h"

namespace redlock::tool {
namespace {

constexpr int first_port = 10'000;  // below are those that well-known services use
constexpr int attempts_max = 1'000;
constexpr std::size_t reply_bytes_max = 16'384;
constexpr auto patience = std::chrono::milliseconds{200};

sockaddr_in address_of(std::uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

const sockaddr* generic(const sockaddr_in& a) { return reinterpret_cast<const sockaddr*>(&a); }

struct port_range {
  int first;
  int last;
};

// The larger of the two parts that the kernel's own range leaves.
port_range ports_to_try() {
  int low = 32'768;
  int high = 60'999;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> low >> high;
  const port_range below{first_port, low - 1};
  const port_range above{std::max(high + 1, first_port), 65'535};
  const port_range larger = below.last - below.first >= above.last - above.first ? below : above;
  return larger.last > larger.first ? larger : port_range{first_port, 65'535};
}

bool is_free(std::uint16_t port) {
  const descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!s) throw system_failure("socket");
  const sockaddr_in a = address_of(port);
  return ::bind(s.fd(), generic(a), sizeof a) == 0;
}

// Sends `request` and returns what comes back until it contains `end`, or as much as came in time.
std::string ask(std::uint16_t port, std::string_view request, std::string_view end) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const descriptor s(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in a = address_of(port);
  // On the loopback address both end at once, one way or the other.
  if (!s || ::connect(s.fd(), generic(a), sizeof a) != 0) return {};
  if (::send(s.fd(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return {};

  std::string reply;
  while (reply.find(end) == std::string::npos && reply.size() < reply_bytes_max) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd readable{s.fd(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&readable, 1, static_cast<int>(left.count())) <= 0) break;
    std::array<char, 4096> buffer;
    const ssize_t n = ::recv(s.fd(), buffer.data(), buffer.size(), 0);
    if (n <= 0) break;
    reply.append(buffer.data(), static_cast<std::size_t>(n));
  }
  return reply;
}

}  // namespace

std::uint16_t free_port() {
  const port_range range = ports_to_try();
  std::random_device random;
  std::uniform_int_distribution<int> any(range.first, range.last);
  for (int i = 0; i < attempts_max; ++i) {
    const auto port = static_cast<std::uint16_t>(any(random));
    if (is_free(port)) return port;
  }
  throw failed(exit_code::unavailable, "found no free port on the loopback address");
}

bool answers(std::uint16_t port, pid_t pid) {
  const std::string identity = fmt::format("\r\nprocess_id:{}\r\n", pid);
  const std::string reply = ask(port, "PING\r\nINFO server\r\n", identity);
  return reply.starts_with("+PONG\r\n") && reply.find(identity) != std::string::npos;
}

}  // namespace redlock::tool
