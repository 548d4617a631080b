// What is thrown on the loop, where nobody can catch it, ends the process; it never passes through
// libuv, which is C.
//
// Nothing listens where the node should be: every operation ends by itself.

#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <csignal>
#include <exception>
#include <stdexcept>

#include "allocations.h"
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

enum exit_code : int { all_went_well, survived, terminated, was_caught_behind_the_loop };

// Runs a loop until an acquire has ended on it, with allocation number n on it failing.
[[noreturn]] void run_out_of_memory_on_the_loop(const reserved_port& port, std::size_t n) {
  // Not the library's own handler: that of g++ 14 may crash while it says what was thrown.
  std::set_terminate([] { ::_exit(terminated); });
  uv_loop_t loop;
  uv_loop_init(&loop);
  options o = to_nobody(port);
  o.loop = &loop;
  lock_manager locks(std::move(o));
  bool ended = false;
  locks.acquire_async("r").then([&](const result<lease>&) { ended = true; });
  try {
    const failing_allocation one(n);
    while (!ended) uv_run(&loop, UV_RUN_ONCE);
  } catch (...) {
    ::_exit(was_caught_behind_the_loop);
  }
  ::_exit(failing_allocation::has_failed() ? survived : all_went_well);
}

TEST_F(what_is_thrown, for_want_of_memory_on_the_loop_never_passes_through_the_loop) {
  std::size_t n = 0;
  for (;; ++n) {
    SCOPED_TRACE(n);
    const pid_t child = ::fork();  // this process has no other thread
    ASSERT_GE(child, 0);
    if (child == 0) run_out_of_memory_on_the_loop(port_, n);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << status;
    if (WEXITSTATUS(status) == all_went_well) break;
    EXPECT_TRUE(WEXITSTATUS(status) == terminated || WEXITSTATUS(status) == survived) << status;
  }
  EXPECT_GT(n, 10U);
}

}  // namespace
}  // namespace redlock::live
