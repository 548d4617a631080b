// Stories of clients that stand still or die while they hold a lock.

#include <gtest/gtest.h>

#include <chrono>

#include "crowd.h"
#include "holders.h"
#include "live/eventually.h"
#include "live/masters.h"

namespace redlock::fault {
namespace {

using live::eventually;
using namespace std::chrono_literals;

constexpr std::int64_t ttl_ms = 1000;

client_plan holders(live::masters& nodes) {
  client_plan plan = holder(nodes, ttl_ms);
  plan.node_timeout_ms = 400;
  plan.restart_guard = false;  // they have just been started
  return plan;
}

bool is_granted_once_more(const client& one) {
  const std::uint64_t before = one.written().grants;
  return eventually([&] { return one.written().grants > before; });
}

TEST(a_holder_that_stands_still, believes_in_nothing_when_it_goes_on_after_its_time) {
  live::masters nodes(3);
  crowd clients;
  client& first = clients.add(holders(nodes));
  ASSERT_TRUE(is_granted_once_more(first));
  first.stop();
  const std::uint64_t losses = first.written().losses;
  client& second = clients.add(holders(nodes));
  ASSERT_TRUE(is_granted_once_more(second));  // so the first's time is over
  first.cont();
  EXPECT_TRUE(eventually([&] { return first.written().losses > losses; }));
  EXPECT_TRUE(is_granted_once_more(first));
  EXPECT_TRUE(overlaps(clients.written()).empty());
}

TEST(a_holder_that_is_killed, keeps_others_out_for_its_ttl_and_no_longer) {
  live::masters nodes(3);
  crowd clients;
  client& first = clients.add(holders(nodes));
  ASSERT_TRUE(is_granted_once_more(first));
  first.kill();
  client& second = clients.add(holders(nodes));
  EXPECT_TRUE(is_granted_once_more(second));
  EXPECT_TRUE(overlaps(clients.written()).empty());
  clients.enter(phase::end);
  EXPECT_EQ(second.wait(), 0);
  EXPECT_TRUE(eventually([&] { return nodes.count(live::key_of(resource_name(0))) == 0; }));
}

}  // namespace
}  // namespace redlock::fault
