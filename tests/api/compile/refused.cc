// What users must not write: each line marked with a word is an error that has it in its message.
// Only compiled: compile_test.sh.

#include <redlock/redlock.h>

namespace redlock {

void copy(lock_manager& locks) {
  const lock_manager other(locks);  // refused: deleted
}

// The lease is gone before the block begins.
int test_a_temporary(lock_manager& locks) {
  if (locks.acquire("x")) return 1;                            // refused: deleted
  if (!locks.acquire("x", {.ttl = nanoseconds{1}})) return 2;  // refused: deleted
  if (locks.acquire_async("x").get()) return 3;                // refused: deleted
  return locks.acquire_async("x").future().get() ? 4 : 5;      // refused: deleted
}

void drop_what_matters(lock_manager& locks) {
  locks.acquire("x");                           // refused: nodiscard
  locks.acquire("x").value();                   // refused: nodiscard
  locks.acquire_async("x");                     // refused: nodiscard
  locks.acquire_async("x").future();            // refused: nodiscard
  locks.with("x", {}, [](std::stop_token) {});  // refused: nodiscard
}

void guard_what_cannot_notice_a_loss(lock_manager& locks) {
  static_cast<void>(locks.with("x", {}, [] {}));          // refused: with
  static_cast<void>(locks.with("x", {}, [](lease&) {}));  // refused: with
}

}  // namespace redlock
