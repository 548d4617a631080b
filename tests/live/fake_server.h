// fake_server: something that listens where a Redis server is expected, and is none.

#ifndef REDLOCK_LIVE_FAKE_SERVER_H
#define REDLOCK_LIVE_FAKE_SERVER_H

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sockets.h"

namespace redlock::live {

// Greets each client, and then answers each chunk of bytes that it receives, with whatever bytes it
// is given. Thread safety: all members from any threads; `answer` is called on a thread of its own,
// one call at a time.
class fake_server {
 public:
  using answer = std::function<std::string(std::string_view received)>;

  explicit fake_server(answer a, std::string greeting = {});
  ~fake_server();
  fake_server(const fake_server&) = delete;
  fake_server& operator=(const fake_server&) = delete;

  [[nodiscard]] static std::string nothing(std::string_view) { return {}; }

  [[nodiscard]] std::string uri() const;
  [[nodiscard]] std::size_t received() const noexcept { return received_; }  // bytes so far
  [[nodiscard]] std::size_t accepted() const noexcept { return accepted_; }  // connections so far

 private:
  void run();
  void serve(descriptor& client);

  const reserved_port port_;
  const answer answer_;
  const std::string greeting_;
  const descriptor listener_;
  bell bell_;
  std::atomic<bool> ending_ = false;
  std::atomic<std::size_t> received_ = 0;
  std::atomic<std::size_t> accepted_ = 0;
  std::vector<descriptor> clients_;  // thread_'s
  std::thread thread_;
};

// A port whose listener's queue is full: connecting to it neither succeeds nor fails, as with a
// host that drops every packet.
class black_hole {
 public:
  black_hole();
  [[nodiscard]] std::string uri() const;

 private:
  const reserved_port port_;
  const descriptor listener_;
  std::vector<descriptor> queue_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_FAKE_SERVER_H
