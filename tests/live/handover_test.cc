// Locks that change hands by their token: from handle to handle, and from process to process.

#include <string>
#include <vector>

#include "actor.h"
#include "live.h"

namespace redlock::live {
namespace {

const std::string strange = "0123456789abcdef0123456789abcdef.1@nobody";

TEST(a_detached_lease, is_not_held_while_its_keys_stay_until_their_ttl) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> held = locks.acquire("r", {.ttl = 30s, .renewal = renewal::every(20ms)});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  const result<std::string> token = held->detach();
  ASSERT_TRUE(succeeded(token));
  EXPECT_EQ(*token, held->token());
  EXPECT_FALSE(held->held());
  EXPECT_EQ(held->remaining(), 0s);
  EXPECT_EQ(signal.count(), 1);
  ASSERT_TRUE(held->failure());
  EXPECT_EQ(held->failure()->code(), errc::not_held);
  EXPECT_TRUE(failed_with(errc::not_held, held->renew()));
  EXPECT_TRUE(failed_with(errc::not_held, held->release()));
  EXPECT_TRUE(failed_with(errc::not_held, held->detach()));
  *held = {};
  EXPECT_GE(nodes.count(key_of("r"), *token), 2U);
  // No renewal: the time that is left only shrinks.
  const auto left = nodes.pttl(0, key_of("r"));
  EXPECT_TRUE(throughout(100ms, [&] { return nodes.pttl(0, key_of("r")) <= left; }));
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r")));
}

TEST(a_detached_lease, outlives_its_manager) {
  masters nodes(3);
  std::string token;
  {
    lock_manager locks(nodes.options());
    result<lease> held = locks.acquire("r", {.wait = 10s});
    ASSERT_TRUE(succeeded(held));
    token = held->detach().value();
    EXPECT_TRUE(succeeded(locks.close().get()));
  }
  EXPECT_GE(nodes.count(key_of("r"), token), 2U);
}

TEST(a_lease_that_is_not_held, cannot_be_detached) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  EXPECT_TRUE(failed_with(errc::not_held, lease().detach()));
  result<lease> held =
      locks.acquire("r", {.ttl = 100ms, .wait = 10s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return !held->held(); }));
  EXPECT_TRUE(failed_with(errc::lost, held->detach()));
}

TEST(an_adopted_lease, is_held_renewed_and_released_under_the_token_of_the_former_handle) {
  masters nodes(3);
  options former = nodes.options();
  former.client_name = "former";
  lock_manager first(std::move(former));
  lock_manager second(nodes.options());
  ASSERT_TRUE(all_up(first) && all_up(second));
  const std::string token = first.acquire("r", {.wait = 10s}).value().detach().value();
  const auto before = clock::now();
  result<lease> held = second.adopt("r", token, {.ttl = 20s, .renewal = renewal::every(20ms)});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(held->held());
  EXPECT_EQ(held->token(), token);
  EXPECT_EQ(held->resource(), "r");
  EXPECT_TRUE(token.ends_with("@former"));
  EXPECT_GE(held->expires_at(), before + 19s);
  EXPECT_TRUE(failed_with(errc::held_by_other, first.acquire("r")));
  const auto end = held->expires_at();
  EXPECT_TRUE(eventually([&] { return held->expires_at() > end; }));
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(an_adopted_lease, is_refilled_on_the_nodes_that_lost_the_key) {  // N2
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  result<lease> former = locks.acquire("r", {.ttl = 30s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(former));
  ASSERT_TRUE(eventually([&] { return former->nodes_held() == 3; }));
  const std::string token = former->detach().value();
  nodes.del(1, key_of("r"));
  const result<lease> held = locks.adopt("r", token, {.ttl = 30s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), token) == 3; }));
}

TEST(an_adopted_lease, is_lost_like_any_other) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const std::string token = locks.acquire("r", {.wait = 10s}).value().detach().value();
  const result<lease> held = locks.adopt("r", token, {.ttl = 20s, .renewal = renewal::every(20ms)});
  ASSERT_TRUE(succeeded(held));
  signal_log signal(*held);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), strange, 60s);
  EXPECT_TRUE(eventually([&] { return signal.count() == 1; }));
  EXPECT_FALSE(held->held());
  EXPECT_EQ(nodes.count(key_of("r"), strange), 3U);
}

TEST(a_lock, goes_from_one_process_to_another) {
  masters nodes(3);
  std::string token;
  {
    actor other("detach", "r", nodes);
    ASSERT_TRUE(other.says("detached"));
    other.process().kill();
  }
  for (std::size_t i = 0; token.empty() && i < 3; ++i) token = nodes.get(i, key_of("r"));
  lock_manager locks(nodes.options());
  const result<lease> held = locks.adopt("r", token);
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(held->held());
}

TEST(adopting, a_token_that_no_quorum_has_any_more_says_lost_and_changes_nothing) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  EXPECT_TRUE(failed_with(errc::lost, locks.adopt("r", strange)));  // it ran out
  EXPECT_EQ(nodes.keys(), 0U);
  const result<lease> other = locks.acquire("r");
  ASSERT_TRUE(succeeded(other));
  const result<lease> adopted = locks.adopt("r", strange);
  ASSERT_TRUE(failed_with(errc::lost, adopted));
  EXPECT_GE(count(adopted.error(), answer::foreign), 2U);
  EXPECT_TRUE(other->held());
  EXPECT_GE(nodes.count(key_of("r"), other->token()), 2U);
}

TEST(adopting, that_fails_leaves_the_keys_of_a_holder_alone) {  // N3
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes.set(0, key_of("r"), strange, 600s);
  EXPECT_TRUE(failed_with(errc::lost, locks.adopt("r", strange, {.wait = 10s})));
  EXPECT_TRUE(throughout(100ms, [&] { return nodes.get(0, key_of("r")) == strange; }));
}

TEST(adopting, without_a_majority_says_no_quorum) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const std::string token = locks.acquire("r").value().detach().value();
  nodes[0].kill();
  nodes[1].kill();
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.adopt("r", token)));
}

TEST(adopting, what_is_no_token_is_refused_before_anything_is_sent) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  for (const std::string& no_token : {std::string(), std::string("x"),
                                      strange + "\n" + std::string(300, 'x'), strange.substr(1)}) {
    EXPECT_TRUE(failed_with(errc::invalid_argument, locks.adopt("r", no_token)));
  }
  EXPECT_TRUE(failed_with(errc::invalid_argument, locks.adopt("", strange)));
  EXPECT_TRUE(failed_with(errc::invalid_argument, locks.adopt("r", strange, {.ttl = 1h})));
}

TEST(adopting, ends_with_its_stop_token_and_with_its_manager) {
  masters nodes(3);
  for (redis_server& node : nodes) node.stop();
  options o = nodes.options();
  auto locks = std::make_unique<lock_manager>(std::move(o));
  std::stop_source stop;
  pending<lease> cancelled(locks->adopt_async("r", strange, {.stop = stop.get_token()}));
  pending<lease> closed(locks->adopt_async("r", strange));
  stop.request_stop();
  EXPECT_TRUE(failed_with(errc::cancelled, cancelled.take()));
  locks.reset();
  EXPECT_TRUE(failed_with(errc::shut_down, closed.take()));
}

TEST(a_token, is_released_by_whoever_has_it_on_every_node) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  const std::string token = locks.acquire("r").value().detach().value();
  EXPECT_TRUE(succeeded(locks.release("r", token)));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(failed_with(errc::lost, locks.release("r", token)));
}

TEST(a_token, that_only_a_minority_has_is_taken_away_too_and_no_other) {  // R4
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  nodes.set(0, key_of("r"), strange, 600s);
  nodes.set(1, key_of("r"), "another", 600s);
  static_cast<void>(locks.release("r", strange));
  EXPECT_TRUE(eventually([&] { return nodes.get(0, key_of("r")).empty(); }));
  EXPECT_EQ(nodes.get(1, key_of("r")), "another");
}

TEST(a_token, of_another_library_is_released_too) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "anything at all", 600s);
  EXPECT_TRUE(succeeded(locks.release("r", "anything at all")));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(failed_with(errc::invalid_argument, locks.release("r", "")));
  EXPECT_TRUE(failed_with(errc::invalid_argument, locks.release("r", std::string(513, 'x'))));
}

TEST(a_token, whose_release_no_quorum_confirms_says_no_quorum_and_goes_on_behind) {  // R2
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  const std::string token = locks.acquire("r", {.wait = 10s}).value().detach().value();
  nodes[0].stop();
  nodes[1].stop();
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.release("r", token)));
  nodes[0].cont();
  nodes[1].cont();
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::live
