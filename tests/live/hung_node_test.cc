// One node hangs while the others serve: who waits for it, and for how long.
//
// What is compared is what happens before what. A time-out of so many seconds that no test waits
// for it stands for "never"; no machine is too slow for that.

#include <deque>

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

TEST(a_hundred_leases, are_renewed_again_and_again_while_a_node_hangs) {
  masters nodes(5);
  options o = nodes.options();
  o.node_timeout = 10min;  // a renewal that waits for the hung node waits for half of its ttl
  o.hung_timeout = 10min;  // and its connection stands
  o.fairness = false;      // it may lead some
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes[0].stop();
  std::vector<pending<lease>> acquiring;
  for (int i = 0; i < 100; ++i) {
    acquiring.emplace_back(locks.acquire_async("r" + std::to_string(i),
                                               {.ttl = 60s, .renewal = renewal::every(500ms)}));
  }
  std::vector<lease> leases;
  for (pending<lease>& one : acquiring) {
    result<lease> r = one.take();
    ASSERT_TRUE(succeeded(r));
    leases.push_back(std::move(*r));
  }
  std::deque<signal_log> signals;
  for (const lease& l : leases) signals.emplace_back(l);
  for (int round = 0; round < 3; ++round) {
    std::vector<clock::time_point> before;
    for (const lease& l : leases) before.push_back(l.expires_at());
    for (std::size_t i = 0; i < leases.size(); ++i) {
      ASSERT_TRUE(eventually([&] { return leases[i].expires_at() > before[i]; })) << i;
    }
  }
  for (const signal_log& s : signals) EXPECT_EQ(s.count(), 0);
  EXPECT_GT(locks.nodes()[0].pending, 0U);
  EXPECT_EQ(locks.nodes()[0].connects, 1U);
  nodes[0].cont();
  for (const lease& l : leases) {
    EXPECT_TRUE(eventually([&] { return l.nodes_held() == 5; })) << l.resource();
  }
}

// Two of three nodes hang, and whoever asks them goes on asking.
class steady_traffic : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(all_up(locks_));
    nodes_[0].stop();
    nodes_[1].stop();
  }
  void ask() {
    const std::string resource = "r" + std::to_string(operations_.size());
    operations_.emplace_back(locks_.acquire_async(resource, {.ttl = 60s}));
  }
  // Asks, every few milliseconds, until then.
  template <class F>
  bool ask_until(F holds) {
    return eventually([&] {
      ask();
      return eventually(holds, 5ms);
    });
  }
  static options patient(masters& nodes) {
    options o = nodes.options();
    o.node_timeout = time_out;
    o.hung_timeout = hung;
    return o;
  }

  static constexpr auto time_out = 500ms;
  static constexpr auto hung = 2s;
  masters nodes_{3};
  lock_manager locks_{patient(nodes_)};
  std::deque<pending<lease>> operations_;
};

TEST_F(steady_traffic, to_hung_nodes_does_not_put_off_the_end_of_any_operation) {
  ask();
  EXPECT_TRUE(ask_until([&] { return operations_.front().ended(); }));
  const std::size_t others = operations_.size();
  EXPECT_GT(others, 1U);
  EXPECT_TRUE(ask_until([&] { return operations_[others - 1].ended(); }));
  const result<lease> first = operations_.front().take();
  ASSERT_TRUE(failed_with(errc::no_quorum, first));
  EXPECT_EQ(count(first.error(), answer::timed_out), 2U) << first.error().message();
  for (std::size_t i = 1; i < operations_.size(); ++i) {
    const result<lease> r = operations_[i].take();
    EXPECT_TRUE(failed_with(errc::no_quorum, r));
  }
}

TEST_F(steady_traffic, to_hung_nodes_does_not_put_off_the_end_of_their_connections) {
  EXPECT_TRUE(ask_until([&] {
    return locks_.nodes()[0].last_error == "the server has stopped answering" &&
           locks_.nodes()[1].last_error == "the server has stopped answering";
  }));
  nodes_[0].cont();
  nodes_[1].cont();
  EXPECT_TRUE(all_up(locks_));
  EXPECT_TRUE(succeeded(locks_.acquire("at last", {.wait = 10s})));
}

// Two operations wait for one reply each, on one connection, the one with a short ttl not for long.
TEST(an_operation_that_times_out, ends_neither_its_connection_nor_what_else_waits_there) {
  masters nodes(3);
  paths ways(nodes);
  options o = ways.options();
  o.node_timeout = 10min;
  o.hung_timeout = 10min;
  o.fairness = false;  // the one that does not answer may lead
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  nodes.set(1, key_of("short"), "other", 60s);
  nodes.set(1, key_of("long"), "other", 60s);
  ways[0].hold(direction::replies);
  pending<lease> later(locks.acquire_async("long", {.ttl = 60s}));
  const result<lease> refused = locks.acquire("short", {.ttl = 500ms});
  ASSERT_TRUE(failed_with(errc::held_by_other, refused));
  EXPECT_EQ(count(refused.error(), answer::timed_out), 1U) << refused.error().message();
  EXPECT_FALSE(later.ended());

  ways[0].pass(direction::replies);  // that of the operation that has ended, too
  const result<lease> held = later.take();
  EXPECT_TRUE(succeeded(held));
  const result<lease> next = locks.acquire("next", {.ttl = 60s});
  ASSERT_TRUE(succeeded(next));
  EXPECT_TRUE(eventually([&] { return next->nodes_held() == 3; }));
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("short")) == 1; }));
  EXPECT_EQ(locks.nodes()[0].connects, 1U);
}

}  // namespace
}  // namespace redlock::live
