// Clients that queue, and one of another make, which does not, on the same key.

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "live.h"

namespace redlock::live {
namespace {

// A client that knows nothing of queues: it sets the key where there is none, and takes it away.
class plain_client {
 public:
  explicit plain_client(masters& nodes) noexcept : nodes_(nodes) {}

  [[nodiscard]] bool acquire() {
    std::size_t set = 0;
    for (redis_server& node : nodes_) {
      const reply r = node.command({"SET", key_of("r"), "plain", "NX", "PX", "60000"});
      if (r.type == reply::kind::status) ++set;
    }
    if (set > nodes_.size() / 2) return true;
    release();
    return false;
  }

  void release() {
    for (redis_server& node : nodes_) node.command({"EVAL", script, "1", key_of("r"), "plain"});
  }

 private:
  static constexpr const char* script =
      "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end";
  masters& nodes_;
};

TEST(plain_clients, and_those_that_queue_exclude_each_other_and_all_get_their_turns) {
  constexpr int enough = 5;
  masters nodes(3);
  lock_manager one(nodes.options());
  lock_manager two(nodes.options());
  ASSERT_TRUE(all_up(one) && all_up(two));
  std::atomic<int> inside = 0;
  std::atomic<int> overlaps = 0;
  std::array<std::atomic<int>, 3> turns{};
  const auto use = [&](std::size_t me) {
    if (inside++ != 0) ++overlaps;
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    if (--inside != 0) ++overlaps;
    ++turns[me];
  };
  const auto run = [&](const std::stop_token& over, lock_manager& locks, std::size_t me) {
    while (!over.stop_requested()) {
      result<lease> held = locks.acquire("r", {.ttl = 60s, .wait = wait_forever});
      ASSERT_TRUE(succeeded(held));
      use(me);
      ASSERT_TRUE(succeeded(held->release()));
    }
  };
  {
    std::vector<std::jthread> users;
    users.emplace_back([&](const std::stop_token& over) { run(over, one, 0); });
    users.emplace_back([&](const std::stop_token& over) { run(over, two, 1); });
    users.emplace_back([&](const std::stop_token& over) {
      plain_client plain(nodes);
      while (!over.stop_requested()) {
        if (!plain.acquire()) continue;
        use(2);
        plain.release();
      }
    });
    EXPECT_TRUE(eventually([&] {
      return std::all_of(turns.begin(), turns.end(), [](const auto& n) { return n >= enough; });
    })) << turns[0]
        << ' ' << turns[1] << ' ' << turns[2];
    for (std::jthread& user : users) user.request_stop();
  }
  EXPECT_EQ(overlaps, 0);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::live
