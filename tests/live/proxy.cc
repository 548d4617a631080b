#include "proxy.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace redlock::live {
namespace {

constexpr std::size_t requests = 0;
constexpr std::size_t replies = 1;
constexpr std::size_t opposite(std::size_t end) { return 1 - end; }
constexpr std::size_t index(direction d) { return static_cast<std::size_t>(d); }

constexpr std::size_t chunks_max = 4096;  // per direction; beyond, the sender is made to wait

bool would_block(ssize_t n) noexcept { return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK); }

}  // namespace

proxy::proxy(std::uint16_t server_port)
    : server_port_(server_port), listener_(listen_on(port_.number())), thread_([this] { run(); }) {}

proxy::~proxy() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  bell_.ring();
  thread_.join();
}

std::string proxy::name() const { return "127.0.0.1:" + std::to_string(port_.number()); }
std::string proxy::uri() const { return "redis://" + name(); }

void proxy::pass(direction d) { tell(d, {}); }
void proxy::hold(direction d) { tell(d, {treatment::hold, {}}); }
void proxy::swallow(direction d) { tell(d, {treatment::swallow, {}}); }
void proxy::delay(direction d, std::chrono::milliseconds by) { tell(d, {treatment::pass, by}); }
void proxy::strand() { ask(wish::strand); }
void proxy::thaw() { ask(wish::thaw); }
void proxy::cut() { ask(wish::cut); }
void proxy::refuse() { ask(wish::refuse); }
void proxy::accept() { ask(wish::accept); }

std::size_t proxy::held(direction d) const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const link& l : links_) {
    for (const chunk& c : l.streams[index(d)].queue) sum += c.bytes.size();
  }
  return sum;
}

std::size_t proxy::passed(direction d) const {
  const std::lock_guard lock(mutex_);
  return passed_[index(d)];
}

std::size_t proxy::swallowed(direction d) const {
  const std::lock_guard lock(mutex_);
  return swallowed_[index(d)];
}

std::size_t proxy::connections() const {
  const std::lock_guard lock(mutex_);
  return links_.size();
}

std::size_t proxy::accepted() const {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

void proxy::tell(direction d, rule r) {
  std::unique_lock lock(mutex_);
  rules_[index(d)] = r;
  await_turn(lock);
}

void proxy::ask(wish w) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return wish_ == wish::nothing; });  // another thread's
  wish_ = w;
  await_turn(lock);
}

// What was told to it has taken effect after a whole turn of the thread that began later.
void proxy::await_turn(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t mine = ++turns_wanted_;
  bell_.ring();
  turned_.wait(lock, [&] { return turns_done_ >= mine; });
}

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
  if (wish_ == wish::accept && !listener_) listener_ = listen_on(port_.number());
  if (wish_ == wish::refuse) listener_.reset();
  if (wish_ == wish::cut || wish_ == wish::refuse) {
    for (link& l : links_) {
      for (descriptor& end : l.ends) abort_connection(end);
    }
    links_.clear();
  }
  if (wish_ == wish::strand || wish_ == wish::thaw) {
    for (link& l : links_) l.stranded = wish_ == wish::strand;
  }
  wish_ = wish::nothing;
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
      s.queue.push_back({{buffer.data(), static_cast<std::size_t>(n)}, now + rules_[d].delay});
    }
  }
}

void proxy::deliver(link& l, std::size_t d, time_point now) {
  stream& s = l.streams[d];
  const int target = l.ends[opposite(d)].get();
  while (is_due(l, d, now)) {
    std::string& bytes = s.queue.front().bytes;
    const ssize_t n = ::send(target, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (would_block(n)) return;
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
  const stream& s = l.streams[d];
  if (s.queue.empty() || is_held(l, d)) return false;
  return s.queue.front().due <= now || rules_[d].delay.count() == 0;
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
      if (s.queue.empty() || is_held(l, d) || s.queue.front().due <= now) continue;
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(s.queue.front().due - now);
      const auto ms = static_cast<int>(left.count());
      limit = limit < 0 ? ms : std::min(limit, ms);
    }
  }
  return limit;
}

}  // namespace redlock::live
