// bare_quorum: one bare socket to each node, and a vote of theirs on one command at a time.

#ifndef REDLOCK_BENCH_CONTENTION_BARE_QUORUM_H
#define REDLOCK_BENCH_CONTENTION_BARE_QUORUM_H

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/live/sockets.h"

namespace redlock::bench {

// Whose replies are of one line each. Thread safety: one thread at a time. All members throw
// std::runtime_error if a connection breaks.
class bare_quorum {
 public:
  explicit bare_quorum(const std::vector<std::uint16_t>& ports);  // returns once connected

  void write(std::string_view command);  // to each node, once
  // Waits until a majority has answered the last command so, or none can any more.
  [[nodiscard]] bool majority_says(std::string_view yes);
  void await_all();  // until each has answered everything

 private:
  struct connection {
    live::descriptor socket;
    std::size_t pending = 0;  // commands without a reply
    std::string in = {};
  };
  struct count {
    std::size_t yes = 0;
    std::size_t no = 0;
  };
  void wait_for_replies();
  void read(connection& c, std::string_view yes, count& votes);

  std::vector<connection> nodes_;
  std::vector<pollfd> polls_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_CONTENTION_BARE_QUORUM_H
