// Many who want the same, in threads and in processes, and what becomes of those that die with it.

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "actor.h"
#include "hammer.h"
#include "live.h"
#include "temp_dir.h"

namespace redlock::live {
namespace {

TEST(threads, however_many_lose_no_update_that_the_lock_protects) {
  constexpr int contenders = 64;
  constexpr int rounds = 3;
  masters nodes(5);
  lock_manager locks(nodes.options());
  ASSERT_TRUE(all_up(locks));
  arena shared{};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t me = 1; me <= contenders; ++me) {
      threads.emplace_back([&, me] { hammer(locks, shared, me, rounds); });
    }
  }
  EXPECT_EQ(shared.overlaps, 0U);
  EXPECT_EQ(shared.failures, 0U);
  EXPECT_EQ(shared.count, static_cast<std::uint64_t>(contenders * rounds));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(processes, however_many_lose_no_update_that_the_lock_protects) {
  constexpr int contenders = 8;
  constexpr int rounds = 20;
  masters nodes(5);
  const temp_dir dir;
  const std::filesystem::path file = dir.path() / "arena";
  const mapped_arena shared(file);
  std::vector<std::unique_ptr<actor>> actors;
  for (int i = 0; i < contenders; ++i) {
    actors.push_back(std::make_unique<actor>("contend", file, nodes));
  }
  for (const auto& one : actors) EXPECT_EQ(one->process().wait(), 0);
  EXPECT_EQ(shared->overlaps, 0U);
  EXPECT_EQ(shared->failures, 0U);
  EXPECT_EQ(shared->count, static_cast<std::uint64_t>(contenders * rounds));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

TEST(a_process_that_is_killed, holds_its_lock_no_longer_than_its_ttl) {
  masters nodes(3);
  actor victim("hold", "500", nodes);
  ASSERT_TRUE(victim.says("held"));
  victim.process().kill();
  lock_manager locks(nodes.options());
  const auto start = clock::now();
  EXPECT_TRUE(succeeded(locks.acquire("r", {.wait = 15s})));
  EXPECT_LT(clock::now() - start, 5s);
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

// Rules C1 and C4: judged by the clock as soon as the process runs again.
TEST(a_process_that_was_stopped_for_longer_than_its_ttl, finds_its_lease_lost) {
  masters nodes(3);
  actor sleeper("hold", "400", nodes);
  ASSERT_TRUE(sleeper.says("held"));
  sleeper.process().stop();
  lock_manager locks(nodes.options());
  const result<lease> taken = locks.acquire("r", {.ttl = 10s, .wait = 15s});
  ASSERT_TRUE(succeeded(taken));
  const auto long_enough = clock::now() + 600ms;
  EXPECT_TRUE(eventually([&] { return clock::now() > long_enough; }));
  sleeper.process().cont();
  EXPECT_TRUE(sleeper.says("resumed lost"));
  EXPECT_TRUE(sleeper.says("signal"));
  EXPECT_TRUE(taken->held());
  EXPECT_TRUE(eventually([&] { return nodes.count(key_of("r"), taken->token()) == 3; }));
}

class leaving_a_process_by : public testing::TestWithParam<const char*> {};

TEST_P(leaving_a_process_by, any_way_does_not_hang_or_crash_with_locks_held) {
  masters nodes(3);
  actor leaver("leave", GetParam(), nodes);
  EXPECT_TRUE(eventually([&] { return leaver.process().ended(); }));
  EXPECT_EQ(leaver.process().wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(way, leaving_a_process_by,
                         testing::Values("return", "exit", "quick_exit", "_exit"));

}  // namespace
}  // namespace redlock::live
