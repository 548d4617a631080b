// Stories of paths that do to bytes what they should not.

#include "live/paths.h"

#include <string>

#include "live/live.h"

namespace redlock::fault {
namespace {

using namespace live;

const direction both[] = {direction::requests, direction::replies};

// A held lock over paths that misbehave: the library may lose connections, but no lock.
class a_held_lock : public testing::TestWithParam<direction> {
 protected:
  // True once every connection has been made anew.
  [[nodiscard]] bool all_reconnected() {
    return eventually([&] {
      const std::vector<node_status> now = locks_.nodes();
      return std::all_of(now.begin(), now.end(), [](const node_status& n) {
        return n.state == node_state::up && n.connects > 1;
      });
    });
  }

  void expect_it_stands() {
    EXPECT_TRUE(held_.held());
    EXPECT_TRUE(eventually([&] { return held_.nodes_held() == 3; }));
    EXPECT_TRUE(succeeded(held_.release()));
    EXPECT_TRUE(eventually([&] { return nodes_.keys() == 0; }));
  }

  void SetUp() override {
    ASSERT_TRUE(all_up(locks_));
    result<lease> held = locks_.acquire("r", {.ttl = 60s, .renewal = renewal::every(50ms)});
    ASSERT_TRUE(succeeded(held));
    held_ = std::move(*held);
  }

  masters nodes_{3};
  live::paths paths_{nodes_};
  lock_manager locks_{paths_.options()};
  lease held_;
};

TEST_P(a_held_lock, stands_when_one_direction_of_every_connection_ends) {
  for (proxy& path : paths_) path.half_close(GetParam());
  EXPECT_TRUE(all_reconnected());
  expect_it_stands();
}

// No reply begins like that: what can be recognised as foreign, is.
TEST_P(a_held_lock, stands_when_nonsense_is_injected_into_every_connection) {
  for (proxy& path : paths_) path.inject(GetParam(), "\xff\xfe nonsense\r\n");
  EXPECT_TRUE(all_reconnected());
  expect_it_stands();
}

TEST_P(a_held_lock, stands_when_bytes_trickle) {
  for (proxy& path : paths_) path.trickle(GetParam(), 1ms);
  const auto before = held_.expires_at();
  EXPECT_TRUE(eventually([&] { return held_.expires_at() > before; }));
  for (proxy& path : paths_) path.pass(GetParam());
  expect_it_stands();
}

INSTANTIATE_TEST_SUITE_P(of_requests_and_replies, a_held_lock, testing::ValuesIn(both));

TEST(a_path_that_trickles_for_longer_than_the_node_time_out, has_no_vote_and_leaves_no_key) {
  masters nodes(3);
  paths paths(nodes);
  options o = paths.options();
  o.node_timeout = 200ms;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  for (std::size_t i = 0; i < 2; ++i) paths[i].trickle(direction::replies, 1s);
  EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("r", {.ttl = 60s})));
  for (std::size_t i = 0; i < 2; ++i) paths[i].pass(direction::replies);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::fault
