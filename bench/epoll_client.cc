// System calls, and as much of RESP as the replies need.

#include "bench/epoll_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <stdexcept>

namespace redlock::bench {
namespace {

constexpr std::size_t incomplete = 0;

// The number after the sign at `at`; moves `at` behind its line. False if the line is not complete.
bool read_number(std::string_view text, std::size_t& at, std::size_t& n) {
  const std::size_t end = text.find("\r\n", at);
  if (end == std::string_view::npos) return false;
  std::from_chars(text.data() + at + 1, text.data() + end, n);
  at = end + 2;
  return true;
}

// The length of the reply at the beginning of the text: an array of strings. Anything else is an
// error of the server.
std::size_t reply_length(std::string_view text) {
  if (text.empty()) return incomplete;
  if (text.front() != '*') throw std::runtime_error("a server answered " + std::string(text));
  std::size_t at = 0;
  std::size_t count = 0;
  if (!read_number(text, at, count)) return incomplete;
  for (; count > 0; --count) {
    std::size_t length = 0;
    if (at >= text.size() || !read_number(text, at, length)) return incomplete;
    at += length + 2;
  }
  return at <= text.size() ? at : incomplete;
}

// By the first string of the array.
bool is_yes(std::string_view reply) {
  const std::string_view first = reply.substr(reply.find("\r\n") + 2);
  return first.starts_with("$8\r\nacquired") || first.starts_with("$7\r\ndeleted");
}

}  // namespace

epoll_client::epoll_client(live::masters& nodes, std::size_t quorum)
    : quorum_client(nodes, quorum, "epoll"),
      epoll_(live::checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    connection& c = connections_.emplace_back();
    c.socket = live::connect_to(nodes[i].port());
    const int on = 1;
    live::checked(::setsockopt(c.socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on),
                  "nodelay");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    live::checked(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, c.socket.get(), &event), "epoll_ctl");
  }
}

void epoll_client::queue(std::size_t node, std::string_view bytes, tag whose) {
  connections_[node].out += bytes;
  connections_[node].waiting.push(whose);
}

void epoll_client::turn() {
  for (connection& c : connections_) {
    if (c.out.empty()) continue;
    const ssize_t sent = ::send(c.socket.get(), c.out.data(), c.out.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) throw std::runtime_error("a connection broke");
    if (sent > 0) c.out.erase(0, static_cast<std::size_t>(sent));
  }
  // What a socket did not take goes with the next turn; there is one, since replies are due.
  std::array<epoll_event, 16> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), -1);
  for (int i = 0; i < count; ++i) {
    read(connections_[events[static_cast<std::size_t>(i)].data.u64]);
  }
}

void epoll_client::read(connection& c) {
  std::array<char, std::size_t{64} * 1024> bytes;
  const ssize_t got = ::recv(c.socket.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) throw std::runtime_error("a connection broke");
  c.in.append(bytes.data(), static_cast<std::size_t>(got));
  std::string_view rest = c.in;
  while (const std::size_t length = reply_length(rest)) {
    on_reply(c.waiting.pop(), is_yes(rest));
    rest.remove_prefix(length);
  }
  c.in.erase(0, c.in.size() - rest.size());
}

}  // namespace redlock::bench
