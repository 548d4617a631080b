// Nodes that may have forgotten locks (rules D3, D6): those that have restarted, were promoted, or
// do not tell. Clocks that step are in the fault bench.

#include <deque>

#include "live.h"
#include "proxy.h"

namespace redlock::live {
namespace {

options guarding(const masters& nodes) {
  options o = nodes.options();
  o.restart_guard = true;
  return o;
}

node_status status_of(const lock_manager& locks, std::size_t n) { return locks.nodes()[n]; }

server_options durable_server() {
  return {.arguments = {"--appendonly", "yes", "--appendfsync", "always"}, .password = {}};
}

std::vector<endpoint> declared_durable(const masters& nodes) {
  std::vector<endpoint> all = nodes.endpoints();
  for (endpoint& e : all) e.durable = true;
  return all;
}

long long uptime(const redis_server& server) {
  const std::string info = server.command({"INFO", "server"}).text;
  const std::string name = "uptime_in_seconds:";
  return std::stoll(info.substr(info.find(name) + name.size()));
}

TEST(servers_that_have_just_started, have_no_vote_and_say_so) {
  masters nodes(3);
  lock_manager locks(guarding(nodes));
  ASSERT_TRUE(all_up(locks));
  const result<lease> r = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::no_quorum, r));
  EXPECT_EQ(count(r.error(), answer::guarded), 3U);
  EXPECT_NE(r.error().message().find("no vote for another "), std::string::npos)
      << r.error().message();
  EXPECT_EQ(nodes.count(key_of("r")), 0U);
  const node_status s = status_of(locks, 0);
  EXPECT_EQ(s.state, node_state::up);
  EXPECT_EQ(s.guard, node_guard::restarted);
  EXPECT_GT(s.no_vote_for, 0s);
  EXPECT_LE(s.no_vote_for, 62s);
  EXPECT_NE(s.guarded().find(" s: restarted"), std::string::npos) << s.guarded();
}

TEST(servers_that_have_just_started, are_waited_for_until_they_have_run_for_max_ttl) {
  masters nodes(3);
  options o = guarding(nodes);
  o.max_ttl = 1s;
  lock_manager locks(o);
  const result<lease> r = locks.acquire("r", {.ttl = 1s, .wait = 60s});
  ASSERT_TRUE(succeeded(r));
  std::size_t old_enough = 0;
  for (const redis_server& node : nodes) old_enough += uptime(node) >= 3 ? 1 : 0;
  EXPECT_GE(old_enough, 2U);
  ASSERT_TRUE(eventually([&] { return status_of(locks, 0).guard == node_guard::none; }));
  EXPECT_EQ(status_of(locks, 0).guarded(), "");
}

TEST(a_server_that_restarts, has_no_vote_although_its_neighbours_have) {
  masters nodes(3, durable_server());
  options o = guarding(nodes);
  o.nodes = declared_durable(nodes);
  o.nodes[2].durable = false;
  lock_manager locks(o);
  ASSERT_TRUE(all_up(locks));
  const result<lease> r = locks.acquire("r");
  ASSERT_TRUE(succeeded(r));
  // It is given the key all the same, and counts from then on.
  EXPECT_TRUE(eventually([&] { return r->nodes_held() == 3 && nodes.count(key_of("r")) == 3; }));
  EXPECT_EQ(status_of(locks, 0).guard, node_guard::none);
  EXPECT_EQ(status_of(locks, 2).guard, node_guard::restarted);
  nodes[1].kill();
  ASSERT_TRUE(eventually([&] { return status_of(locks, 1).state != node_state::up; }));
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("s")));
}

TEST(a_server_that_restarts, has_no_vote_until_it_has_run_for_max_ttl_again) {
  masters nodes(1);
  options o = guarding(nodes);
  o.max_ttl = 1s;
  lock_manager locks(o);
  ASSERT_TRUE(succeeded(locks.acquire("r", {.ttl = 1s, .wait = 60s})));
  nodes[0].restart();
  ASSERT_TRUE(eventually([&] {
    const node_status s = status_of(locks, 0);
    return s.state == node_state::up && s.connects > 1;
  }));
  ASSERT_TRUE(succeeded(locks.acquire("s", {.ttl = 1s, .wait = 60s})));
  EXPECT_GE(uptime(nodes[0]), 3);
}

TEST(a_durable_server, votes_right_after_its_start) {
  masters nodes(1, durable_server());
  options o = guarding(nodes);
  o.nodes = declared_durable(nodes);
  lock_manager locks(o);
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(a_server_that_is_only_declared_durable, is_guarded_and_says_what_is_missing) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--appendonly", "no", "--appendfsync", "always"},
        std::vector<std::string>{"--appendonly", "yes", "--appendfsync", "everysec"},
        std::vector<std::string>{"--appendonly", "yes", "--appendfsync", "always",
                                 "--no-appendfsync-on-rewrite", "yes"}}) {
    masters nodes(1, {.arguments = arguments, .password = {}});
    options o = guarding(nodes);
    o.nodes = declared_durable(nodes);
    lock_manager locks(o);
    ASSERT_TRUE(all_up(locks));
    const node_status s = status_of(locks, 0);
    EXPECT_EQ(s.guard, node_guard::restarted);
    EXPECT_NE(s.last_error.find("not durable, as declared"), std::string::npos) << s.last_error;
    EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("r")));
  }
}

TEST(a_durable_server, that_does_not_let_us_look_is_taken_at_its_operators_word) {
  masters nodes(1);
  options o = guarding(nodes);
  o.nodes = {as_user(nodes[0], {"~*", "+@all", "-config"})};
  o.nodes[0].durable = true;
  lock_manager locks(o);
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(a_promoted_replica, has_no_vote_although_it_is_durable) {
  masters nodes(4, durable_server());
  options o = guarding(nodes);
  o.nodes = declared_durable(nodes);
  o.nodes.pop_back();  // the master that fails
  nodes[0].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[3].port())});
  nodes[0].command({"REPLICAOF", "NO", "ONE"});
  lock_manager locks(o);
  ASSERT_TRUE(all_up(locks));
  EXPECT_EQ(status_of(locks, 0).guard, node_guard::promoted);
  const result<lease> r = locks.acquire("r");
  ASSERT_TRUE(succeeded(r));
  nodes[1].kill();
  ASSERT_TRUE(eventually([&] { return status_of(locks, 1).state != node_state::up; }));
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("s")));
}

TEST(a_promoted_replica, is_found_out_although_it_was_connected_to_all_the_time) {
  masters nodes(2, durable_server());
  options o = guarding(nodes);
  o.nodes = declared_durable(nodes);
  o.nodes.pop_back();
  lock_manager locks(o);
  ASSERT_TRUE(succeeded(locks.acquire("r")));
  nodes[0].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[1].port())});
  nodes[0].command({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(eventually([&] { return status_of(locks, 0).guard == node_guard::promoted; }));
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("s")));
}

TEST(a_promoted_replica, has_no_vote_although_the_server_has_forgotten_its_promotion) {
  masters nodes(2, durable_server());
  options o = guarding(nodes);
  o.nodes = declared_durable(nodes);
  o.nodes.pop_back();
  lock_manager locks(o);
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[1].port())});
  nodes[0].command({"REPLICAOF", "NO", "ONE"});
  ASSERT_TRUE(eventually([&] { return status_of(locks, 0).guard == node_guard::promoted; }));
  nodes[0].restart();
  ASSERT_TRUE(eventually([&] { return status_of(locks, 0).connects > 1; }));
  ASSERT_TRUE(all_up(locks));
  EXPECT_EQ(status_of(locks, 0).guard, node_guard::promoted);
}

TEST(a_server_that_tells_no_longer_who_it_is, is_one_that_does_not) {
  masters nodes(1);
  options o = guarding(nodes);
  o.nodes = {as_user(nodes[0], {"~*", "+@all"})};
  lock_manager locks(o);
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"ACL", "SETUSER", "app", "-info"});
  ASSERT_TRUE(eventually([&] { return !status_of(locks, 0).verified; }));
  ASSERT_TRUE(all_up(locks));
  EXPECT_EQ(status_of(locks, 0).guard, node_guard::unverified);
}

TEST(the_largest_max_ttl, is_written_over_what_is_none) {  // D6
  masters nodes(1);
  nodes[0].command({"RPUSH", "redlock-node", "x"});
  lock_manager locks(nodes.options());
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  EXPECT_EQ(nodes.get(0, "redlock-node"), "60000");
}

TEST(a_server_that_does_not_tell_who_it_is, has_no_vote_at_first) {
  masters nodes(2);
  options o = guarding(nodes);
  o.nodes = {as_user(nodes[0], {"~*", "+@all", "-info"})};
  const lock_manager patient(o);
  ASSERT_TRUE(all_up(patient));
  EXPECT_EQ(status_of(patient, 0).guard, node_guard::unverified);
  o.nodes = {as_user(nodes[1], {"~*", "+@all", "-info"})};
  o.max_ttl = 1s;
  const clock::time_point before = clock::now();
  lock_manager locks(o);
  ASSERT_TRUE(succeeded(locks.acquire("r", {.ttl = 1s, .wait = 60s})));
  EXPECT_GE(clock::now() - before, 1s);
}

TEST(slow_connections, make_no_clock_look_ahead_of_the_others) {  // D4
  masters nodes(3);
  std::deque<proxy> paths;
  options o = nodes.options();
  for (std::size_t i = 0; i < 2; ++i) {
    o.nodes[i] = paths.emplace_back(nodes[i].port()).uri();
    paths[i].delay(direction::replies, 1500ms);
  }
  lock_manager locks(o);
  ASSERT_TRUE(all_up(locks));
  for (const node_status& s : locks.nodes()) EXPECT_EQ(s.guard, node_guard::none) << s.guarded();
}

TEST(the_largest_max_ttl, is_kept_on_the_nodes_and_makes_every_guard_longer) {
  masters nodes(1);
  options o = guarding(nodes);
  o.max_ttl = 10s;
  lock_manager locks(o);
  ASSERT_TRUE(all_up(locks));
  EXPECT_EQ(nodes.get(0, "redlock-node"), "10000");
  EXPECT_EQ(nodes.pttl(0, "redlock-node"), -1ms);
  o.max_ttl = 1h;
  const lock_manager patient(o);
  ASSERT_TRUE(all_up(patient));
  EXPECT_EQ(nodes.get(0, "redlock-node"), "3600000");
  EXPECT_TRUE(eventually([&] { return status_of(locks, 0).no_vote_for > 30min; }));
  EXPECT_EQ(nodes.get(0, "redlock-node"), "3600000");
}

TEST(the_largest_max_ttl, is_put_back_where_it_is_gone_or_spoilt) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (const char* value : {"", "soon", "inf", "nan", "-5", "1e300"}) {
    nodes[0].command({"SET", "redlock-node", value});
    EXPECT_TRUE(eventually([&] { return nodes.get(0, "redlock-node") == "60000"; })) << value;
  }
  nodes[0].command({"FLUSHALL"});
  EXPECT_TRUE(eventually([&] { return nodes.get(0, "redlock-node") == "60000"; }));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(a_node_that_cannot_keep_the_largest_max_ttl, has_no_vote_until_it_can) {
  masters nodes(1);
  nodes[0].command({"CONFIG", "SET", "maxmemory", "1"});
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const node_status s = status_of(locks, 0);
  EXPECT_EQ(s.guard, node_guard::not_enrolled);
  EXPECT_EQ(s.guarded(), "no vote for now: not enrolled");
  EXPECT_NE(s.last_error.find("redlock-node: OOM"), std::string::npos) << s.last_error;
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("r")));
  nodes[0].command({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = 60s})));
}

}  // namespace
}  // namespace redlock::live
