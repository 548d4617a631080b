// worker: runs what it is given in order, once, never in the call that gives it.

#include "api/worker.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace redlock::detail {
namespace {

using namespace std::chrono_literals;

using numbers = std::vector<int>;

// Happens once; shared by all copies, so that it outlives whoever of the two sides ends first.
class event {
 public:
  void happen() const { promise_->set_value(); }
  void wait() const { done_.wait(); }
  [[nodiscard]] bool happens_within(std::chrono::milliseconds time) const {
    return done_.wait_for(time) == std::future_status::ready;
  }

 private:
  std::shared_ptr<std::promise<void>> promise_ = std::make_shared<std::promise<void>>();
  std::shared_future<void> done_ = promise_->get_future().share();
};

TEST(Worker, RunsWhatItIsGivenInOrderOnOneThreadOfItsOwn) {
  numbers ran;
  std::vector<std::thread::id> where;
  worker w;
  for (int i = 0; i < 100; ++i) {
    w.post([&, i] {
      ran.push_back(i);
      where.push_back(std::this_thread::get_id());
    });
  }
  w.stop();
  numbers expected;
  for (int i = 0; i < 100; ++i) expected.push_back(i);
  EXPECT_EQ(ran, expected);
  EXPECT_EQ(where, std::vector(100, where.at(0)));
  EXPECT_NE(where.at(0), std::this_thread::get_id());
}

TEST(Worker, RunsWhatAJobPostsAfterThatJob) {
  numbers ran;
  const event last;
  worker w;
  w.post([&, last] {
    w.post([&ran, last] {
      ran.push_back(2);
      last.happen();
    });
    ran.push_back(1);
  });
  last.wait();
  EXPECT_EQ(ran, (numbers{1, 2}));
}

TEST(Worker, TakesJobsThatCanOnlyBeMovedAndDestroysThemAfterTheRun) {
  const auto shared = std::make_shared<int>(7);
  int seen = 0;
  worker w;
  w.post([&seen, held = std::make_unique<std::shared_ptr<int>>(shared)] { seen = **held; });
  w.stop();
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Worker, RunsWhatIsQueuedBeforeItStops) {
  const event gate;
  numbers ran;
  worker w;
  w.post([gate] { gate.wait(); });
  for (int i = 0; i < 10; ++i) w.post([&ran, i] { ran.push_back(i); });
  std::thread opener([gate] { gate.happen(); });
  w.stop();
  EXPECT_EQ(ran.size(), 10U);
  opener.join();
}

TEST(Worker, StopsWhenItIsDestroyed) {
  numbers ran;
  {
    worker w;
    for (int i = 0; i < 10; ++i) w.post([&ran, i] { ran.push_back(i); });
  }
  EXPECT_EQ(ran.size(), 10U);
}

TEST(Worker, MayBeStoppedAgain) {
  worker w;
  w.stop();
  w.stop();
}

TEST(Worker, StillRunsOnceWhatIsPostedAfterItStoppedOnAnotherThread) {
  worker w;
  w.stop();
  const auto ran_on = std::make_shared<std::promise<std::thread::id>>();
  auto found = ran_on->get_future();
  w.post([ran_on] { ran_on->set_value(std::this_thread::get_id()); });  // twice would throw
  EXPECT_NE(found.get(), std::this_thread::get_id());
}

TEST(Worker, RunsNothingBesideAJobThatGoesOnWhileItStops) {
  const event gate;
  const event late;
  const auto over = std::make_shared<std::atomic<bool>>(false);
  const auto found_over = std::make_shared<std::atomic<bool>>(false);
  auto w = std::make_unique<worker>();
  w->post([gate, over] {
    gate.wait();
    *over = true;
  });
  w->leave();
  w->post([late, over, found_over] {
    *found_over = over->load();
    late.happen();
  });
  EXPECT_FALSE(late.happens_within(50ms));
  gate.happen();
  late.wait();
  EXPECT_TRUE(*found_over);
}

TEST(Worker, MayBeStoppedByItsOwnJobAndStillRunsTheQueue) {
  const auto ran = std::make_shared<std::atomic<int>>(0);
  const event queued;
  const event last;
  worker w;
  w.post([&w, queued] {
    queued.wait();
    w.stop();
  });
  w.post([ran] { ++*ran; });
  w.post([ran, last] {
    ++*ran;
    last.happen();
  });
  queued.happen();
  last.wait();
  EXPECT_EQ(*ran, 2);
}

TEST(Worker, MayBeDestroyedByItsOwnJobAndStillRunsTheQueue) {
  const event queued;
  const event last;
  auto owner = std::make_unique<worker>();
  worker& w = *owner;
  w.post([queued, held = std::move(owner)]() mutable {
    queued.wait();
    held.reset();
  });
  w.post([last] { last.happen(); });
  queued.happen();
  last.wait();
}

TEST(Worker, TakesNoSignalsOfTheApplication) {
  worker w;
  sigset_t blocked;
  sigemptyset(&blocked);
  w.post([&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  w.stop();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGALRM, SIGCHLD}) {
    EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
  }
  sigset_t mine;
  sigemptyset(&mine);
  pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGTERM), 0) << "the maker's own mask is as before";
}

TEST(Worker, RunsEachJobOnceWhicheverThreadPostsItAndWhenever) {
  const auto runs = std::make_shared<std::atomic<int>>(0);
  const event all;
  constexpr int expected = 4 * 50;
  worker w;
  std::vector<std::thread> posters;
  for (int t = 0; t < 4; ++t) {
    posters.emplace_back([&w, runs, all] {
      for (int i = 0; i < 50; ++i) {
        w.post([runs, all] {
          if (++*runs == expected) all.happen();  // once more would throw
        });
      }
    });
  }
  w.stop();
  for (std::thread& t : posters) t.join();
  all.wait();
  EXPECT_EQ(*runs, expected);
}

}  // namespace
}  // namespace redlock::detail
