// Ten thousand locks at once, on one manager.

#include <string>
#include <vector>

#include "live.h"

namespace redlock::live {
namespace {

TEST(ten_thousand_locks, are_held_renewed_and_released_at_once) {
  constexpr std::size_t many = 10'000;
  masters nodes(3);
  options o = nodes.options();
  o.node_timeout = 10s;
  o.hung_timeout = 20s;
  lock_manager locks(std::move(o));
  ASSERT_TRUE(all_up(locks));
  std::vector<pending<lease>> acquiring;
  for (std::size_t i = 0; i < many; ++i) {
    acquiring.emplace_back(
        locks.acquire_async(std::to_string(i), {.ttl = 20s, .renewal = renewal::every(2s)}));
  }
  std::vector<lease> leases;
  std::vector<clock::time_point> first_ends;
  for (pending<lease>& one : acquiring) {
    result<lease> r = one.take();
    ASSERT_TRUE(succeeded(r));
    first_ends.push_back(r->expires_at());
    leases.push_back(std::move(*r));
  }
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 3 * many; }));
  EXPECT_TRUE(eventually([&] {
    for (std::size_t i = 0; i < many; ++i) {
      if (leases[i].expires_at() < first_ends[i] + 1s) return false;
    }
    return true;
  }));
  EXPECT_TRUE(std::all_of(leases.begin(), leases.end(), [](const lease& l) { return l.held(); }));
  std::vector<pending<void>> releasing;
  for (lease& l : leases) releasing.emplace_back(l.release_async());
  for (pending<void>& one : releasing) ASSERT_TRUE(succeeded(one.take()));
  EXPECT_TRUE(eventually([&] { return nodes.keys() == 0; }));
}

}  // namespace
}  // namespace redlock::live
