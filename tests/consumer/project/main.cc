// Uses enough of the library to need all that it is linked with. No server is needed: nobody
// listens on the node's port, and the library says so.

#include <redlock/redlock.h>

#include <cstdio>
#include <cstring>

int main() {
  if (std::strcmp(redlock::version(), REDLOCK_VERSION) != 0) {
    std::fprintf(stderr, "headers %s, library %s\n", REDLOCK_VERSION, redlock::version());
    return 1;
  }
  redlock::lock_manager locks({"redis://127.0.0.1:1"});
  const auto lease = locks.acquire("resource");
  if (lease || lease.error().code() != redlock::errc::no_quorum) {
    std::fprintf(stderr, "%s\n", lease ? "acquired" : lease.error().message().c_str());
    return 1;
  }
  return 0;
}
