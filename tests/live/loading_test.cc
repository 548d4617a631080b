// A server that loads its data, for as long as the test wants.

#include <thread>

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

// Loads its own data again, thousands of keys, one in 2 ms, and serves nobody meanwhile.
class loading {
 public:
  explicit loading(redis_server& which) : server_(which) {
    const std::string fill = "for i = 1, 10000 do redis.call('SET', i, string.rep('x', 1100)) end";
    server_.command({"EVAL", fill, "0"});
    server_.command({"CONFIG", "SET", "key-load-delay", "2000"});
    thread_ = std::jthread([this] { server_.command({"DEBUG", "RELOAD"}); });
    EXPECT_TRUE(eventually([&] { return server_.command({"PING"}).text.starts_with("LOADING"); }));
  }
  ~loading() { server_.command({"CONFIG", "SET", "key-load-delay", "0"}); }  // and waits
  loading(const loading&) = delete;
  loading& operator=(const loading&) = delete;

 private:
  redis_server& server_;
  std::jthread thread_;
};

const server_options can_reload{.arguments = {"--enable-debug-command", "yes",
                                              "--loading-process-events-interval-bytes", "1024"},
                                .password = {}};

TEST(a_server_that_loads, has_no_vote_and_is_used_again_when_it_has_loaded) {
  masters nodes(3, can_reload);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes.set(1, key_of("r"), "other", 60s);
  std::optional<loading> load(nodes[0]);
  const result<lease> refused = locks.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_EQ(count(refused.error(), answer::error), 1U) << refused.error().message();
  EXPECT_NE(refused.error().message().find("LOADING"), std::string::npos);
  result<lease> held = locks.acquire("s", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  EXPECT_EQ(locks.nodes()[0].connects, 1U);

  load.reset();
  EXPECT_TRUE(succeeded(held->renew()));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
}

// As after a restart: it takes connections, and lets none be set up.
TEST(a_server_that_loads, is_not_stormed_by_those_who_want_to_connect) {
  masters nodes(3, can_reload);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  std::optional<loading> load(nodes[0]);
  const std::size_t before = ways[0].accepted();
  ways[0].cut();
  EXPECT_TRUE(eventually([&] { return ways[0].accepted() >= before + 6; }));
  EXPECT_NE(locks.nodes()[0].last_error.find("LOADING"), std::string::npos)
      << locks.nodes()[0].last_error;
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  const std::size_t then = ways[0].accepted();
  EXPECT_TRUE(throughout(1s, [&] { return ways[0].accepted() < then + 6; }));
  EXPECT_NE(locks.nodes()[0].state, node_state::denied);

  load.reset();
  EXPECT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("s", {.ttl = 60s, .wait = 10s});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
}

}  // namespace
}  // namespace redlock::live
