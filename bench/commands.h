// commands: the bytes that the library sends for an acquire and for the release of it, made by the
// library's own code, so that everybody who is measured asks the servers for the same work.

#ifndef REDLOCK_BENCH_COMMANDS_H
#define REDLOCK_BENCH_COMMANDS_H

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/live/masters.h"

namespace redlock::bench {

class commands {
 public:
  // Loads the scripts into the nodes.
  explicit commands(live::masters& nodes);

  // Replaces `out`. `number` tells operations apart: the token is made of it.
  void acquire(std::string& out, std::string_view key, std::uint64_t number);
  void release(std::string& out, std::string_view key, std::uint64_t number);

 private:
  void write_token(std::uint64_t number);

  std::string acquire_digest_;
  std::string release_digest_;
  std::string base_;
  std::string token_;
};

}  // namespace redlock::bench

#endif  // REDLOCK_BENCH_COMMANDS_H
