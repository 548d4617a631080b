// Servers that are no masters, are no Redis at all, or forget scripts and run out of memory.

#include <string>
#include <thread>

#include "fake_server.h"
#include "live.h"

namespace redlock::live {
namespace {

constexpr auto at_once = 5s;  // for what must not wait for anything

// Rule D2.
TEST(a_replica, has_no_vote_until_it_is_a_master_again) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[4].port())});
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_LE(held->nodes_held(), 4U);
  ASSERT_TRUE(succeeded(held->release()));
  for (std::size_t i = 1; i < 4; ++i) nodes.set(i, key_of("s"), "other", 60s);
  const result<lease> refused = locks.acquire("s");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_TRUE(eventually([&] {
    const result<lease> again = locks.acquire("s");
    return !again && count(again.error(), answer::replica) == 1;
  })) << refused.error().message();
  nodes[0].command({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(eventually([&] {
    const result<lease> all = locks.acquire("t", {.wait = 10s});
    return all && eventually([&] { return all->nodes_held() == 5; }, 100ms);
  }));
}

TEST(replicas_from_the_beginning, give_no_lock) {
  masters nodes(4);
  for (std::size_t i = 1; i < 3; ++i) {
    nodes[i].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[3].port())});
  }
  options o = nodes.options();
  o.nodes.pop_back();
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_EQ(count(refused.error(), answer::replica), 2U) << refused.error().message();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(shards_of_a_cluster, are_a_bad_configuration) {
  masters nodes(1, {.arguments = {"--cluster-enabled", "yes"}, .password = {}});
  lock_manager locks(nodes.options());
  const result<lease> refused = locks.acquire("r", {.wait = wait_forever});
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_EQ(count(refused.error(), answer::denied), 1U) << refused.error().message();
}

// Two masters, and something else that takes connections.
class beside : public testing::TestWithParam<const char*> {};

TEST_P(beside, something_that_is_no_redis_a_lock_is_granted_by_the_others) {
  fake_server fake([](std::string_view) { return GetParam(); });
  masters nodes(2);
  options o = nodes.options();
  o.nodes.emplace_back(fake.uri());
  o.connect_timeout = 1s;
  lock_manager locks(std::move(o));
  const auto start = clock::now();
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  EXPECT_LT(clock::now() - start, at_once);
  EXPECT_TRUE(eventually([&] { return locks.nodes()[2].last_error != ""; }));
  EXPECT_NE(locks.nodes()[2].state, node_state::up);
}

INSTANTIATE_TEST_SUITE_P(answer, beside,
                         testing::Values("", "HTTP/1.1 400 Bad Request\r\n\r\n", "+OK\r\n",
                                         "-ERR unknown command\r\n", "$-1\r\n", "*-1\r\n", ":0\r\n",
                                         "$99999999999\r\n", "\r\n\r\n", "*1\r\n*1\r\n*1\r\n",
                                         "SSH-2.0-OpenSSH_9.2\r\n"));

TEST(a_server, that_speaks_before_it_is_asked_has_no_vote) {
  fake_server fake(&fake_server::nothing, "+OK\r\n+OK\r\n+OK\r\n:1\r\n:1\r\n");
  masters nodes(2);
  options o = nodes.options();
  o.nodes.emplace_back(fake.uri());
  o.connect_timeout = 1s;
  lock_manager locks(std::move(o));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  nodes[0].kill();
  for (int i = 0; i < 20; ++i) {
    const result<lease> refused = locks.acquire("s" + std::to_string(i), {.ttl = 1s});
    EXPECT_FALSE(refused);
  }
}

TEST(a_host_that_drops_every_packet, delays_first_contact_only_and_no_longer_than_connect_timeout) {
  const black_hole hole;
  masters nodes(2);
  options o = nodes.options();
  o.nodes.emplace_back(hole.uri());
  o.connect_timeout = 500ms;
  lock_manager locks(std::move(o));
  const auto start = clock::now();
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  EXPECT_LT(clock::now() - start, at_once);
  EXPECT_TRUE(eventually([&] { return locks.nodes()[2].last_error != ""; }));
  const auto later = clock::now();
  EXPECT_TRUE(succeeded(locks.acquire("s")));
  EXPECT_LT(clock::now() - later, 400ms);
}

// The scripts are gone from the server's memory: as after a restart, on a connection that stands.
class after_a_script_flush_on : public testing::TestWithParam<std::size_t> {};

TEST_P(after_a_script_flush_on, n_of_three_nodes_every_operation_still_works) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const auto flush = [&] {
    for (std::size_t i = 0; i < GetParam(); ++i) nodes[i].command({"SCRIPT", "FLUSH"});
  };
  for (int i = 0; i < 3; ++i) {
    flush();
    result<lease> held = locks.acquire("r", {.ttl = 20s, .wait = 10s});
    ASSERT_TRUE(succeeded(held));
    EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
    flush();
    EXPECT_TRUE(succeeded(held->renew()));
    EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
    flush();
    nodes.del(0, key_of("r"));
    EXPECT_TRUE(succeeded(held->renew()));
    EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
    flush();
    EXPECT_TRUE(succeeded(locks.inspect("r")));
    flush();
    EXPECT_TRUE(succeeded(held->release()));
    EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  }
}

INSTANTIATE_TEST_SUITE_P(count, after_a_script_flush_on, testing::Values(1U, 3U));

TEST(servers_out_of_memory, grant_nothing_but_renew_and_release_what_there_is) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 20s});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  for (redis_server& node : nodes) node.command({"CONFIG", "SET", "maxmemory", "1"});
  const result<lease> refused = locks.acquire("s");
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_GE(count(refused.error(), answer::error), 2U) << refused.error().message();
  EXPECT_NE(refused.error().message().find("OOM"), std::string::npos) << refused.error().message();
  const auto before = held->expires_at();
  EXPECT_TRUE(succeeded(held->renew()));
  EXPECT_GT(held->expires_at(), before);
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_server_busy_with_a_script, has_no_vote_until_it_has_time_again) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"CONFIG", "SET", "lua-time-limit", "1"});
  std::jthread endless([&] { nodes[0].command({"EVAL", "while true do end", "0"}); });
  EXPECT_TRUE(eventually([&] { return nodes[0].command({"PING"}).text.starts_with("BUSY"); }));
  nodes.set(1, key_of("r"), "other", 60s);
  const result<lease> refused = locks.acquire("r", {.ttl = 60s});
  EXPECT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_EQ(count(refused.error(), answer::error), 1U) << refused.error().message();
  EXPECT_NE(refused.error().message().find("BUSY"), std::string::npos);
  result<lease> held = locks.acquire("s", {.ttl = 60s});
  EXPECT_TRUE(succeeded(held));
  nodes[0].command({"SCRIPT", "KILL"});
  endless.join();
  EXPECT_TRUE(succeeded(held->renew()));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 1; }));
}

// Rule R2: an error is no final answer to a release.
TEST(a_release_that_a_server_rejects, is_sent_again_until_it_is_confirmed) {
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 100ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s});
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  nodes[0].command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 1; }));
  EXPECT_TRUE(throughout(100ms, [&] { return nodes.keys() == 1; }));
  nodes[0].command({"CONFIG", "SET", "min-replicas-to-write", "0"});
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_server_that_lacks_replicas_to_write, is_told_as_an_error_in_its_own_words) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"CONFIG", "SET", "min-replicas-to-write", "1"});
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::no_quorum, refused));
  EXPECT_NE(refused.error().message().find("NOREPLICAS"), std::string::npos)
      << refused.error().message();
}

}  // namespace
}  // namespace redlock::live
