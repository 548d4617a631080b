// The end of an old connection, which comes when there is a new one already.

#include "live.h"
#include "paths.h"

namespace redlock::live {
namespace {

options quick_to_reconnect(const paths& ways) {
  options o = ways.options();
  o.node_timeout = 300ms;
  o.hung_timeout = 100ms;
  return o;
}

// Whatever arrives on the old one, then its end, and both of them again and again.
TEST(a_late_end_of_the_old_connection, does_not_end_the_new_one) {
  masters nodes(1);
  paths ways(nodes);
  lock_manager locks(quick_to_reconnect(ways));
  ASSERT_TRUE(all_up(locks));
  for (std::uint64_t connects = 1; connects <= 5; ++connects) {
    ASSERT_EQ(locks.nodes()[0].connects, connects);
    ways[0].strand();
    EXPECT_TRUE(failed_with(errc::no_quorum, locks.acquire("r", {.ttl = 60s})));
    ASSERT_TRUE(eventually([&] { return locks.nodes()[0].connects == connects + 1; }));
    ASSERT_TRUE(all_up(locks));

    result<lease> held = locks.acquire("s", {.ttl = 60s});
    ASSERT_TRUE(succeeded(held));
    ways[0].thaw();
    ASSERT_TRUE(eventually([&] { return ways[0].connections() == 1; }));
    EXPECT_TRUE(throughout(100ms, [&] { return locks.nodes()[0].connects == connects + 1; }));
    EXPECT_TRUE(succeeded(held->renew()));
    EXPECT_TRUE(succeeded(held->release()));
    EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  }
}

// Many things fail with one connection: each operation under way, and the connection itself.
TEST(a_connection_with_many_operations_under_way, is_made_anew_once_when_it_ends) {
  masters nodes(1);
  paths ways(nodes);
  lock_manager locks(ways.options());
  ASSERT_TRUE(all_up(locks));
  const std::size_t before = ways[0].accepted();
  ways[0].hold(direction::replies);
  std::vector<pending<lease>> under_way;
  for (int i = 0; i < 100; ++i) {
    under_way.emplace_back(locks.acquire_async("r" + std::to_string(i), {.ttl = 60s}));
  }
  ASSERT_TRUE(eventually([&] { return locks.nodes()[0].pending == 100; }));
  ways[0].cut();
  ways[0].pass(direction::replies);
  for (pending<lease>& one : under_way) {
    const result<lease> r = one.take();
    EXPECT_TRUE(failed_with(errc::no_quorum, r));
  }
  ASSERT_TRUE(eventually([&] { return locks.nodes()[0].connects == 2; }));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
  EXPECT_TRUE(throughout(200ms, [&] { return locks.nodes()[0].connects == 2; }));
  EXPECT_EQ(ways[0].accepted(), before + 1);
}

}  // namespace
}  // namespace redlock::live
