// What is thrown on the loop, where nobody can catch it, ends the process; it never passes through
// libuv, which is C.
//
// Nothing listens where the node should be: every operation ends by itself.

#include <csignal>
#include <stdexcept>

#include "live.h"
#include "sockets.h"

namespace redlock::live {
namespace {

options to_nobody(const reserved_port& port) {
  return {.nodes = {endpoint("redis://127.0.0.1:" + std::to_string(port.number()))}};
}

// Starts an acquire with this callback, and waits to be ended by what comes of it.
template <class F>
void wait_for_the_end_by(options o, F callback) {
  lock_manager locks(std::move(o));
  locks.acquire_async("r").then(callback);
  static_cast<void>(eventually([] { return false; }));
}

class what_is_thrown : public testing::Test {
 protected:
  // The child starts anew, with threads of its own.
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  const reserved_port port_;
};

TEST_F(what_is_thrown, by_a_completion_ends_the_process) {
  const auto throws = [](const result<lease>&) { throw std::runtime_error("thrown here"); };
  EXPECT_EXIT(wait_for_the_end_by(to_nobody(port_), throws), testing::KilledBySignal(SIGABRT),
              "thrown here");
}

TEST_F(what_is_thrown, by_an_executor_ends_the_process) {
  options o = to_nobody(port_);
  o.executor = [](const std::function<void()>&) { throw std::runtime_error("thrown here"); };
  EXPECT_EXIT(wait_for_the_end_by(o, [](const result<lease>&) {}), testing::KilledBySignal(SIGABRT),
              "thrown here");
}

}  // namespace
}  // namespace redlock::live
