#include "fake_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>

namespace redlock::live {
namespace {

std::string uri_of(const reserved_port& p) {
  return "redis://127.0.0.1:" + std::to_string(p.number());
}

void say(const descriptor& client, const std::string& bytes) {
  // Small enough for any socket buffer; a client that is gone shows at the next recv().
  static_cast<void>(::send(client.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

}  // namespace

fake_server::fake_server(answer a, std::string greeting)
    : answer_(std::move(a)),
      greeting_(std::move(greeting)),
      listener_(listen_on(port_.number())),
      thread_([this] { run(); }) {}

fake_server::~fake_server() {
  ending_ = true;
  bell_.ring();
  thread_.join();
}

std::string fake_server::uri() const { return uri_of(port_); }

void fake_server::run() {
  while (!ending_) {
    std::vector<pollfd> fds{{bell_.fd(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const descriptor& client : clients_) fds.push_back({client.get(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), -1);
    bell_.hush();
    while (descriptor client = accept_from(listener_)) {
      ++accepted_;
      say(client, greeting_);
      clients_.push_back(std::move(client));
    }
    for (descriptor& client : clients_) serve(client);
    std::erase_if(clients_, [](const descriptor& client) { return !client; });
  }
}

void fake_server::serve(descriptor& client) {
  std::array<char, 16'384> buffer;
  for (;;) {
    const ssize_t n = ::recv(client.get(), buffer.data(), buffer.size(), 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return client.reset();
    received_ += static_cast<std::size_t>(n);
    say(client, answer_({buffer.data(), static_cast<std::size_t>(n)}));
  }
}

// Linux drops what a full queue has no place for, and the connecting side tries on.
black_hole::black_hole() : listener_(listen_on(port_.number(), 0)) {
  constexpr int tries = 64;
  for (int i = 0; i < tries; ++i) {
    queue_.push_back(connect_to(port_.number()));
    pollfd fd{queue_.back().get(), POLLOUT, 0};
    constexpr int ms = 100;
    if (::poll(&fd, 1, ms) == 0) return;
  }
  throw std::runtime_error("the listener's queue has no end");
}

std::string black_hole::uri() const { return uri_of(port_); }

}  // namespace redlock::live
