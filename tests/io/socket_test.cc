// socket: addresses, and one connection over the loopback, with the test as its peer.

#include "io/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace redlock::io {
namespace {

using namespace std::string_view_literals;

// A listening socket on a port of the system's choice, and the connections it took.
class peer {
 public:
  peer() {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::memcpy(&where_, &here, sizeof here);
    EXPECT_EQ(::bind(listener_, address_of(where_), sizeof here), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    socklen_t length = sizeof where_;
    EXPECT_EQ(::getsockname(listener_, address_of(where_), &length), 0);
  }
  peer(const peer&) = delete;
  peer& operator=(const peer&) = delete;
  ~peer() {
    hang_up();
    ::close(listener_);
  }

  [[nodiscard]] std::uint16_t port() const {
    sockaddr_in here{};
    std::memcpy(&here, &where_, sizeof here);
    return ntohs(here.sin_port);
  }
  void take() { taken_ = ::accept(listener_, nullptr, nullptr); }
  void say(std::string_view bytes) const {
    EXPECT_EQ(::send(taken_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] std::string hear(std::size_t size) const {
    std::string bytes(size, '?');
    const ssize_t got = ::recv(taken_, bytes.data(), size, MSG_WAITALL);
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
  void hang_up() {
    if (taken_ >= 0) ::close(taken_);
    taken_ = -1;
  }

 private:
  static sockaddr* address_of(sockaddr_storage& s) { return reinterpret_cast<sockaddr*>(&s); }
  int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int taken_ = -1;
  sockaddr_storage where_{};
};

bool becomes(const stream& s, short event) {
  pollfd one{.fd = s.fd(), .events = event, .revents = 0};
  return ::poll(&one, 1, 20'000) == 1;
}

stream connected(peer& to) {
  stream s;
  EXPECT_EQ(s.connect(numeric_addresses("127.0.0.1", to.port()).at(0)), 0);
  EXPECT_TRUE(becomes(s, POLLOUT));
  EXPECT_EQ(s.connect_error(), 0);
  to.take();
  return s;
}

TEST(Addresses, AreMadeOfNumbersOfBothKindsWithTheirPort) {
  const auto four = numeric_addresses("10.1.2.3", 6379);
  ASSERT_EQ(four.size(), 1U);
  sockaddr_in in{};
  ASSERT_EQ(four[0].length, sizeof in);
  std::memcpy(&in, &four[0].where, sizeof in);
  EXPECT_EQ(in.sin_family, AF_INET);
  EXPECT_EQ(ntohl(in.sin_addr.s_addr), 0x0a010203U);
  EXPECT_EQ(ntohs(in.sin_port), 6379);

  const auto six = numeric_addresses("::1", 65535);
  ASSERT_EQ(six.size(), 1U);
  sockaddr_in6 in6{};
  ASSERT_EQ(six[0].length, sizeof in6);
  std::memcpy(&in6, &six[0].where, sizeof in6);
  EXPECT_EQ(in6.sin6_family, AF_INET6);
  EXPECT_EQ(in6.sin6_addr.s6_addr[15], 1);
  EXPECT_EQ(ntohs(in6.sin6_port), 65535);
}

TEST(Addresses, AreNoneForNames) {
  for (const char* name :
       {"localhost", "example.org", "10.1.2.3.4", "10.1.2.x", "[::1]", ":::", " "}) {
    EXPECT_TRUE(numeric_addresses(name, 6379).empty()) << name;
  }
}

TEST(Addresses, OfUnixSocketsAreTheirPathsUpToWhatTheSystemTakes) {
  const std::string longest = "/" + std::string(106, 'x');
  const auto made = unix_addresses(longest);
  ASSERT_EQ(made.size(), 1U);
  sockaddr_un un{};
  ASSERT_EQ(made[0].length, sizeof un);
  std::memcpy(&un, &made[0].where, sizeof un);
  EXPECT_EQ(un.sun_family, AF_UNIX);
  EXPECT_EQ(std::string_view(static_cast<const char*>(un.sun_path)), longest);
  EXPECT_TRUE(unix_addresses(longest + "x").empty());
}

TEST(Stream, IsClosedAtFirst) {
  stream s;
  EXPECT_FALSE(s.is_open());
  s.close();
  EXPECT_FALSE(s.is_open());
}

TEST(Stream, CarriesBytesBothWays) {
  peer other;
  stream s = connected(other);
  EXPECT_EQ(s.send("a\0b"sv), 3);
  EXPECT_EQ(other.hear(3), "a\0b"sv);
  std::array<char, 8> into{};
  EXPECT_EQ(s.receive(into), -EAGAIN) << "not now";
  other.say("hello");
  ASSERT_TRUE(becomes(s, POLLIN));
  EXPECT_EQ(s.receive(into), 5);
  EXPECT_EQ(std::string_view(into.data(), 5), "hello");
}

TEST(Stream, SaysNotNowWhenThePeerDoesNotRead) {
  peer other;
  stream s = connected(other);
  const std::string much(1 << 20, 'x');
  std::ptrdiff_t sent = 1;
  for (int i = 0; i < 100 && sent > 0; ++i) sent = s.send(much);
  EXPECT_EQ(sent, -EAGAIN);
}

TEST(Stream, TellsThePeersEnd) {
  peer other;
  stream s = connected(other);
  other.hang_up();
  ASSERT_TRUE(becomes(s, POLLIN));
  std::array<char, 8> into{};
  EXPECT_EQ(s.receive(into), 0);
}

TEST(Stream, GivesAnErrorAndNoSignalWhenThePeerIsGone) {
  peer other;
  stream s = connected(other);
  other.hang_up();
  std::ptrdiff_t sent = 1;
  for (int i = 0; i < 1000 && sent > 0; ++i) {
    sent = s.send("x");
    if (sent > 0) static_cast<void>(becomes(s, POLLIN | POLLERR));
  }
  EXPECT_TRUE(sent == -EPIPE || sent == -ECONNRESET) << sent;
}

TEST(Stream, SaysHowConnectingEnded) {
  std::uint16_t port = 0;
  {
    const peer gone;
    port = gone.port();
  }
  stream s;
  const int at_once = s.connect(numeric_addresses("127.0.0.1", port).at(0));
  if (at_once == 0) {
    ASSERT_TRUE(becomes(s, POLLOUT));
    EXPECT_EQ(s.connect_error(), ECONNREFUSED);
  } else {
    EXPECT_EQ(at_once, ECONNREFUSED);
  }
  stream nowhere;
  EXPECT_EQ(nowhere.connect(unix_addresses("/nonexistent/redis.sock").at(0)), ENOENT);
}

TEST(Stream, DoesNotBlockNorOutliveAnExec) {
  peer other;
  const stream s = connected(other);
  EXPECT_NE(::fcntl(s.fd(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(::fcntl(s.fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Stream, ClosesItsConnectionOnceWhoeverOwnsItLast) {
  peer other;
  stream first = connected(other);
  const int fd = first.fd();
  stream second(std::move(first));
  EXPECT_FALSE(first.is_open());  // NOLINT(bugprone-use-after-move): closed is what it is then
  EXPECT_EQ(second.fd(), fd);
  {
    stream third;
    third = std::move(second);
    EXPECT_EQ(third.fd(), fd);
  }
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
  EXPECT_EQ(other.hear(1), "") << "the peer sees the end";
}

}  // namespace
}  // namespace redlock::io
