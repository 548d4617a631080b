// Those who wait for one resource in many processes: in which order they get it, and what is left
// of their queue. What happens to it when something breaks is in fair_queue_faults_test.cc.

#include "fair_queue.h"

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "hammer.h"
#include "paths.h"

namespace redlock::live {
namespace {

class waiters_on : public testing::TestWithParam<std::size_t> {};

TEST_P(waiters_on, n_nodes_are_served_in_the_order_in_which_they_came) {
  masters nodes(GetParam());
  lock_manager holder(nodes.options());
  ASSERT_TRUE(all_up(holder));
  result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  crowd all(nodes);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(all.join());
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(all.is_served_in_order());
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST_P(waiters_on, n_nodes_that_have_to_ask_are_served_in_the_order_in_which_they_came) {
  masters nodes(GetParam());
  lock_manager holder(nodes.options());
  ASSERT_TRUE(all_up(holder));
  result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  options o = nodes.options();
  o.wakeups = false;
  crowd all(nodes);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(all.join(o, {.wait = wait_forever}));
  EXPECT_EQ(wakeup_connections(nodes), 0U);
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(all.is_served_in_order());
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_EQ(wakeup_connections(nodes), 0U);
}

INSTANTIATE_TEST_SUITE_P(count, waiters_on, testing::Values(1U, 3U, 5U));

// How often a node has refused the lock to somebody: then it looks how long the key lives.
long long refusals(redis_server& node) { return calls(node, "pttl"); }

// Whoever waits asks all nodes until it has heard of the queue from the lead; from then on, that
// one. Three times as long as it would take to ask again.
bool is_left_alone(redis_server& node) {
  return eventually([&] {
    const long long before = refusals(node);
    return throughout(1s, [&] { return refusals(node) == before; });
  });
}

// One holds it, and one waits.
class two_clients : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(all_up(holder_));
    held_.emplace(holder_.acquire("r", {.ttl = 60s, .renewal = renewal::manual()}));
    ASSERT_TRUE(succeeded(*held_));
    ASSERT_TRUE(all_.join());
    lead_ = lead_of(nodes_);
  }
  [[nodiscard]] redis_server& lead() { return nodes_[lead_]; }
  [[nodiscard]] redis_server& other() { return nodes_[(lead_ + 1) % 3]; }
  [[nodiscard]] result<void> release() { return (*held_)->release(); }

  masters nodes_{3};
  lock_manager holder_{nodes_.options()};
  crowd all_{nodes_};

 private:
  std::optional<result<lease>> held_;
  std::size_t lead_ = 0;
};

TEST_F(two_clients, of_whom_one_waits_and_asks_nobody_but_the_lead_until_the_release_tells_it) {
  ASSERT_TRUE(is_left_alone(other()));
  const long long before = refusals(other());
  const long long before_on_lead = refusals(lead());
  EXPECT_TRUE(throughout(1s, [&] { return refusals(other()) == before; }));
  EXPECT_LE(refusals(lead()), before_on_lead + 30);  // some each second, in case
  EXPECT_EQ(calls(lead(), "publish"), 0);
  ASSERT_TRUE(succeeded(release()));
  EXPECT_TRUE(all_.is_served());
  EXPECT_EQ(calls(lead(), "publish"), 1);
}

// Told of a turn that it has not got, it asks everybody at once; by itself, the lead alone.
TEST(a_waiter, asks_all_nodes_when_it_is_told_of_its_turn) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  crowd all(nodes);
  ASSERT_TRUE(all.join());
  const std::size_t lead = lead_of(nodes);
  redis_server& other = nodes[(lead + 1) % 3];
  const std::string place = places(nodes).front();
  const std::size_t blank = place.find(' ');
  const std::string turn = place.substr(0, blank) + " 0 " + key_of("r");
  ASSERT_TRUE(is_left_alone(other));
  const long long before = refusals(other);
  const reply heard =
      nodes[lead].command({"PUBLISH", "redlock-wake:" + place.substr(blank + 1), turn});
  EXPECT_EQ(heard.number, 1);
  EXPECT_TRUE(eventually([&] { return refusals(other) >= before + 1; }));
  EXPECT_FALSE(all[0].ended());
  EXPECT_TRUE(wait_for_places(nodes, 1, true)) << "it keeps its place";
}

// The answer to its release has said that others wait.
TEST_F(two_clients, of_whom_one_releases_to_the_other_and_asks_nobody_but_the_lead_next) {
  const std::string served = places(nodes_).front();
  ASSERT_TRUE(succeeded(release()));
  const result<lease> next = all_[0].take();
  ASSERT_TRUE(succeeded(next));
  ASSERT_TRUE(eventually([&] {
    return std::ranges::all_of(holder_.nodes(),
                               [](const node_status& n) { return n.pending == 0; });
  }));
  const long long before = refusals(other());
  pending<lease> again(holder_.acquire_async("r", asks_when_told));
  ASSERT_TRUE(eventually([&] {
    const std::vector<std::string> all = places(nodes_);
    return !all.empty() && all.back() != served;
  }));
  EXPECT_EQ(refusals(other()), before);
}

// With its turn it is told the token, and takes the lock where the release has yet to arrive.
TEST(a_waiter, that_is_told_need_not_wait_for_the_release_on_nodes_other_than_the_lead) {
  masters nodes(3);
  paths ways(nodes);
  lock_manager holder(ways.options());
  ASSERT_TRUE(all_up(holder));
  result<lease> held = holder.acquire("r", {.ttl = 60s, .renewal = renewal::manual()});
  ASSERT_TRUE(succeeded(held));
  crowd all(nodes);
  ASSERT_TRUE(all.join());
  const std::size_t lead = lead_of(nodes);
  for (std::size_t i = 0; i < 3; ++i) {
    if (i != lead) ways[i].hold(direction::requests);
  }
  const pending<void> releasing(held->release_async());
  const result<lease> granted = all[0].take();
  ASSERT_TRUE(succeeded(granted));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), granted->token()) == 3; }));
  for (proxy& way : ways) way.pass(direction::requests);
  EXPECT_TRUE(eventually([&] { return releasing.ended(); }));
  EXPECT_EQ(nodes.count(key_of("r"), granted->token()), 3U);
}

TEST(a_try, is_refused_while_another_process_has_a_place_although_the_lock_is_free) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  // Somebody who has to ask for its turn, and does not come: to be told of it, it would have to
  // listen.
  const std::string somebody = "00112233445566778899aabbccddeeff ";
  const std::string add =
      "local t = redis.call('TIME') "
      "redis.call('ZADD', KEYS[1], 1, ARGV[1], 10000000000000 + t[1] * 1000 + 4900, '@' .. ARGV[1])"
      "redis.call('PEXPIRE', KEYS[1], 5000)";
  for (redis_server& node : nodes) {
    ASSERT_FALSE(node.command({"EVAL", add, "1", queue_key, somebody}).failed());
  }
  EXPECT_TRUE(failed_with(errc::held_by_other, locks.acquire("r")));
  EXPECT_EQ(places(nodes), std::vector<std::string>(3, somebody));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r")) == 0; }));
  // A place ends by itself.
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = patience})));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_try, takes_no_place) {
  masters nodes(3);
  lock_manager holder(nodes.options());
  lock_manager other(nodes.options());
  ASSERT_TRUE(all_up(holder) && all_up(other));
  const result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(failed_with(errc::held_by_other, other.acquire("r")));
  EXPECT_EQ(places(nodes), std::vector<std::string>{});
  EXPECT_EQ(wakeup_connections(nodes), 0U);
}

TEST(without_fairness, there_is_no_queue_and_nobody_listens) {
  masters nodes(3);
  options o = nodes.options();
  o.fairness = false;
  lock_manager holder(o);
  lock_manager other(o);
  ASSERT_TRUE(all_up(holder) && all_up(other));
  const auto written = [&] {
    long long sum = 0;
    for (redis_server& node : nodes) sum += calls(node, "zadd");
    return sum;
  };
  const long long before = written();
  result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  EXPECT_TRUE(failed_with(errc::held_by_other, other.acquire("r", {.wait = 300ms})));
  pending<lease> waiting(other.acquire_async("r", {.wait = wait_forever}));
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(succeeded(waiting.take()));
  EXPECT_EQ(written(), before);
  EXPECT_EQ(places(nodes), std::vector<std::string>{});
  EXPECT_EQ(wakeup_connections(nodes), 0U);
}

class a_waiter_that_is_cancelled : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { options_.wakeups = GetParam(); }
  masters nodes_ = masters(3);
  options options_ = nodes_.options();
  std::stop_source stop_;
  const lock_options cancelled_ = {.wait = wait_forever, .stop = stop_.get_token()};
};

TEST_P(a_waiter_that_is_cancelled, leaves_no_place_behind) {
  lock_manager holder(options_);
  ASSERT_TRUE(all_up(holder));
  result<lease> held = holder.acquire("r");
  ASSERT_TRUE(succeeded(held));
  crowd all(nodes_);
  ASSERT_TRUE(all.join(options_, cancelled_));
  ASSERT_TRUE(all.join(options_));
  const std::vector<std::string> both = places(nodes_);
  ASSERT_EQ(both.size(), 2U);
  stop_.request_stop();
  EXPECT_TRUE(failed_with(errc::cancelled, all[0].take()));
  EXPECT_TRUE(eventually([&] { return places(nodes_).size() == 1; }));
  EXPECT_EQ(places(nodes_), std::vector<std::string>{both[1]});
  ASSERT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(succeeded(all[1].take()));
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

// Its turn, which it may have been told of already, goes on to whoever comes next.
TEST_P(a_waiter_that_is_cancelled, when_its_turn_comes_keeps_nobody_waiting) {
  lock_manager holder(options_);
  ASSERT_TRUE(all_up(holder));
  for (const bool release_first : {true, false, true, false, true, false}) {
    result<lease> held = holder.acquire("r", {.wait = patience});
    ASSERT_TRUE(succeeded(held));
    stop_ = {};
    lock_options how = cancelled_;
    how.stop = stop_.get_token();
    crowd all(nodes_);
    ASSERT_TRUE(all.join(options_, how));
    ASSERT_TRUE(all.join(options_));
    if (!release_first) stop_.request_stop();
    pending<void> released(held->release_async());
    if (release_first) stop_.request_stop();
    const result<lease> first = all[0].take();
    EXPECT_TRUE(first || failed_with(errc::cancelled, first));
    if (first) continue;  // it was faster
    EXPECT_TRUE(succeeded(all[1].take()));
  }
  EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
}

INSTANTIATE_TEST_SUITE_P(told, a_waiter_that_is_cancelled, testing::Bool());

TEST(a_lock_manager_that_goes, leaves_no_place_behind) {
  masters nodes(3);
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 600s);
  {
    crowd all(nodes);
    ASSERT_TRUE(all.join());
    ASSERT_TRUE(all.join());
  }
  EXPECT_EQ(places(nodes), std::vector<std::string>{});
  EXPECT_TRUE(eventually([&] { return wakeup_connections(nodes) == 0; }));
}

TEST(lock_managers_that_compete, leave_nothing_on_any_node) {
  constexpr int contenders = 4;
  constexpr int rounds = 25;
  masters nodes(3);
  arena shared{};
  std::deque<lock_manager> managers;
  for (int i = 0; i < contenders; ++i) managers.emplace_back(nodes.options());
  for (const lock_manager& locks : managers) ASSERT_TRUE(all_up(locks));
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t me = 1; lock_manager & locks : managers) {
      threads.emplace_back([&, me] { hammer(locks, shared, me, rounds); });
      ++me;
    }
  }
  EXPECT_EQ(shared.overlaps, 0U);
  EXPECT_EQ(shared.failures, 0U);
  EXPECT_EQ(shared.count, static_cast<std::uint64_t>(contenders * rounds));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::live
