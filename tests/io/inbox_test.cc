// inbox: what any thread posts is run once, in order, on the thread that drains.

#include "io/inbox.h"

#include <gtest/gtest.h>
#include <uv.h>

#include <memory>
#include <thread>
#include <vector>

#include "io/uv_handle.h"

namespace redlock::io {
namespace {

using numbers = std::vector<int>;

// A loop with an inbox on it, that counts how often it is woken.
class loop_with_inbox {
 public:
  loop_with_inbox() {
    uv_loop_init(&loop_);
    wake_.reset(new uv_async_t);
    uv_async_init(&loop_, wake_.get(),
                  [](uv_async_t* handle) { ++static_cast<loop_with_inbox*>(handle->data)->wakes; });
    wake_->data = this;
  }
  loop_with_inbox(const loop_with_inbox&) = delete;
  loop_with_inbox& operator=(const loop_with_inbox&) = delete;
  ~loop_with_inbox() {
    mail.close();
    wake_.reset();
    uv_run(&loop_, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop_), 0);
  }

  void open() { mail.open(wake_.get()); }
  void turn() { uv_run(&loop_, UV_RUN_NOWAIT); }

  inbox mail;
  int wakes = 0;

 private:
  uv_loop_t loop_{};
  uv_handle<uv_async_t> wake_;
};

TEST(Inbox, RunsWhatWasPostedOnceAndInOrder) {
  inbox mail;
  numbers ran;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(mail.post([&ran, i] { ran.push_back(i); }));
  EXPECT_TRUE(ran.empty()) << "never inside post()";
  mail.drain();
  mail.drain();
  numbers expected;
  for (int i = 0; i < 100; ++i) expected.push_back(i);
  EXPECT_EQ(ran, expected);
}

TEST(Inbox, LeavesWhatIsPostedWhileItDrainsForTheNextTime) {
  inbox mail;
  numbers ran;
  mail.post([&] {
    ran.push_back(1);
    mail.post([&] { ran.push_back(3); });
  });
  mail.post([&] { ran.push_back(2); });
  mail.drain();
  EXPECT_EQ(ran, (numbers{1, 2}));
  mail.drain();
  EXPECT_EQ(ran, (numbers{1, 2, 3}));
}

TEST(Inbox, TakesJobsThatCanOnlyBeMovedAndDestroysThemAfterTheRun) {
  inbox mail;
  const auto shared = std::make_shared<int>(7);
  int seen = 0;
  mail.post([&seen, held = std::make_unique<std::shared_ptr<int>>(shared)] { seen = **held; });
  EXPECT_EQ(shared.use_count(), 2);
  mail.drain();
  EXPECT_EQ(seen, 7);
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Inbox, RunsWhatIsStillInItWhenItIsClosedAndTakesNothingAfter) {
  inbox mail;
  numbers ran;
  bool taken_meanwhile = true;
  mail.post([&] {
    ran.push_back(1);
    taken_meanwhile = mail.post([&] { ran.push_back(3); });
  });
  mail.post([&] { ran.push_back(2); });
  mail.close();
  EXPECT_EQ(ran, (numbers{1, 2}));
  EXPECT_FALSE(taken_meanwhile);
  EXPECT_FALSE(mail.post([&] { ran.push_back(4); }));
  mail.drain();
  mail.close();
  EXPECT_EQ(ran, (numbers{1, 2}));
}

TEST(Inbox, DestroysAJobThatItDoesNotTake) {
  inbox mail;
  mail.close();
  const auto shared = std::make_shared<int>(7);
  EXPECT_FALSE(mail.post([shared] { ADD_FAILURE() << "ran"; }));
  EXPECT_EQ(shared.use_count(), 1);
}

TEST(Inbox, WakesTheLoopForWhatWasPostedBeforeItWasOpened) {
  loop_with_inbox loop;
  loop.mail.post([] {});
  loop.turn();
  EXPECT_EQ(loop.wakes, 0);
  loop.open();
  loop.turn();
  EXPECT_EQ(loop.wakes, 1);
}

TEST(Inbox, DoesNotWakeTheLoopWhenItIsOpenedEmpty) {
  loop_with_inbox loop;
  loop.open();
  loop.turn();
  EXPECT_EQ(loop.wakes, 0);
}

TEST(Inbox, WakesTheLoopAgainAfterEveryDrain) {
  loop_with_inbox loop;
  loop.open();
  for (int i = 1; i <= 3; ++i) {
    loop.mail.post([] {});
    loop.mail.post([] {});
    loop.turn();
    EXPECT_EQ(loop.wakes, i);
    loop.mail.drain();
  }
  loop.turn();
  EXPECT_EQ(loop.wakes, 3);
}

TEST(Inbox, WakesTheLoopForWhatIsPostedWhileItDrains) {
  loop_with_inbox loop;
  loop.open();
  loop.mail.post([&] { loop.mail.post([] {}); });
  loop.turn();
  loop.mail.drain();
  loop.turn();
  EXPECT_EQ(loop.wakes, 2);
}

TEST(Inbox, LosesNothingOfWhatManyThreadsPostAndKeepsTheOrderOfEach) {
  inbox mail;
  constexpr int each = 500;
  std::vector<numbers> ran(4);
  std::vector<std::thread> posters;
  for (numbers& mine : ran) {
    posters.emplace_back([&mail, &mine] {
      for (int i = 0; i < each; ++i) mail.post([&mine, i] { mine.push_back(i); });
    });
  }
  mail.drain();
  for (std::thread& t : posters) {
    t.join();
    mail.drain();
  }
  numbers expected;
  for (int i = 0; i < each; ++i) expected.push_back(i);
  for (const numbers& one : ran) EXPECT_EQ(one, expected);
}

TEST(Inbox, RunsEveryJobThatItSaidItTookWhenItIsClosedInTheirMidst) {
  inbox mail;
  int ran = 0;
  std::vector<int> taken(4);
  std::vector<std::thread> posters;
  for (int& mine : taken) {
    posters.emplace_back([&mail, &mine, &ran] {
      while (mail.post([&ran] { ++ran; })) ++mine;
    });
  }
  mail.drain();
  mail.close();
  for (std::thread& t : posters) t.join();
  int sum = 0;
  for (const int one : taken) sum += one;
  EXPECT_EQ(ran, sum);
}

}  // namespace
}  // namespace redlock::io
