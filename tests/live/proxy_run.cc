// What the proxy's own thread does.

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "proxy.h"

namespace redlock::live {
namespace {

constexpr std::size_t requests = 0;
constexpr std::size_t replies = 1;
constexpr std::size_t opposite(std::size_t end) { return 1 - end; }

constexpr std::size_t chunks_max = 4096;  // per direction; beyond, the sender is made to wait

bool would_block(ssize_t n) noexcept { return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK); }

}  // namespace

void proxy::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    turn();
    turns_done_ = turns_wanted_;
    turned_.notify_all();
    const time_point now = std::chrono::steady_clock::now();
    std::vector<pollfd> fds = watched(now);
    const int limit = patience_until_due(now);
    lock.unlock();
    ::poll(fds.data(), fds.size(), limit);
    bell_.hush();
    lock.lock();
  }
}

// Tries everything that might be possible; which of the descriptors woke us does not matter.
void proxy::turn() {
  fulfil_wish();
  abort_incomplete();
  accept_new();
  const time_point now = std::chrono::steady_clock::now();
  for (link& l : links_) {
    for (const std::size_t d : {requests, replies}) {
      receive(l, d, now);
      deliver(l, d, now);
    }
  }
  links_.remove_if(
      [](const link& l) { return l.streams[requests].finished && l.streams[replies].finished; });
}

void proxy::fulfil_wish() {
  if (wish_) wish_();
  wish_ = nullptr;
}

void proxy::accept_new() {
  while (listener_) {
    descriptor client = accept_from(listener_);
    if (!client) return;
    ++accepted_;
    descriptor server = connect_to(server_port_);
    if (server) {
      links_.push_back({{std::move(client), std::move(server)}, {}});
    } else {
      abort_connection(client);
    }
  }
}

// A stream with a hole in it must not go on.
void proxy::abort_incomplete() {
  links_.remove_if([this](link& l) {
    bool broken = false;
    for (const std::size_t d : {requests, replies}) {
      broken |= l.streams[d].incomplete && rules_[d].how != treatment::swallow;
    }
    if (!broken) return false;
    for (descriptor& end : l.ends) abort_connection(end);
    return true;
  });
}

void proxy::receive(link& l, std::size_t d, time_point now) {
  stream& s = l.streams[d];
  while (!s.source_ended && s.queue.size() < chunks_max) {
    std::array<char, 16'384> buffer;
    const ssize_t n = ::recv(l.ends[d].get(), buffer.data(), buffer.size(), 0);
    if (would_block(n)) return;
    if (n <= 0) {
      s.source_ended = true;
    } else if (rules_[d].how == treatment::swallow) {
      s.incomplete = true;
      swallowed_[d] += static_cast<std::size_t>(n);
    } else {
      const bool late = rules_[d].how == treatment::pass;
      s.queue.push_back(
          {{buffer.data(), static_cast<std::size_t>(n)}, late ? now + rules_[d].delay : now});
    }
  }
}

void proxy::deliver(link& l, std::size_t d, time_point now) {
  stream& s = l.streams[d];
  const int target = l.ends[opposite(d)].get();
  while (is_due(l, d, now)) {
    std::string& bytes = s.queue.front().bytes;
    const bool trickles = rules_[d].how == treatment::trickle;
    const ssize_t n = ::send(target, bytes.data(), trickles ? 1 : bytes.size(), MSG_NOSIGNAL);
    if (would_block(n)) return;
    if (trickles) s.next_byte = now + rules_[d].delay;
    if (n < 0) {  // nobody is there any more
      s.queue.clear();
      s.source_ended = true;
      break;
    }
    passed_[d] += static_cast<std::size_t>(n);
    bytes.erase(0, static_cast<std::size_t>(n));
    if (bytes.empty()) s.queue.pop_front();
  }
  if (s.source_ended && s.queue.empty() && !s.finished) {
    s.finished = true;
    ::shutdown(target, SHUT_WR);
  }
}

bool proxy::is_held(const link& l, std::size_t d) const {
  return l.stranded || rules_[d].how == treatment::hold;
}

bool proxy::is_due(const link& l, std::size_t d, time_point now) const {
  return !l.streams[d].queue.empty() && !is_held(l, d) && due(l.streams[d], d) <= now;
}

proxy::time_point proxy::due(const stream& s, std::size_t d) const {
  if (rules_[d].how == treatment::trickle) return s.next_byte;
  if (rules_[d].delay.count() == 0) return {};
  return s.queue.front().due;
}

std::vector<pollfd> proxy::watched(time_point now) const {
  std::vector<pollfd> fds{{bell_.fd(), POLLIN, 0}};
  if (listener_) fds.push_back({listener_.get(), POLLIN, 0});
  for (const link& l : links_) {
    for (const std::size_t d : {requests, replies}) {
      const stream& s = l.streams[d];
      if (!s.source_ended && s.queue.size() < chunks_max) {
        fds.push_back({l.ends[d].get(), POLLIN, 0});
      }
      if (is_due(l, d, now)) fds.push_back({l.ends[opposite(d)].get(), POLLOUT, 0});
    }
  }
  return fds;
}

// In whole milliseconds, rounded up; -1 for ever.
int proxy::patience_until_due(time_point now) const {
  int limit = -1;
  for (const link& l : links_) {
    for (const std::size_t d : {requests, replies}) {
      const stream& s = l.streams[d];
      if (s.queue.empty() || is_held(l, d) || due(s, d) <= now) continue;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(due(s, d) - now);
      const auto ms = static_cast<int>(left.count());
      limit = limit < 0 ? ms : std::min(limit, ms);
    }
  }
  return limit;
}

}  // namespace redlock::live
