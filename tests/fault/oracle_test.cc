// The oracle: it must find what is there, and nothing else.

#include "oracle.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "crowd.h"
#include "holders.h"
#include "live/eventually.h"
#include "live/masters.h"
#include "live/temp_dir.h"
#include "testimony.h"

namespace redlock::fault {
namespace {

using live::eventually;
using namespace std::chrono_literals;

class an_oracle : public testing::Test {
 protected:
  void note(std::size_t page, std::uint32_t resource, std::int64_t from, std::int64_t until) {
    fault::page& p = shared_->pages[page];
    belief& b = p.beliefs[p.beliefs_count++];
    b.resource = resource;
    b.from = from;
    b.until = until;
  }
  [[nodiscard]] std::vector<overlap> found() const { return overlaps(*shared_); }

 private:
  live::temp_dir dir_;
  ledger shared_{dir_.path() / "ledger"};
};

TEST_F(an_oracle, finds_nothing_in_beliefs_that_follow_each_other) {
  note(0, 0, 10, 20);
  note(1, 0, 20, 30);
  note(0, 0, 30, 40);
  EXPECT_TRUE(found().empty());
}

TEST_F(an_oracle, finds_nothing_in_beliefs_in_different_things) {
  note(0, 0, 10, 20);
  note(1, 1, 10, 20);
  EXPECT_TRUE(found().empty());
}

TEST_F(an_oracle, finds_nothing_in_a_belief_that_was_seen_only_once) {
  note(0, 0, 10, 20);
  note(1, 0, 15, 15);
  EXPECT_TRUE(found().empty());
}

TEST_F(an_oracle, finds_who_came_in_while_another_was_there) {
  note(0, 3, 10, 20);
  note(1, 3, 19, 30);
  ASSERT_EQ(found().size(), 1U);
  EXPECT_EQ(found()[0].first, 0U);
  EXPECT_EQ(found()[0].second, 1U);
  EXPECT_EQ(found()[0].resource, 3U);
  EXPECT_EQ(found()[0].from, 19);
  EXPECT_EQ(found()[0].until, 20);
}

TEST_F(an_oracle, finds_all_that_came_in_while_one_was_there_whatever_the_order_of_the_notes) {
  note(2, 0, 70, 80);
  note(1, 0, 20, 30);
  note(0, 0, 10, 100);
  note(3, 0, 99, 200);
  EXPECT_EQ(found().size(), 3U);
}

TEST_F(an_oracle, finds_a_client_that_got_in_twice) {
  note(0, 0, 10, 20);
  note(0, 0, 15, 25);
  EXPECT_EQ(found().size(), 1U);
}

// Two holders that both believe: their keys are taken away behind the back of the first, which is
// outside of what the lock promises.
TEST(an_oracle_of_processes, sees_two_holders_where_the_keys_of_the_first_were_deleted) {
  live::masters nodes(3);
  client_plan plan = holder(nodes, 60'000);
  plan.restart_guard = false;  // they have just been started
  crowd clients;
  ASSERT_TRUE(eventually([&, one = &clients.add(plan)] { return one->written().grants > 0; }));
  EXPECT_TRUE(overlaps(clients.written()).empty());
  clients.add(plan);
  EXPECT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < 3; ++i) nodes.del(i, live::key_of(resource_name(0)));
    return clients[1].written().grants > 0;
  }));
  EXPECT_TRUE(eventually([&] { return !overlaps(clients.written()).empty(); }));
}

TEST(an_oracle_of_processes, sees_nothing_where_they_are_kept_apart_although_one_stands_still) {
  live::masters nodes(3);
  client_plan plan = holder(nodes, 500);
  plan.node_timeout_ms = 200;
  plan.restart_guard = false;  // they have just been started
  crowd clients;
  for (int i = 0; i < 3; ++i) clients.add(plan);
  for (client& each : clients) {
    ASSERT_TRUE(eventually([&] { return each.written().grants > 0; }));
    each.stop();
  }
  for (client& each : clients) each.cont();
  for (client& each : clients) {
    const std::uint64_t before = each.written().grants;
    EXPECT_TRUE(eventually([&] { return each.written().grants > before; }));
  }
  EXPECT_GT(beliefs(clients.written()), 0U);
  EXPECT_TRUE(overlaps(clients.written()).empty());
  clients.enter(phase::end);
  for (client& each : clients) EXPECT_EQ(each.wait(), 0);
}

}  // namespace
}  // namespace redlock::fault
