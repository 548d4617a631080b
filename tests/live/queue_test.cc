// Many acquires of one resource through one lock_manager: they queue, and only the first of them
// asks the nodes.

#include <atomic>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

const lock_options waits{.wait = wait_forever};
// Once refused, it does not ask again by its policy while the test lasts.
const lock_options asks_once{
    .wait = wait_forever, .policy = retry_policy::fixed, .retry_delay = 1h, .retry_max = 1h};

// The ends of many acquires, in the order in which they came. Those that are still waiting may end
// after it.
class acquires {
 public:
  explicit acquires(lock_manager& locks) : locks_(locks) {}

  void start(std::size_t n, const lock_options& o = waits) {
    for (std::size_t i = 0; i < n; ++i, ++started_) {
      locks_.acquire_async("r", o).then([log = log_, me = started_](result<lease> r) {
        const std::lock_guard lock(log->mutex);
        log->ended.emplace_back(me, std::move(r));
      });
    }
  }

  [[nodiscard]] std::size_t ended() const {
    const std::lock_guard lock(log_->mutex);
    return log_->ended.size();
  }
  // REQUIRES: i < ended().
  [[nodiscard]] std::size_t who(std::size_t i) const {
    const std::lock_guard lock(log_->mutex);
    return log_->ended[i].first;
  }
  result<lease>& of(std::size_t i) {
    const std::lock_guard lock(log_->mutex);
    return log_->ended[i].second;
  }

 private:
  struct log {
    std::mutex mutex;
    std::deque<std::pair<std::size_t, result<lease>>> ended;
  };
  lock_manager& locks_;
  std::size_t started_ = 0;
  const std::shared_ptr<log> log_ = std::make_shared<log>();
};

// How often a server has refused the key to somebody: then it looks how long the key lives. (So it
// does for a renewal and an adoption.)
std::size_t refusals(redis_server& node) {
  const std::string stats = node.command({"INFO", "commandstats"}).text;
  const std::string word = "cmdstat_pttl:calls=";
  const std::size_t at = stats.find(word);
  return at == std::string::npos ? 0 : std::stoul(stats.substr(at + word.size()));
}

TEST(acquires_that_wait, are_served_first_in_first_out) {
  constexpr std::size_t n = 50;
  masters nodes(3);
  lock_manager locks(nodes.options());
  acquires all(locks);
  all.start(n);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_TRUE(eventually([&] { return all.ended() == i + 1; }));
    ASSERT_TRUE(succeeded(all.of(i)));
    EXPECT_EQ(all.who(i), i);
    EXPECT_TRUE(succeeded(all.of(i)->release()));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(acquires_that_wait, ask_nobody_while_a_lease_of_theirs_holds_it) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  acquires all(locks);
  all.start(20);
  // Whoever asks is refused: it has asked by the time that a later operation has ended.
  ASSERT_TRUE(succeeded(locks.acquire("s")));
  EXPECT_EQ(refusals(nodes[0]), 0U);
  EXPECT_TRUE(succeeded(held->release()));
  EXPECT_TRUE(eventually([&] { return all.ended() == 1; }));
  EXPECT_EQ(refusals(nodes[0]), 0U);
}

TEST(acquires_that_wait, ask_one_at_a_time_while_somebody_else_holds_it) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  nodes.set(0, key_of("r"), "other", 60s);
  acquires all(locks);
  all.start(20, asks_once);
  ASSERT_TRUE(succeeded(locks.acquire("s")));
  EXPECT_GE(refusals(nodes[0]), 1U);
  EXPECT_LT(refusals(nodes[0]), 20U);  // its place in the queue is kept up, on a slow machine
}

TEST(acquires_that_wait, all_ask_without_fairness) {
  masters nodes(1);
  options o = nodes.options();
  o.fairness = false;
  lock_manager locks(std::move(o));
  nodes.set(0, key_of("r"), "other", 60s);
  acquires all(locks);
  all.start(20, asks_once);
  ASSERT_TRUE(succeeded(locks.acquire("s")));
  EXPECT_EQ(refusals(nodes[0]), 20U);
}

TEST(acquires_that_wait, end_with_their_wait_wherever_they_are) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  acquires all(locks);
  all.start(1);
  const result<lease> refused = locks.acquire("r", {.wait = 50ms});
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_NE(refused.error().message().find("this lock_manager"), std::string::npos)
      << refused.error().message();
  EXPECT_TRUE(refused.error().nodes().empty());
}

TEST(acquires_that_wait, can_be_cancelled_wherever_they_are) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  std::stop_source stop;
  lock_options cancellable = waits;
  cancellable.stop = stop.get_token();
  acquires all(locks);
  all.start(2);
  all.start(2, cancellable);
  all.start(1);
  stop.request_stop();
  ASSERT_TRUE(eventually([&] { return all.ended() == 2; }));
  for (std::size_t i : {0U, 1U}) {
    EXPECT_TRUE(failed_with(errc::cancelled, all.of(i)));
    EXPECT_TRUE(all.who(i) == 2 || all.who(i) == 3);  // a stop calls back in any order
  }
  EXPECT_TRUE(succeeded(held->release()));
  for (std::size_t i : {2U, 3U, 4U}) {
    ASSERT_TRUE(eventually([&] { return all.ended() == i + 1; }));
    ASSERT_TRUE(succeeded(all.of(i)));
    EXPECT_EQ(all.who(i), i == 4 ? 4 : i - 2);
    EXPECT_TRUE(succeeded(all.of(i)->release()));
  }
}

TEST(acquires_that_wait, all_end_when_the_manager_is_closed) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r");
  ASSERT_TRUE(succeeded(held));
  acquires all(locks);
  all.start(100);
  EXPECT_TRUE(succeeded(locks.close().get()));
  ASSERT_TRUE(eventually([&] { return all.ended() == 100; }));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_TRUE(failed_with(errc::shut_down, all.of(i)));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// Each lets in the next one, at once: no stack is deep enough for that.
TEST(acquires_that_wait, may_all_fail_at_once) {
  constexpr std::size_t n = 20'000;
  masters nodes(1, {.arguments = {}, .password = "s3cret"});
  options o = nodes.options();
  o.nodes[0].password = "wr0ng-pass";
  lock_manager locks(std::move(o));
  acquires all(locks);
  all.start(n);
  ASSERT_TRUE(eventually([&] { return all.ended() == n; }));
  EXPECT_TRUE(failed_with(errc::bad_configuration, all.of(n - 1)));
}

TEST(acquires_that_wait, come_next_when_the_lease_before_is_lost_or_given_away) {
  masters nodes(3);
  lock_manager locks(nodes.options());
  acquires all(locks);
  all.start(1, {.ttl = 300ms, .wait = wait_forever, .renewal = renewal::manual()});
  all.start(1, {.ttl = 3s, .wait = wait_forever, .renewal = renewal::manual()});
  all.start(1);
  ASSERT_TRUE(eventually([&] { return all.ended() == 1; }));
  ASSERT_TRUE(succeeded(all.of(0)));
  EXPECT_TRUE(eventually([&] { return all.ended() == 2; })) << "the first ran out";
  ASSERT_TRUE(succeeded(all.of(1)));
  EXPECT_TRUE(all.of(1)->detach().has_value());
  EXPECT_TRUE(eventually([&] { return all.ended() == 3; })) << "the second was never released";
  EXPECT_TRUE(succeeded(all.of(2)));
}

// Whoever is handed the lock within a process asks right behind the release: nobody else could ever
// come in between.
TEST(other_processes, get_their_chance_while_a_process_always_has_somebody_who_waits) {
  masters nodes(3);
  lock_manager busy(nodes.options());
  lock_manager other(nodes.options());
  ASSERT_TRUE(all_up(busy));
  ASSERT_TRUE(all_up(other));
  std::atomic<bool> over = false;
  std::vector<std::jthread> users;
  for (int i = 0; i < 4; ++i) {
    users.emplace_back([&] {
      while (!over) static_cast<void>(busy.acquire("r", waits));  // and lets go of it
    });
  }
  const result<lease> held = other.acquire(
      "r", {.wait = 60s, .policy = retry_policy::fixed, .retry_delay = 1ms, .retry_max = 1ms});
  over = true;
  EXPECT_TRUE(succeeded(held));
}

TEST(a_try, is_refused_while_others_wait_even_if_the_lock_is_free) {
  masters nodes(3);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 3; ++i) nodes.set(i, key_of("r"), "other", 60s);
  std::stop_source stop;
  lock_options once = asks_once;
  once.stop = stop.get_token();
  acquires all(locks);
  all.start(1, once);
  for (redis_server& node : nodes) {
    ASSERT_TRUE(eventually([&] { return refusals(node) >= 1; }));
  }
  for (proxy& way : ways) way.hold(direction::requests);  // whoever waits does not get it meanwhile
  for (std::size_t i = 0; i < 3; ++i) nodes.del(i, key_of("r"));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_NE(refused.error().message().find("this lock_manager"), std::string::npos)
      << refused.error().message();
  stop.request_stop();
  ASSERT_TRUE(eventually([&] { return all.ended() == 1; }));
  for (proxy& way : ways) way.pass(direction::requests);
  EXPECT_TRUE(succeeded(locks.acquire("r")));
}

TEST(a_try, asks_the_nodes_once_those_who_waited_are_served) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  const result<lease> held = locks.acquire("r", waits);
  ASSERT_TRUE(succeeded(held));
  const result<lease> refused = locks.acquire("r");
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_EQ(count(refused.error(), answer::refused), 1U) << refused.error().message();
}

TEST(an_adopted_lease, is_waited_for_as_well) {
  masters nodes(1);
  lock_manager locks(nodes.options());
  result<lease> first = locks.acquire("r");
  ASSERT_TRUE(succeeded(first));
  const result<std::string> token = first->detach();
  ASSERT_TRUE(succeeded(token));
  result<lease> held = locks.adopt("r", *token);
  ASSERT_TRUE(succeeded(held));
  const std::size_t before = refusals(nodes[0]);
  acquires all(locks);
  all.start(1);
  ASSERT_TRUE(succeeded(locks.acquire("s")));
  EXPECT_EQ(refusals(nodes[0]), before);
  EXPECT_TRUE(succeeded(held->release()));
  ASSERT_TRUE(eventually([&] { return all.ended() == 1; }));
  EXPECT_TRUE(succeeded(all.of(0)));
}

}  // namespace
}  // namespace redlock::live
