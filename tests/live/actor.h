// actor: a client of the library in a process of its own (actor_main.cc).

#ifndef REDLOCK_LIVE_ACTOR_H
#define REDLOCK_LIVE_ACTOR_H

#include <string>

#include "masters.h"
#include "process.h"
#include "sockets.h"

namespace redlock::live {

class actor {
 public:
  actor(const std::string& role, const std::string& argument, masters& nodes);

  [[nodiscard]] live::process& process() noexcept { return process_; }
  // Waits until it has printed this line, among others. False if it does not.
  [[nodiscard]] bool says(const std::string& line);

 private:
  struct pipe_ends {
    pipe_ends();
    descriptor reader;
    descriptor writer;
  };

  pipe_ends output_;
  live::process process_;
  std::string said_ = "\n";
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_ACTOR_H
