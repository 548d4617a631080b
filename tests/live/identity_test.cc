// Who the nodes are: addresses that lead to one server, servers that are no masters, and servers
// that do not tell (rules D1, D2).

#include <algorithm>
#include <string>

#include "live.h"
#include "proxy.h"

namespace redlock::live {
namespace {

constexpr auto at_once = 5s;  // for what must not wait for anything

node_state state_of(const lock_manager& locks, std::size_t n) { return locks.nodes()[n].state; }

// Two servers under three addresses: {a, a by its socket, b}.
options one_server_twice(masters& nodes) {
  options o = nodes.options();
  o.nodes = {nodes[0].uri(), nodes[0].unix_uri(), nodes[1].uri()};
  return o;
}

TEST(a_server_with_two_addresses, has_one_vote) {
  masters nodes(2);
  lock_manager locks(one_server_twice(nodes));
  ASSERT_TRUE(eventually([&] {
    return state_of(locks, 0) == node_state::up && state_of(locks, 1) == node_state::duplicate &&
           state_of(locks, 2) == node_state::up;
  }));
  EXPECT_NE(locks.nodes()[1].last_error.find(nodes[0].name()), std::string::npos)
      << locks.nodes()[1].last_error;
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_EQ(held->nodes_held(), 2U);
}

TEST(a_server_with_two_addresses, does_not_make_a_quorum_with_itself) {
  masters nodes(2);
  lock_manager locks(one_server_twice(nodes));
  ASSERT_TRUE(eventually([&] {
    return state_of(locks, 0) == node_state::up && state_of(locks, 1) == node_state::duplicate;
  }));
  nodes.set(1, key_of("r"), "other", 60s);
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused)) << "a and its socket are two of three";
  EXPECT_EQ(count(refused.error(), answer::duplicate), 1U) << refused.error().message();
}

TEST(a_server_with_two_addresses, does_not_make_a_quorum_with_itself_in_its_first_moments) {
  masters nodes(2);
  for (int i = 0; i < 30; ++i) {
    const std::string resource = "r" + std::to_string(i);
    nodes.set(1, key_of(resource), "other", 60s);
    lock_manager locks(one_server_twice(nodes));
    EXPECT_FALSE(locks.acquire(resource).has_value());
  }
}

TEST(a_server_with_two_addresses, does_not_keep_others_from_a_quorum_in_its_first_moments) {
  masters nodes(2);
  for (int i = 0; i < 40; ++i) {
    options o = one_server_twice(nodes);
    std::rotate(o.nodes.begin(), o.nodes.begin() + i % 3, o.nodes.end());
    lock_manager locks(std::move(o));
    const result<lease> held = locks.acquire("r" + std::to_string(i));
    EXPECT_TRUE(succeeded(held)) << i;
  }
}

TEST(so_many_addresses_of_one_server_that_no_quorum_is_left, are_a_bad_configuration) {
  masters nodes(1);
  options o = nodes.options();
  const std::string port = std::to_string(nodes[0].port());
  o.nodes = {nodes[0].uri(), nodes[0].unix_uri(), "127.0.0.2:" + port};
  if (nodes[0].has_ipv6()) o.nodes[2] = "[::1]:" + port;
  lock_manager locks(std::move(o));
  const auto began = std::chrono::steady_clock::now();
  const result<lease> refused = locks.acquire("r", {.wait = wait_forever});
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_LT(std::chrono::steady_clock::now() - began, at_once);
  EXPECT_NE(refused.error().message().find("the same server as " + nodes[0].name()),
            std::string::npos)
      << refused.error().message();
}

TEST(the_first_address_of_a_server, takes_over_when_it_comes_up_after_the_second) {
  masters nodes(2);
  proxy first(nodes[0].port());
  first.refuse();
  options o = nodes.options();
  o.nodes = {first.uri(), nodes[0].uri(), nodes[1].uri()};
  lock_manager locks(std::move(o));
  ASSERT_TRUE(eventually([&] {
    return state_of(locks, 1) == node_state::up && state_of(locks, 2) == node_state::up;
  }));
  result<lease> held = locks.acquire("r", {.ttl = 30s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  first.accept();
  ASSERT_TRUE(eventually([&] {
    return state_of(locks, 0) == node_state::up && state_of(locks, 1) == node_state::duplicate;
  }));
  EXPECT_TRUE(succeeded(held->renew()));
  EXPECT_TRUE(held->held());
  EXPECT_TRUE(succeeded(held->release()));
}

TEST(a_replica, is_told_what_to_do_before_it_is_asked_for_anything) {
  masters nodes(3);
  nodes[2].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[0].port())});
  lock_manager locks(nodes.options());
  ASSERT_TRUE(eventually([&] { return state_of(locks, 2) == node_state::replica; }));
  EXPECT_NE(locks.nodes()[2].last_error.find("replica of " + nodes[0].name()), std::string::npos)
      << locks.nodes()[2].last_error;
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  nodes[2].command({"REPLICAOF", "NO", "ONE"});
  EXPECT_TRUE(all_up(locks));
}

TEST(a_master_that_becomes_a_replica, is_found_out_and_left_alone) {  // B83
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes[2].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[0].port())});
  EXPECT_TRUE(eventually([&] {
    static_cast<void>(locks.acquire("r", {.ttl = 5s}).has_value());
    return state_of(locks, 2) == node_state::replica;
  }));
}

TEST(a_master_that_becomes_a_replica, has_no_vote_for_a_renewal_that_would_change_nothing) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
  const result<std::string> token = held->detach();
  ASSERT_TRUE(token.has_value());
  nodes[2].kill();
  nodes[1].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[0].port())});
  // Its key outlives what is asked for by far.
  const result<lease> adopted = locks.adopt("r", *token, {.ttl = 10s});
  EXPECT_TRUE(failed_with(errc::no_quorum, adopted));
}

TEST(a_master_that_becomes_a_replica, is_found_out_although_it_takes_writes_and_nobody_asks_it) {
  masters nodes(2);
  options o = nodes.options();
  o.nodes.pop_back();
  const lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"CONFIG", "SET", "replica-read-only", "no"});
  nodes[0].command({"REPLICAOF", "127.0.0.1", std::to_string(nodes[1].port())});
  EXPECT_TRUE(eventually([&] { return state_of(locks, 0) == node_state::replica; }));
}

TEST(a_server_that_may_not_be_asked_who_it_is, votes_unverified) {
  masters nodes(3);
  options o = nodes.options();
  o.nodes.clear();
  for (redis_server& node : nodes) o.nodes.push_back(as_user(node, {"~*", "+@all", "-info"}));
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  EXPECT_FALSE(locks.nodes()[0].verified);
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(a_server_that_tells_who_it_is, is_verified) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  EXPECT_TRUE(locks.nodes()[0].verified);
}

}  // namespace
}  // namespace redlock::live
