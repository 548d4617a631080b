// Credentials, rights, and all the ways to reach a server.

#include <netdb.h>

#include <string>
#include <vector>

#include "live.h"

namespace redlock::live {
namespace {

constexpr auto at_once = 5s;  // for what must not wait for anything

std::vector<endpoint> with_wrong_password(masters& nodes, std::size_t n) {
  std::vector<endpoint> all = nodes.endpoints();
  for (std::size_t i = 0; i < n; ++i) all[i].password = "wr0ng-pass";
  return all;
}

bool is_known_to_this_machine(const char* host) {
  addrinfo* found = nullptr;
  if (::getaddrinfo(host, nullptr, nullptr, &found) != 0) return false;
  ::freeaddrinfo(found);
  return true;
}

TEST(a_wrong_password, on_a_minority_costs_only_that_vote) {
  masters nodes(5, {.arguments = {}, .password = "s3cret"});
  options o = nodes.options();
  o.nodes = with_wrong_password(nodes, 1);
  lock_manager locks(std::move(o));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  ASSERT_TRUE(eventually([&] { return locks.nodes()[0].state == node_state::denied; }));
  EXPECT_NE(locks.nodes()[0].last_error, "");
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_TRUE(eventually([&] { return locks.nodes()[i].state == node_state::up; }));
  }
  for (std::size_t i = 1; i < 4; ++i) nodes.set(i, key_of("s"), "other", 60s);
  const result<lease> refused = locks.acquire("s");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_EQ(count(refused.error(), answer::denied), 1U) << refused.error().message();
}

TEST(a_wrong_password, on_a_majority_ends_even_an_endless_wait_at_once) {
  masters nodes(5, {.arguments = {}, .password = "s3cret"});
  options o = nodes.options();
  o.nodes = with_wrong_password(nodes, 3);
  lock_manager locks(std::move(o));
  const auto start = clock::now();
  const result<lease> refused = locks.acquire("r", {.wait = wait_forever});
  EXPECT_LT(clock::now() - start, at_once);
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_GE(count(refused.error(), answer::denied), 3U) << refused.error().message();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_password, is_in_no_message) {
  masters nodes(3, {.arguments = {}, .password = "s3cret"});
  options o = nodes.options();
  o.nodes = with_wrong_password(nodes, 3);
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_EQ(refused.error().message().find("wr0ng-pass"), std::string::npos);
  for (const node_status& n : locks.nodes()) {
    EXPECT_EQ(n.last_error.find("wr0ng-pass"), std::string::npos) << n.last_error;
    EXPECT_EQ(n.node.find("wr0ng-pass"), std::string::npos) << n.node;
  }
}

TEST(a_missing_password, is_reported_as_denied) {
  masters nodes(1, {.arguments = {}, .password = "s3cret"});
  options o = nodes.options();
  o.nodes = with_wrong_password(nodes, 0);
  o.nodes[0].password.clear();
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_EQ(count(refused.error(), answer::denied), 1U) << refused.error().message();
}

TEST(a_password_put_right, lets_the_node_in_by_itself) {
  masters nodes(1, {.arguments = {}, .password = "s3cret"});
  options o = nodes.options();
  o.nodes = with_wrong_password(nodes, 1);
  lock_manager locks(std::move(o));
  EXPECT_TRUE(failed_with(errc::bad_configuration, locks.acquire("r")));
  nodes[0].command({"CONFIG", "SET", "requirepass", "wr0ng-pass"});
  EXPECT_TRUE(all_up(locks));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(a_password, a_user_and_a_database_are_used_on_every_connection) {
  masters nodes(3);
  std::vector<endpoint> all;
  for (redis_server& node : nodes) {
    node.command({"ACL", "SETUSER", "app", "on", ">p:w/@ %", "~*", "&*", "+@all"});
    all.emplace_back("redis://app:p%3Aw%2F%40%20%25@" + node.name() + "/3");
  }
  options o = nodes.options();
  o.nodes = all;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const auto in_database_3 = [](redis_server& node) {
    const std::string script = "redis.call('SELECT', 3) return redis.call('EXISTS', KEYS[1])";
    return node.command({"EVAL", script, "1", key_of("r")}).number;
  };
  for (int connection = 0; connection < 2; ++connection) {
    result<lease> held = locks.acquire("r", {.wait = 10s});
    ASSERT_TRUE(succeeded(held));
    for (redis_server& node : nodes) {
      EXPECT_TRUE(eventually([&] { return in_database_3(node) == 1; }));
    }
    EXPECT_EQ(nodes.count(key_of("r")), 0U);  // in database 0
    EXPECT_TRUE(succeeded(held->release()));
    for (redis_server& node : nodes) node.command({"CLIENT", "KILL", "TYPE", "normal"});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(eventually([&] { return locks.nodes()[i].connects > 1; }));
    }
    ASSERT_TRUE(all_up(locks));
  }
}

TEST(every_connection, carries_the_clients_name) {
  masters nodes(1);
  options o = nodes.options();
  o.client_name = "billing 7";
  lock_manager locks(std::move(o));
  for (std::uint64_t connection = 1; connection <= 3; ++connection) {
    ASSERT_TRUE(eventually([&] { return locks.nodes()[0].connects == connection; }));
    EXPECT_NE(nodes[0].command({"CLIENT", "LIST"}).text.find("name=billing_7 "), std::string::npos);
    nodes[0].command({"CLIENT", "KILL", "TYPE", "normal"});
  }
}

TEST(a_database_that_is_not_there, is_a_bad_configuration) {
  masters nodes(1);
  options o = nodes.options();
  o.nodes[0].database = 99;
  lock_manager locks(std::move(o));
  EXPECT_TRUE(failed_with(errc::bad_configuration, locks.acquire("r", {.wait = wait_forever})));
}

TEST(a_user_without_the_right_to_run_scripts, is_denied) {
  masters nodes(1);
  options o = nodes.options();
  o.nodes = {as_user(nodes[0], {"~*", "&*", "+@all", "-@scripting"})};
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r", {.wait = wait_forever});
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_EQ(count(refused.error(), answer::denied), 1U) << refused.error().message();
}

TEST(a_user_without_the_right_to_the_key, is_denied) {
  masters nodes(1);
  options o = nodes.options();
  o.nodes = {as_user(nodes[0], {"~others:*", "&*", "+@all"})};
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r", {.wait = wait_forever});
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_EQ(count(refused.error(), answer::denied), 1U) << refused.error().message();
}

// A script is run, and may not do what it is there for.
class a_user_without_the_right_to : public testing::TestWithParam<const char*> {};

TEST_P(a_user_without_the_right_to, a_command_that_scripts_need_is_denied) {
  const std::string command = GetParam();
  masters nodes(1);
  options o = nodes.options();
  o.nodes = {as_user(nodes[0], {"~*", "&*", "+@all", "-" + command})};
  lock_manager locks(std::move(o));
  const result<lease> refused = locks.acquire("r", {.wait = wait_forever});
  ASSERT_TRUE(failed_with(errc::bad_configuration, refused));
  EXPECT_EQ(count(refused.error(), answer::denied), 1U) << refused.error().message();
  EXPECT_EQ(nodes.keys(), 0U);
}

TEST_P(a_user_without_the_right_to, a_command_that_scripts_need_is_denied_when_lost_later) {
  const std::string command = GetParam();
  masters nodes(1);
  options o = nodes.options();
  o.nodes = {as_user(nodes[0], {"~*", "&*", "+@all"})};
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"ACL", "SETUSER", "app", "-" + command});
  const result<lease> refused = locks.acquire("r", {.wait = wait_forever});
  EXPECT_TRUE(failed_with(errc::bad_configuration, refused));
}

INSTANTIATE_TEST_SUITE_P(run, a_user_without_the_right_to,
                         testing::Values("evalsha", "get", "set"));

// Else a guard that only an enrolment ends would never end, and nobody would know why.
TEST(a_node_that_denies_an_enrolment, is_denied_even_while_nobody_locks) {
  masters nodes(1);
  options o = nodes.options();
  o.nodes = {as_user(nodes[0], {"~*", "&*", "+@all"})};
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes[0].command({"ACL", "SETUSER", "app", "-get"});
  EXPECT_TRUE(eventually([&] { return locks.nodes()[0].state == node_state::denied; }));
  nodes[0].command({"ACL", "SETUSER", "app", "+get"});
  EXPECT_TRUE(all_up(locks));
}

TEST(a_host_name_that_does_not_exist, costs_only_that_vote) {
  masters nodes(2);
  options o = nodes.options();
  o.nodes.emplace_back("redis://no-such-host.invalid:6379");
  o.connect_timeout = 2s;
  lock_manager locks(std::move(o));
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(masters, can_be_reached_by_unix_sockets) {
  masters nodes(3, {.arguments = {}, .password = "s3cret"});
  options o = nodes.options();
  o.nodes.clear();
  for (redis_server& node : nodes) o.nodes.emplace_back(node.unix_uri());
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
}

TEST(masters, can_be_reached_by_ipv6) {
  masters nodes(3);
  if (!nodes[0].has_ipv6()) GTEST_SKIP() << "this machine has no ::1";
  options o = nodes.options();
  o.nodes.clear();
  for (redis_server& node : nodes) {
    o.nodes.emplace_back("redis://[::1]:" + std::to_string(node.port()));
  }
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  EXPECT_EQ(locks.nodes()[0].node, "[::1]:" + std::to_string(nodes[0].port()));
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
}

TEST(masters, can_be_reached_by_name) {
  if (!is_known_to_this_machine("localhost")) GTEST_SKIP() << "no localhost in /etc/hosts";
  masters nodes(3);
  options o = nodes.options();
  o.nodes.clear();
  for (redis_server& node : nodes) {
    o.nodes.emplace_back("localhost:" + std::to_string(node.port()));
  }
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
}

}  // namespace
}  // namespace redlock::live
