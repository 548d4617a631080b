// debt, in every short history: nothing that is owed is ever slept over (rule R2).

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/debt.h"
#include "exhaustive.h"

namespace redlock::core {
namespace {

using namespace std::chrono_literals;
using request = debt::request;

constexpr nanoseconds node_timeout = 50ms;

constexpr time_point at(nanoseconds t) { return time_point{1h + t}; }

// Whatever happens, and in whatever order: what is owed is asked for in the end.
TEST(Debt, NeverSleepsOverWhatIsOwed) {
  for (exhaustive ways; ways.next();) {
    debt d;
    nanoseconds now = 0ns;
    attempt_id last = 0;
    bool connected = true;
    std::vector<attempt_id> asked;  // on the connection, in order
    const auto send = [&](const request& r) {
      if (r) asked.push_back(*r);
    };
    for (int step = 0; step < 6; ++step) {
      now += 10ms;
      switch (ways.pick(6)) {
        case 0:
          d.key_may_stand(at(now + 1s));
          send(d.owe(++last, connected));
          break;
        case 1:
          if (asked.empty()) break;
          {
            const attempt_id k = asked.front();
            asked.erase(asked.begin());
            const answer a = ways.pick(2) == 0 ? answer::granted : answer::error;
            send(d.on_answer(k, a, connected, node_timeout, at(now)));
          }
          break;
        case 2:
          connected = false;
          for (const attempt_id k : std::exchange(asked, {})) {
            send(d.on_answer(k, answer::unreachable, connected, node_timeout, at(now)));
          }
          break;
        case 3:
          if (connected) break;
          connected = true;
          send(d.on_up());
          break;
        case 4:
          if (last == 0 || !asked.empty()) break;
          d.forget(last, at(now));
          break;
        case 5:
          send(d.on_wake(connected, at(now)));
          break;
      }
      ASSERT_TRUE(connected || asked.empty()) << "nothing is sent without a connection";
      ASSERT_TRUE(d.settled() ? d.wake() == never : d.wake() < never);
      // Owed, but nothing on its way: then a timer, or the next connection, starts it.
      if (!d.settled() && connected && asked.empty()) {
        debt later = d;
        const request r = later.on_wake(connected, d.wake());
        ASSERT_TRUE(r || later.settled());
        ASSERT_TRUE(!r || later.owes(*r));
        ASSERT_LE(d.wake(), at(now + node_timeout * 4096));
      }
      if (!d.settled() && !connected) {
        debt later = d;
        const request r = later.on_up();
        ASSERT_TRUE(r && later.owes(*r));
      }
    }
  }
}

}  // namespace
}  // namespace redlock::core
