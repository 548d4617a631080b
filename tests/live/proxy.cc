// What the proxy is told, and what it tells.

#include "proxy.h"

namespace redlock::live {
namespace {

constexpr std::size_t index(direction d) { return static_cast<std::size_t>(d); }

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
void proxy::trickle(direction d, std::chrono::milliseconds each) {
  tell(d, {treatment::trickle, each});
}

void proxy::strand() {
  ask([this] {
    for (link& l : links_) l.stranded = true;
  });
}

void proxy::thaw() {
  ask([this] {
    for (link& l : links_) l.stranded = false;
  });
}

void proxy::cut() {
  ask([this] { cut_all(); });
}

void proxy::refuse() {
  ask([this] {
    listener_.reset();
    cut_all();
  });
}

void proxy::accept() {
  ask([this] {
    if (!listener_) listener_ = listen_on(port_.number());
  });
}

void proxy::half_close(direction d) {
  ask([this, d] {
    for (link& l : links_) l.streams[index(d)].source_ended = true;
  });
}

void proxy::inject(direction d, std::string bytes) {
  ask([this, d, bytes] {
    for (link& l : links_) l.streams[index(d)].queue.push_back({bytes, {}});
  });
}

void proxy::cut_all() {
  for (link& l : links_) {
    for (descriptor& end : l.ends) abort_connection(end);
  }
  links_.clear();
}

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

void proxy::ask(std::function<void()> wish) {
  std::unique_lock lock(mutex_);
  turned_.wait(lock, [&] { return !wish_; });  // another thread's
  wish_ = std::move(wish);
  await_turn(lock);
}

// What was told to it has taken effect after a whole turn of the thread that began later.
void proxy::await_turn(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t mine = ++turns_wanted_;
  bell_.ring();
  turned_.wait(lock, [&] { return turns_done_ >= mine; });
}

}  // namespace redlock::live
