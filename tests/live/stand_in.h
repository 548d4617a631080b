// stand_in: something that lets itself be set up like a master, enrolment and queues included, and
// answers every other script with whatever bytes the test chose.

#ifndef REDLOCK_LIVE_STAND_IN_H
#define REDLOCK_LIVE_STAND_IN_H

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "fake_server.h"

namespace redlock::live {

// For one client. Thread safety: all members from any threads.
class stand_in {
 public:
  stand_in() = default;

  // From now on, the reply to each script, in full: "-BUSY for a while\r\n".
  void answer_with(std::string reply);

  [[nodiscard]] std::string uri() const { return server_.uri(); }
  [[nodiscard]] std::size_t accepted() const noexcept { return server_.accepted(); }
  [[nodiscard]] std::size_t scripts() const;  // how many it was asked to run so far

 private:
  std::string on_bytes(std::string_view bytes);
  std::string on_command(const std::vector<std::string>& words);

  mutable std::mutex mutex_;
  std::string reply_ = "-ERR not told what to say\r\n";
  std::size_t scripts_ = 0;
  std::string unread_;  // what is no whole command yet
  fake_server server_{[this](std::string_view bytes) { return on_bytes(bytes); }};
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_STAND_IN_H
