// A name server that takes its time, for one name.

#include <dlfcn.h>
#include <netdb.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>

#include "live.h"

namespace redlock::live {
namespace {

// The name server that knows slow.test, once it is told to answer. Never destroyed: the look-ups of
// managers that are gone may still wait in it.
class name_server {
 public:
  void ask() {
    std::unique_lock lock(mutex_);
    ++asked_;
    changed_.wait(lock, [this] { return answers_; });
    ++answered_;
  }
  void answer(bool answers) {
    const std::lock_guard lock(mutex_);
    answers_ = answers;
    if (answers) changed_.notify_all();
  }
  [[nodiscard]] int asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  [[nodiscard]] int waiting() {
    const std::lock_guard lock(mutex_);
    return asked_ - answered_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool answers_ = true;
  int asked_ = 0;
  int answered_ = 0;
};

name_server& names() {
  static name_server& only = *new name_server;
  return only;
}

// While it lives, whoever looks slow.test up, waits.
struct names_hang {
  names_hang() { names().answer(false); }
  ~names_hang() {
    names().answer(true);
    EXPECT_TRUE(eventually([] { return names().waiting() == 0; }));
  }
};

// Two masters by address, and a third by name.
options by_name(masters& nodes) {
  options o = nodes.options();
  o.nodes[2] = endpoint("redis://slow.test:" + std::to_string(nodes[2].port()));
  return o;
}

TEST(a_name_server_that_hangs, holds_up_nothing_but_its_own_node) {
  masters nodes(3);
  options o = by_name(nodes);
  o.connect_timeout = 1h;
  std::optional<names_hang> hang(std::in_place);
  lock_manager locks(std::move(o));
  ASSERT_TRUE(eventually([] { return names().waiting() == 1; }));
  const result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::every(50ms)});
  ASSERT_TRUE(succeeded(held));
  for (int i = 0; i < 10; ++i) {
    const auto before = held->expires_at();
    ASSERT_TRUE(eventually([&] { return held->expires_at() > before; }));
    ASSERT_TRUE(succeeded(locks.acquire("s" + std::to_string(i))));
  }
  EXPECT_EQ(locks.nodes()[2].state, node_state::connecting);
  EXPECT_EQ(names().waiting(), 1);

  hang.reset();
  EXPECT_TRUE(all_up(locks));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
}

TEST(a_name_server_that_hangs, is_given_up_in_time_and_not_asked_again_while_it_hangs) {
  masters nodes(3);
  options o = by_name(nodes);
  o.connect_timeout = 50ms;
  std::optional<names_hang> hang(std::in_place);
  const int before = names().asked();
  lock_manager locks(std::move(o));
  EXPECT_TRUE(eventually(
      [&] { return locks.nodes()[2].last_error == "the name was not resolved in time"; }));
  EXPECT_TRUE(throughout(500ms, [&] { return names().asked() == before + 1; }));
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = 10s})));
  hang.reset();
  EXPECT_TRUE(eventually([&] { return locks.nodes()[2].connects > 0; }));
}

TEST(a_name_server_that_hangs, does_not_hold_up_the_end_of_a_lock_manager) {
  masters nodes(3);
  const names_hang hang;
  {
    lock_manager locks(by_name(nodes));
    ASSERT_TRUE(eventually([] { return names().waiting() == 1; }));
  }
  EXPECT_EQ(names().waiting(), 1);
}

}  // namespace
}  // namespace redlock::live

// Stands in for the C library's in the whole program, which is asked for all other names.
extern "C" int getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                           addrinfo** found) {
  using function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  const bool numbers_only = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
  if (host != nullptr && !numbers_only && std::strcmp(host, "slow.test") == 0) {
    redlock::live::names().ask();
    host = "127.0.0.1";
  }
  return real(host, port, hints, found);
}
