// The fair queue when something breaks, or is not allowed: it costs turns, nobody waits in vain,
// and nothing is left of it.

#include <algorithm>
#include <string>
#include <vector>

#include "actor.h"
#include "fair_queue.h"

namespace redlock::live {
namespace {

// Two who wait behind a lease.
class two_who_wait : public testing::Test {
 protected:
  two_who_wait() { options_.node_timeout = 500ms; }

  void SetUp() override {
    ASSERT_TRUE(all_up(holder_));
    held_ = holder_.acquire("r", {.ttl = 60s});
    ASSERT_TRUE(succeeded(held_));
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(all_.join(options_));
    lead_ = lead_of(nodes_);
  }

  [[nodiscard]] redis_server& lead() { return nodes_[lead_]; }

  masters nodes_ = masters(3);
  options options_ = nodes_.options();
  lock_manager holder_ = lock_manager(options_);
  result<lease> held_ = errc::not_held;
  crowd all_ = crowd(nodes_);
  std::size_t lead_ = 0;
};

TEST_F(two_who_wait, are_served_although_their_queue_is_deleted) {
  nodes_.del(lead_, queue_key);
  ASSERT_TRUE(succeeded(held_->release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_F(two_who_wait, take_their_places_again_when_their_queue_is_deleted) {
  nodes_.del(lead_, queue_key);
  EXPECT_TRUE(wait_for_places(nodes_, 2, true));
}

TEST_F(two_who_wait, are_served_although_their_queue_is_something_else) {
  nodes_.set(lead_, queue_key, "a string", 600s);
  ASSERT_TRUE(succeeded(held_->release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.count(key_of("r")) == 0; }));
}

TEST_F(two_who_wait, listen_again_when_the_connections_are_cut) {
  ASSERT_TRUE(eventually([&] { return wakeup_connections(nodes_) == 6; }));
  for (redis_server& node : nodes_) {
    EXPECT_EQ(node.command({"CLIENT", "KILL", "TYPE", "pubsub"}).number, 2);
  }
  EXPECT_TRUE(eventually([&] { return wakeup_connections(nodes_) == 6; }));
  EXPECT_TRUE(wait_for_places(nodes_, 2, true));
  const long long before = calls(lead(), "publish");
  ASSERT_TRUE(succeeded(held_->release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_GE(calls(lead(), "publish"), before + 2);
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_F(two_who_wait, are_served_although_the_release_finds_nobody_listening) {
  for (redis_server& node : nodes_) node.command({"CLIENT", "KILL", "TYPE", "pubsub"});
  ASSERT_TRUE(succeeded(held_->release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_F(two_who_wait, are_served_although_the_lead_hangs) {
  lead().stop();
  static_cast<void>(held_->release());
  EXPECT_TRUE(all_.is_served());
  lead().cont();
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_F(two_who_wait, are_served_although_the_lead_dies) {
  lead().kill();
  static_cast<void>(held_->release());
  EXPECT_TRUE(all_.is_served());
  lead().start();
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_F(two_who_wait, are_told_again_when_the_lead_has_died_and_is_back) {
  lead().restart();
  EXPECT_TRUE(wait_for_places(nodes_, 2, true));
  EXPECT_TRUE(eventually([&] { return wakeup_connections(nodes_) == 6; }));
  ASSERT_TRUE(succeeded(held_->release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_F(two_who_wait, are_served_although_the_holder_says_nothing) {
  const result<std::string> token = held_->detach();
  ASSERT_TRUE(succeeded(token));
  for (std::size_t i = 0; i < 3; ++i) nodes_.del(i, key_of("r"));
  EXPECT_TRUE(all_.is_served_in_order());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

// A process that is first in line, and another behind it.
class whoever_comes_after_a_process_that_was : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(all_up(holder_));
    held_ = holder_.acquire("r", {.ttl = 60s});
    ASSERT_TRUE(succeeded(held_));
    first_.emplace("hold", "60000", nodes_);
    ASSERT_TRUE(wait_for_places(nodes_, 1, true));
    ASSERT_TRUE(all_.start(nodes_.options()));
    ASSERT_TRUE(wait_for_places(nodes_, 2, true));
  }

  masters nodes_ = masters(3);
  lock_manager holder_ = lock_manager(nodes_.options());
  result<lease> held_ = errc::not_held;
  std::optional<actor> first_;
  crowd all_ = crowd(nodes_);
};

TEST_F(whoever_comes_after_a_process_that_was, killed_gets_its_turn) {
  first_->process().kill();
  ASSERT_TRUE(succeeded(held_->release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_F(whoever_comes_after_a_process_that_was, stopped_gets_its_turn) {
  first_->process().stop();
  ASSERT_TRUE(succeeded(held_->release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

// What a user may do on all nodes, but for what the queue and its wake-ups need.
struct rights {
  const char* name;
  std::vector<std::string> words;
  bool queues;                 // it has a place all the same, and asks
  const char* says = nullptr;  // nodes() of a waiter
};

class a_user_without : public testing::TestWithParam<rights> {
 protected:
  // The same nodes with these rights.
  [[nodiscard]] options options_as_user() {
    options o = nodes_.options();
    o.nodes.clear();
    for (redis_server& node : nodes_) o.nodes.push_back(as_user(node, GetParam().words));
    return o;
  }

  masters nodes_ = masters(3);
};

TEST_P(a_user_without, some_rights_locks_and_waits_all_the_same) {
  const options o = options_as_user();
  lock_manager holder(o);
  ASSERT_TRUE(all_up(holder));
  result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  crowd all(nodes_);
  const lock_options by_policy{.wait = wait_forever};
  for (std::size_t i = 1; i <= 2; ++i) {
    ASSERT_TRUE(all.start(o, by_policy));
    EXPECT_TRUE(!GetParam().queues || wait_for_places(nodes_, i, false));
  }
  EXPECT_FALSE(all[0].ended() || all[1].ended());
  if (GetParam().says != nullptr) {
    EXPECT_TRUE(all.hears_of(GetParam().says));
  }
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(GetParam().queues ? all.is_served_in_order() : all.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
  if (!GetParam().queues) {
    for (redis_server& node : nodes_) EXPECT_EQ(calls(node, "publish"), 0);
  }
}

// The waiter may all, and so may hear; who releases may not.
TEST_P(a_user_without, some_rights_releases_to_whoever_has_them) {
  lock_manager holder(options_as_user());
  ASSERT_TRUE(all_up(holder));
  result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  crowd all(nodes_);
  ASSERT_TRUE(all.join());
  ASSERT_TRUE(all.join());
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(all.is_served_in_order());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

TEST_P(a_user_without, some_rights_that_it_had_before_releases_all_the_same) {
  options o = nodes_.options();
  o.nodes.clear();
  for (redis_server& node : nodes_) o.nodes.push_back(as_user(node, {"~*", "&*", "+@all"}));
  lock_manager holder(o);
  ASSERT_TRUE(all_up(holder));
  result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  crowd all(nodes_);
  ASSERT_TRUE(all.join(o, {.wait = wait_forever}));
  for (redis_server& node : nodes_) {
    node.command({"ACL", "SETUSER", "app", "resetkeys"});
    static_cast<void>(as_user(node, GetParam().words));
  }
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(all.is_served());
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
  EXPECT_TRUE(succeeded(holder.acquire("r", {.wait = patience})));
}

INSTANTIATE_TEST_SUITE_P(
    has, a_user_without,
    testing::Values(
        rights{"no_queue_keys",
               {"~redlock:*", "~redlock-node", "&*", "+@all"},
               false,
               "the fair queue: "},
        rights{"no_sorted_sets", {"~*", "&*", "+@all", "-@sortedset"}, false, "the fair queue: "},
        rights{"no_channels", {"~*", "resetchannels", "+@all"}, true, "wake-ups: "},
        rights{"other_channels", {"~*", "resetchannels", "&other:*", "+@all"}, true, "wake-ups: "},
        rights{"no_subscribe", {"~*", "&*", "+@all", "-subscribe"}, true, "wake-ups: "},
        rights{"no_publish", {"~*", "&*", "+@all", "-publish"}, true}),
    [](const testing::TestParamInfo<rights>& test) { return test.param.name; });

}  // namespace
}  // namespace redlock::live
