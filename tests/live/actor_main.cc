// live_actor: a client in a process of its own, for the tests that need one to kill, to stop, or to
// leave. `live_actor ROLE ARGUMENT URI…`, where each role is a function below. What a test waits
// for is printed as one line.

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "hammer.h"
#include "redlock/redlock.h"

namespace redlock::live {
namespace {

using namespace std::chrono_literals;

options options_for(const std::vector<std::string>& uris) {
  options o;
  for (const std::string& uri : uris) o.nodes.emplace_back(uri);
  o.node_timeout = 2s;
  o.connect_timeout = 10s;
  o.restart_guard = false;
  return o;
}

void say(const char* what) {
  std::puts(what);
  std::fflush(stdout);
}

// Takes part in the arena that is the file `where`.
int contend(lock_manager& locks, const std::string& where) {
  const mapped_arena shared(where);
  hammer(locks, *shared, static_cast<std::uint64_t>(::getpid()), 20);
  return 0;
}

// Holds "r" for `ttl` milliseconds, renewed for ever, and says what it sees when it was not running
// for a while.
int hold(lock_manager& locks, const std::string& ttl) {
  const lease held =
      locks.acquire("r", {.ttl = std::chrono::milliseconds(std::stoi(ttl)), .wait = 10s}).value();
  const std::stop_callback signal(held.stop_token(), [] { say("signal"); });
  say("held");
  for (clock::time_point before = clock::now();;) {
    std::this_thread::sleep_for(1ms);
    const clock::time_point now = clock::now();
    if (now - before > 500ms) say(held.held() ? "resumed held" : "resumed lost");
    before = now;
  }
}

// Gives `resource` away, and goes on living.
int detach(lock_manager& locks, const std::string& resource) {
  static_cast<void>(locks.acquire(resource, {.ttl = 60s, .wait = 10s}).value().detach().value());
  say("detached");
  for (;;) std::this_thread::sleep_for(1s);
}

// Ends the process with locks held and operations under way.
int leave(lock_manager& locks, const std::string& how) {
  std::vector<lease> leases;
  for (int i = 0; i < 100; ++i) leases.push_back(locks.acquire(std::to_string(i)).value());
  locks.acquire_async("0", {.wait = wait_forever}).then([](result<lease>) {});
  if (how == "exit") std::exit(0);
  if (how == "quick_exit") std::quick_exit(0);
  if (how == "_exit") ::_exit(0);
  return 0;
}

}  // namespace
}  // namespace redlock::live

int main(int count, char** words) {
  using namespace redlock::live;
  const std::map<std::string, int (*)(redlock::lock_manager&, const std::string&)> roles{
      {"contend", contend}, {"detach", detach}, {"hold", hold}, {"leave", leave}};
  if (count < 4 || !roles.contains(words[1])) return 64;
  redlock::lock_manager locks(options_for({words + 3, words + count}));
  return roles.at(words[1])(locks, words[2]);
}
