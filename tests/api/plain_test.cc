// Uses the library as a program without exceptions and type information does: every form that does
// not throw. No server is needed: nobody listens on the node's port, and every form says so.

#include <redlock/redlock.h>

#include <cstdio>
#include <exception>
#include <future>

#include "../task.h"

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "this is to be compiled without both"
#endif

namespace {

int failures = 0;

template <class T>
void expect_no_quorum(const char* form, const redlock::result<T>& r) {
  if (!r.has_value() && r.error().code() == redlock::errc::no_quorum) return;
  std::fprintf(stderr, "%s: %s\n", form, r ? "succeeded" : r.error().message().c_str());
  ++failures;
}

redlock::task await(redlock::lock_manager& locks, std::promise<void>& done) {
  expect_no_quorum("co_await", co_await locks.acquire_async("r"));
  done.set_value();
}

}  // namespace

int main() {
  redlock::lock_manager locks({.nodes = {"127.0.0.1:1"}});
  expect_no_quorum("acquire", locks.acquire("r"));
  expect_no_quorum("get", locks.acquire_async("r").get());
  expect_no_quorum("future", locks.acquire_async("r").future().get());
  expect_no_quorum("with", locks.with("r", {}, [](std::stop_token) { return 7; }));

  std::promise<void> called;
  locks.acquire_async("r").then([&called](const redlock::result<redlock::lease>& r) {
    expect_no_quorum("then", r);
    called.set_value();
  });
  called.get_future().wait();

  std::promise<void> awaited;
  await(locks, awaited);
  awaited.get_future().wait();

  redlock::mutex m(locks, "r");
  if (m.try_lock() || m.last_failure()->code() != redlock::errc::no_quorum) ++failures;

  redlock::lease none;
  if (none.held() || none.release()) ++failures;
  return failures == 0 ? 0 : 1;
}
