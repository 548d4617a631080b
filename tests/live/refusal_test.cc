// What a client is told that does not get the lock, and what it leaves behind: nothing.

#include <atomic>
#include <string>

#include "live.h"

namespace redlock::live {
namespace {

TEST(a_refusal, names_the_holder) {
  masters nodes(5);
  options o = nodes.options();
  o.client_name = "holder-1";
  lock_manager holder(std::move(o));
  lock_manager other(nodes.options());
  ASSERT_TRUE(all_up(holder) && all_up(other));
  const result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  ASSERT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 5; }));
  const result<lease> refused = other.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  const failure& why = refused.error();
  EXPECT_NE(why.message().find("holder-1"), std::string::npos) << why.message();
  EXPECT_EQ(why.votes().nodes, 5);
  EXPECT_EQ(why.votes().quorum, 3);
  EXPECT_EQ(why.votes().granted, 0);
  EXPECT_GE(count(why, answer::refused), 3U);
  for (const node_answer& n : why.nodes()) {
    if (n.answer == answer::refused) {
      EXPECT_EQ(n.text, held->token());
    }
  }
}

TEST(a_refusal, converts_to_the_condition_device_or_resource_busy) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  const std::error_code code = refused.error();
  EXPECT_EQ(code, errc::held_by_other);
  EXPECT_EQ(code, std::errc::device_or_resource_busy);
}

TEST(a_refusal, leaves_the_holders_keys_alone) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 5; ++i) nodes.set(i, key_of("r"), "other", 60s);
  const lock_options persistent{.wait = wait_forever, .max_attempts = 8};
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", persistent)));
  EXPECT_EQ(nodes.count(key_of("r"), "other"), 5U);
  EXPECT_GT(nodes.pttl(0, key_of("r")), 30s);
}

TEST(a_partial_grant, is_rolled_back) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 60s);
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 3; }));
  EXPECT_EQ(nodes.count(key_of("r"), "other"), 3U);
}

TEST(a_minority_of_other_keys, does_not_prevent_a_grant) {
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 2; ++i) nodes.set(i, key_of("r"), "other", 60s);
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_EQ(nodes.count(key_of("r"), held->token()), 3U);
  EXPECT_EQ(held->nodes_held(), 3U);
}

// With two nodes no answer of the second can change what the first has said (rule G4).
TEST(an_attempt, ends_without_the_answers_that_cannot_change_it) {
  masters nodes(2);
  options o = nodes.options();
  o.node_timeout = 30s;
  o.hung_timeout = 60s;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes.set(1, key_of("r"), "other", 60s);
  nodes[0].stop();
  const auto start = clock::now();
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", {.ttl = 60s})));
  EXPECT_LT(clock::now() - start, 15s);
  nodes[0].cont();
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 1; }));
}

TEST(a_key_of_another_library, is_left_alone_whatever_its_value) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (const char* value : {"", "0", ".1@x"}) {
    for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), value, 60s);
    EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r")));
    EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r", {.wait = 50ms})));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(nodes.get(i, key_of("r")), value);
  }
}

TEST(a_key_of_another_type, is_reported_as_foreign_and_left_alone) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (redis_server& node : nodes) node.command({"RPUSH", key_of("r"), "x"});
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_GE(count(refused.error(), answer::foreign), 2U) << refused.error().message();
  for (redis_server& node : nodes) EXPECT_EQ(node.command({"LLEN", key_of("r")}).number, 1);
}

TEST(a_key_without_expiry, is_reported_as_foreign_and_left_alone) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  for (redis_server& node : nodes) node.command({"SET", key_of("r"), "data"});
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_GE(count(refused.error(), answer::foreign), 2U) << refused.error().message();
  EXPECT_EQ(nodes.count(key_of("r"), "data"), 3U);
  EXPECT_EQ(nodes.pttl(0, key_of("r")), -1ms);
}

// Three clients that may each take one node of three: all must let go before they try again.
TEST(split_votes, resolve_before_any_ttl_has_passed) {
  masters nodes(3);
  lock_manager a(nodes.options());
  lock_manager b(nodes.options());
  lock_manager c(nodes.options());
  ASSERT_TRUE(all_up(a) && all_up(b) && all_up(c));
  std::atomic<int> granted = 0;
  const auto start = clock::now();
  for (lock_manager* locks : {&a, &b, &c}) {
    locks->acquire_async("r", {.ttl = 60s, .wait = 15s}).then([&granted](result<lease> r) {
      if (r) ++granted;  // and lets it go
    });
  }
  EXPECT_TRUE(eventually([&] { return granted == 3; }));
  EXPECT_LT(clock::now() - start, 15s);
}

}  // namespace
}  // namespace redlock::live
