// What a grant is: one token on the nodes, under an expiry, and nobody else's.

#include <set>
#include <string>
#include <vector>

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

TEST(a_grant, puts_one_token_with_an_expiry_on_every_node) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("invoice/42", {.ttl = 10s});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(held->held());
  EXPECT_EQ(held->resource(), "invoice/42");
  const std::string key = "redlock:invoice/42";
  EXPECT_TRUE(eventually([&] { return nodes.count(key, held->token()) == 5; }));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    EXPECT_GT(nodes.pttl(i, key), 0ms) << i;
    EXPECT_LE(nodes.pttl(i, key), 10s) << i;
  }
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 5; }));
}

TEST(a_grant, ends_before_the_keys_do_by_at_least_the_drift) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("r", {.ttl = 10s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto key = nodes.pttl(i, key_of("r"));
    EXPECT_LE(held->remaining(), key - 100ms);  // 1 % of ttl, and 2 ms
  }
  EXPECT_GT(held->remaining(), 0s);
  EXPECT_LE(held->expires_at(), clock::now() + 10s - 102ms);
}

// Rule N2: also without a renewal to come.
TEST(a_grant, is_put_on_a_node_whose_first_contact_ends_later) {
  masters nodes(3);
  paths ways(nodes);
  ways[2].hold(direction::replies);
  lock_manager locks(ways.options());
  const result<lease> held = locks.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  EXPECT_EQ(held->nodes_held(), 2U);
  ways[2].pass(direction::replies);
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), held->token()) == 3; }));
  EXPECT_TRUE(eventually([&] { return held->nodes_held() == 3; }));
}

TEST(a_grant, waits_for_a_node_in_first_contact_if_it_needs_it) {
  masters nodes(3);
  paths ways(nodes);
  ways[2].hold(direction::replies);
  lock_manager locks(ways.options());
  EXPECT_TRUE(eventually([&] {
    return locks.nodes()[0].state == node_state::up && locks.nodes()[1].state == node_state::up;
  }));
  nodes.set(0, key_of("r"), "other", 60s);
  pending<lease> acquiring(locks.acquire_async("r", {.ttl = 60s}));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 2; }));
  ways[2].pass(direction::replies);
  EXPECT_TRUE(succeeded(acquiring.take()));
}

TEST(a_grant, carries_a_token_that_no_other_grant_carries) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  std::set<std::string> tokens;
  for (int i = 0; i < 50; ++i) {
    const result<lease> held = locks.acquire("r" + std::to_string(i));
    ASSERT_TRUE(succeeded(held));
    tokens.emplace(held->token());
  }
  EXPECT_EQ(tokens.size(), 50U);
}

TEST(a_grant, tells_on_the_nodes_who_holds_it) {
  masters nodes(3);
  options o = nodes.options();
  o.client_name = "billing-7";
  lock_manager locks(std::move(o));
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(held->token().ends_with("@billing-7")) << held->token();
}

TEST(a_grant, uses_the_key_prefix_it_was_given) {
  masters nodes(3);
  options o = nodes.options();
  o.key_prefix = "";
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const result<lease> held = locks.acquire("bare");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return nodes.count("bare", held->token()) == 3; }));
}

class a_set_of : public testing::TestWithParam<std::size_t> {};

TEST_P(a_set_of, n_nodes_grants_one_at_a_time) {
  masters nodes(GetParam());
  lock_manager a(nodes.options());
  lock_manager b(nodes.options());
  ASSERT_TRUE(all_up(a) && all_up(b));
  result<lease> first = a.acquire("r");
  ASSERT_TRUE(succeeded(first));
  EXPECT_TRUE(failed_with(errc::held_by_other, b.acquire("r")));
  EXPECT_TRUE(succeeded(first->release()));
  EXPECT_TRUE(succeeded(b.acquire("r", {.wait = 10s})));
}

INSTANTIATE_TEST_SUITE_P(size, a_set_of, testing::Values(1U, 2U, 3U, 4U, 5U, 7U));

TEST(a_quorum_above_the_majority, is_needed_in_full) {
  masters nodes(5);
  options o = nodes.options();
  o.quorum = 4;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes.set(0, key_of("r"), "other", 60s);
  EXPECT_TRUE(succeeded(locks.acquire("r")));
  nodes.set(1, key_of("s"), "other", 60s);
  nodes.set(2, key_of("s"), "other", 60s);
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("s")));
}

TEST(resource_names, are_any_bytes_and_each_is_its_own) {
  using namespace std::string_literals;
  const std::vector<std::string> names{"a",        "a\0"s,
                                       "a\0b"s,    "a\0c"s,
                                       "a ",       " a",
                                       "a\r\n",    "a\r\nDEL x\r\n",
                                       "%s",       "%n%n%n",
                                       "\xff\xfe", "{a}",
                                       "*",        "a*",
                                       "a:b",      "\0"s,
                                       "ä",        "'",
                                       "\"",       "\\",
                                       "\\x00",    std::string(resource_bytes_max, 'x')};
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  std::vector<result<lease>> leases;
  for (const std::string& name : names) {
    leases.push_back(locks.acquire(name));
    ASSERT_TRUE(succeeded(leases.back())) << name;
    EXPECT_EQ(leases.back()->resource(), name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string token(leases[i]->token());
    EXPECT_TRUE(eventually([&] { return nodes.count(key_of(names[i]), token) == 3; })) << names[i];
    EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire(names[i]))) << names[i];
  }
  leases.clear();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::live
