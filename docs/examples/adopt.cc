// A lock that passes from one process to another without being free in between. Run without
// arguments, this program takes a lock, starts itself with the token, and hands the work over.

#include <redlock/redlock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "nodes.h"

using namespace std::chrono_literals;

namespace {

// What a new version of a service would do with the token that the old one left it.
int go_on(redlock::lock_manager& locks, const char* token) {
  auto lease = locks.adopt("service/leader", token, {.ttl = 30s});
  if (!lease) {
    // `lost`: it ran out on the way, and others may hold it. After anything else it may still
    // stand, and may be adopted as long as its time lasts.
    std::fprintf(stderr, "not adopted: %s\n", lease.error().message().c_str());
    return lease.error().code() == redlock::errc::lost ? 74 : 69;
  }
  std::printf("process %d goes on, held: %s\n", static_cast<int>(::getpid()),
              lease->held() ? "yes" : "no");
  return lease->release() ? 0 : 69;
}

int hand_over(redlock::lock_manager& locks, char* self) {
  auto lease = locks.acquire("service/leader", {.ttl = 30s, .wait = 30s});
  if (!lease) {
    std::fprintf(stderr, "not acquired: %s\n", lease.error().message().c_str());
    return 69;
  }
  // From here on nobody renews it: whoever adopts it must do so within the ttl.
  auto token = lease->detach();
  if (!token) return 74;
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(self, self, token->c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return 71;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 70;
}

}  // namespace

int main(int count, char** arguments) {
  redlock::lock_manager locks(options_from_environment());
  return count > 1 ? go_on(locks, arguments[1]) : hand_over(locks, arguments[0]);
}
