// What users may write. Only compiled: compile_test.sh.

#include <redlock/redlock.h>

#include <mutex>

namespace redlock {

void make_a_manager();
void make_a_manager() {
  const lock_manager list({"a", "b", "c"});
  const lock_manager single({"a"});
  const lock_manager braces{"a", "b"};
  const lock_manager designated({.nodes = {"a", "b"}});
  const lock_manager one_designated({.nodes = {"a"}});
  const lock_manager more_designated({.nodes = {"a", "b"}, .max_leases = 7});
  const lock_manager twice{{.nodes = {"a", "b"}}};
  options o;
  const lock_manager named(o);
  const lock_manager temporary(options{.nodes = {"a", "b"}});
}

int test_a_result(lock_manager& locks);
int test_a_result(lock_manager& locks) {
  if (auto l = locks.acquire("x")) return l->renew() ? 1 : 2;
  if (auto l = locks.acquire("x"); !l) return 3;
  const auto kept = locks.acquire_async("x").get();
  if (!kept || !kept->held()) return 4;
  if (locks.inspect("x") && locks.close().get()) return 5;
  return 0;
}

result<int> use_every_form(lock_manager& locks);
result<int> use_every_form(lock_manager& locks) {
  auto later = locks.acquire_async("x").future();
  locks.acquire_async("x").then([](const result<lease>&) noexcept {});
  mutex a(locks, "a");
  timed_mutex b(locks, "b", {.ttl = std::chrono::seconds{1}});
  const std::scoped_lock both(a, b);
  if (locks.with("x", {}, [](const lease& l) { static_cast<void>(l.held()); })) return 7;
  return locks.with("x", {}, [](std::stop_token stop) { return stop.stop_requested() ? 1 : 2; });
}

}  // namespace redlock
