// System calls.

#include "bench/contention/bare_quorum.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

namespace redlock::bench {
namespace {

constexpr int patience_ms = 20'000;

}  // namespace

bare_quorum::bare_quorum(const std::vector<std::uint16_t>& ports) {
  for (const std::uint16_t port : ports) {
    nodes_.push_back({.socket = live::connect_to(port)});
    pollfd p{.fd = nodes_.back().socket.get(), .events = POLLOUT, .revents = 0};
    if (::poll(&p, 1, patience_ms) != 1 || p.revents != POLLOUT) {
      throw std::runtime_error("a node takes no connection");
    }
    p.events = POLLIN;
    polls_.push_back(p);
  }
}

void bare_quorum::write(std::string_view command) {
  for (connection& c : nodes_) {
    const ssize_t sent = ::send(c.socket.get(), command.data(), command.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(command.size())) throw std::runtime_error("not written");
    ++c.pending;
  }
}

bool bare_quorum::majority_says(std::string_view yes) {
  const std::size_t majority = nodes_.size() / 2 + 1;
  count votes;
  for (;;) {
    wait_for_replies();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (polls_[i].revents != 0) read(nodes_[i], yes, votes);
    }
    if (votes.yes >= majority) return true;
    if (votes.no > nodes_.size() - majority) return false;
  }
}

void bare_quorum::await_all() {
  count votes;
  while (std::any_of(nodes_.begin(), nodes_.end(), [](auto& c) { return c.pending > 0; })) {
    wait_for_replies();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (polls_[i].revents != 0) read(nodes_[i], {}, votes);
    }
  }
}

void bare_quorum::wait_for_replies() {
  int ready = -1;
  do {
    ready = ::poll(polls_.data(), polls_.size(), patience_ms);
  } while (ready < 0 && errno == EINTR);
  if (ready <= 0) throw std::runtime_error("the nodes do not answer");
}

// Of several replies, the last one is that to the last command; those before it come late.
void bare_quorum::read(connection& c, std::string_view yes, count& votes) {
  std::array<char, 4096> bytes;
  const ssize_t got = ::recv(c.socket.get(), bytes.data(), bytes.size(), 0);
  if (got <= 0) throw std::runtime_error("a connection broke");
  c.in.append(bytes.data(), static_cast<std::size_t>(got));
  std::size_t start = 0;
  for (std::size_t end = 0; (end = c.in.find("\r\n", start)) != std::string::npos;) {
    const std::string_view line = std::string_view(c.in).substr(start, end - start);
    if (line.starts_with('-')) throw std::runtime_error("a node answered " + std::string(line));
    if (c.pending == 0) throw std::runtime_error("a node answered what was not asked");
    if (--c.pending == 0) ++(line == yes ? votes.yes : votes.no);
    start = end + 2;
  }
  c.in.erase(0, start);
}

}  // namespace redlock::bench
