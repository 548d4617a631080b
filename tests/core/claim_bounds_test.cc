// claim at its limits: every number of nodes, a million attempts, no allocation, and whatever else
// can be said to it in any order.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "core/conversation.h"
#include "exhaustive.h"

namespace {
std::atomic<std::size_t> allocations{0};
}

// Counts what this test binary allocates; the core must not.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;  // NOLINT
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }               // NOLINT
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }  // NOLINT

namespace redlock::core {
namespace {

using state = claim::state;

TEST(Claim, IsOnePieceOfMemoryOfAFixedSize) {
  static_assert(std::is_trivially_copyable_v<claim>);
  static_assert(std::is_trivially_copyable_v<debt>);
  static_assert(sizeof(claim) <= 4096, "there may be a million leases: mind the memory of each");
}

TEST(Claim, TriesAMillionTimesInConstantMemoryAndWithoutAllocating) {
  terms t = plain_terms(5);
  t.wait = wait_forever;
  claim c(t, {1, 2}, all_up(5));
  outbox out;
  time_point now{};
  const std::size_t before = allocations;
  c.acquire(now, out);
  for (int i = 0; i < 1'000'000; ++i) {
    // Each node refuses, and confirms the rollback; node 4 fails at both.
    const outbox asked = out;
    outbox released;
    for (const command& to : asked.commands()) {
      if (to.what != verb::acquire) continue;
      out.clear();
      c.on_reply(
          {.to = to, .answer = to.node == 4 ? answer::error : answer::refused, .key_left = 9s}, now,
          out);
      for (const command& r : out.commands()) released.send(r);
    }
    for (const command& to : released.commands()) {
      out.clear();
      c.on_reply(
          {.to = to, .answer = to.node == 4 ? answer::error : answer::absent, .key_left = {}}, now,
          out);
    }
    while (c.where() != state::acquiring) {
      now = std::max(now, c.wake());
      out.clear();
      c.on_wake(now, out);
    }
  }
  EXPECT_EQ(c.attempt(), 1'000'001U);
  EXPECT_EQ(allocations, before);
  c.cancel(out);
  now += 1h;
  c.on_wake(now, out);
  EXPECT_TRUE(c.finished()) << "all keys must have expired";
}

TEST(Claim, GrantsRenewsAndReleasesWithEveryNumberOfNodesAndEveryQuorum) {  // G1
  for (std::size_t nodes = 1; nodes <= nodes_max; ++nodes) {
    for (std::size_t quorum = nodes / 2 + 1; quorum <= nodes; ++quorum) {
      terms t = plain_terms(nodes);
      t.quorum = quorum;
      conversation c(t);
      c.acquire();
      ASSERT_EQ(c.sent(verb::acquire).size(), nodes);
      for (node_id n = 0; n < quorum; ++n) {
        ASSERT_EQ(c.where(), state::acquiring);
        c.answer(n, answer::granted);
      }
      ASSERT_EQ(c.told(), news::acquired);
      ASSERT_EQ(c.claim().nodes_held(), quorum);
      c.answer_all(answer::refused);  // the others, which are refilled then
      c.renew();
      for (node_id n = 0; n < quorum; ++n) c.answer(n, answer::granted);
      ASSERT_EQ(c.told(), news::renewed);
      c.answer_all(answer::granted);
      c.answer_all(answer::granted);
      ASSERT_EQ(c.claim().nodes_held(), nodes);
      c.release();
      ASSERT_EQ(c.sent(verb::release).size(), nodes);
      for (node_id n = 0; n < quorum; ++n) c.answer(n, answer::granted);
      ASSERT_EQ(c.told(), news::released);
      c.answer_all(answer::granted);
      ASSERT_TRUE(c.claim().finished());
    }
  }
}

TEST(Claim, FailsWithEveryNumberOfNodesAsSoonAsNoQuorumCanBe) {  // G4, B03
  for (std::size_t nodes = 1; nodes <= nodes_max; ++nodes) {
    const terms t = plain_terms(nodes);
    conversation c(t);
    c.acquire();
    for (node_id n = 0; n <= nodes - t.quorum; ++n) {
      ASSERT_EQ(c.where(), state::acquiring);
      c.answer(n, answer::refused);
    }
    ASSERT_EQ(c.told(), news::gave_up);
    ASSERT_EQ(c.sent(verb::release).size(), nodes);
  }
}

TEST(Claim, FitsAllThatOneInputLeadsToIntoTheOutbox) {  // 31 nodes, all at once
  terms t = plain_terms(nodes_max);
  t.wait = wait_forever;
  t.renew_every = 1ns;
  conversation c(t);
  c.acquire();
  c.answer_all(answer::error);  // the attempt fails,
  c.answer_all(answer::error);  // and so does its rollback
  c.skip(900ms);
  c.wake();
  EXPECT_EQ(c.sent(verb::acquire).size(), 31U);
  EXPECT_EQ(c.sent(verb::release).size(), 31U);
  for (node_id n = 0; n < 15; ++n) c.answer(n, answer::refused);
  c.pass(1ms);
  for (node_id n = 15; n < 31; ++n) c.answer(n, answer::granted);
  EXPECT_EQ(c.told(), news::acquired);
  EXPECT_EQ(c.sent(verb::refill).size(), 15U);
  EXPECT_EQ(c.sent(verb::renew).size(), 31U);
  c.release();
  EXPECT_EQ(c.sent(verb::release).size(), 31U);
}

// Anything may be said to a claim at any time that its contract allows. conversation checks that
// what it answers is in order: one piece of news, no release of a held lease, no busy loop, …
class anything {
 public:
  anything(exhaustive* all, std::uint64_t seed) : all_(all), seed_(seed) {}

  std::size_t pick(std::size_t among) {
    if (all_ != nullptr) return all_->pick(among);
    std::uint64_t z = (seed_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ (z >> 31)) % among);
  }

  void say_something(conversation& c, std::size_t nodes) {
    const auto n = static_cast<node_id>(pick(nodes));
    switch (pick(10)) {
      case 0:
      case 1:
      case 2:
        answer_something(c, n);
        break;
      case 3:
        if (c.wakes_at() < nanoseconds::max()) c.pass(std::max(c.wakes_at() - c.clock(), 0ns));
        break;
      case 4:
        c.stand_still(pick(2) == 0 ? 60ms : 1100ms);
        break;
      case 5:
        c.nodes().up.contains(n) ? c.cut(n) : c.connect(n);
        break;
      case 6:
        c.write(n);
        break;
      case 7:
        c.skip(9ms);
        break;
      case 8:
        user(c);
        break;
      case 9:
        c.wake();
        break;
    }
  }

 private:
  void answer_something(conversation& c, node_id n) {
    constexpr std::array answers{answer::granted, answer::refused, answer::absent,
                                 answer::error,   answer::granted, answer::granted};
    const std::size_t few = all_ != nullptr ? 4 : answers.size();  // a yes is likelier by chance
    if (!c.unanswered(n).empty()) c.answer(n, answers.at(pick(few)), 30ms);
  }
  void user(conversation& c) {
    switch (c.where()) {
      case state::idle:
        pick(8) == 0 ? c.cancel() : c.acquire();
        break;
      case state::queued:
        pick(4) == 0 ? c.cancel() : c.admit(pick(2) * 3ms);
        break;
      case state::contacting:
      case state::acquiring:
      case state::adopting:
      case state::pausing:
        if (pick(4) == 0) c.cancel();
        break;
      case state::held:
        switch (pick(4)) {
          case 0:
            c.release();
            break;
          case 1:
            c.skip(c.valid_until() - c.clock()), c.expired();
            break;
          case 2:
            pick(4) == 0 ? c.detach() : c.renew();
            break;
          default:
            c.renew();
            break;
        }
        break;
      case state::lost:
        pick(2) == 0 ? c.signalled() : pick(4) == 0 ? c.detach() : c.release();
        break;
      case state::releasing:
      case state::ended:
        break;
    }
  }

  exhaustive* all_;
  std::uint64_t seed_;
};

// And in the end, when all nodes answer, nothing is left.
void expect_it_ends(conversation& c, std::size_t nodes) {
  if (c.where() == state::idle) return;
  for (node_id n = 0; n < nodes; ++n) {
    if (!c.nodes().up.contains(n)) c.connect(n);
  }
  for (int i = 0; i < 1000 && !c.claim().finished(); ++i) {
    c.answer_all(answer::granted);
    if (c.where() == state::held) c.release();
    if (c.where() == state::lost) c.signalled();
    if (c.where() == state::acquiring || c.where() == state::pausing) c.cancel();
    if (c.where() == state::contacting || c.where() == state::queued) c.cancel();
    if (c.wakes_at() < nanoseconds::max()) c.pass(std::max(c.wakes_at() - c.clock(), 0ns));
  }
  ASSERT_TRUE(c.claim().finished());
  ASSERT_EQ(c.claim().wake(), never);
}

terms any_terms(anything& any, std::size_t nodes) {
  terms t = plain_terms(nodes);
  t.wait = any.pick(2) == 0 ? wait_forever : 300ms;
  t.renew_every = any.pick(2) == 0 ? 333ms : 0ms;
  t.stop_margin = any.pick(2) == 0 ? 100ms : 0ms;
  t.max_hold = any.pick(2) == 0 ? 1500ms : 0ms;
  t.retry.policy = static_cast<retry_policy>(any.pick(5));
  return t;
}

TEST(Claim, StaysInOrderWhateverIsSaidToItInAnyOrder) {
  std::size_t granted = 0;
  std::size_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 30'000 && !testing::Test::HasFailure(); ++seed) {
    anything any(nullptr, seed * 0x9e3779b97f4a7c15U);
    const std::size_t nodes = 1 + any.pick(5);
    const terms t = any_terms(any, nodes);
    node_set up;
    for (node_id n = 0; n < nodes; ++n) {
      if (any.pick(8) != 0) up.insert(n);
    }
    const node_set rest = node_set::first(nodes) - up;
    const reach known = any.pick(2) == 0 ? reach{up, rest, {}} : reach{up, {}, rest};
    conversation c(t, known, {seed, 7});
    switch (any.pick(7)) {
      case 0:
        c.adopt(3);
        break;
      case 1:
        c.take_back(3);
        break;
      case 2:
        c.queue();
        break;
      default:
        c.acquire();
    }
    for (int i = 0; i < 60; ++i) any.say_something(c, nodes);
    expect_it_ends(c, nodes);
    granted += static_cast<std::size_t>(c.times(news::acquired));
    lost += static_cast<std::size_t>(c.times(news::lost));
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(granted, 2000U) << "or it proves nothing";
  EXPECT_GT(lost, 500U);
}

TEST(Claim, StaysInOrderInEveryShortConversationWithOneNode) {
  for (exhaustive ways; ways.next() && !testing::Test::HasFailure();) {
    anything any(&ways, 0);
    terms t = plain_terms(1);
    t.wait = 300ms;
    t.renew_every = 333ms;
    conversation c(t);
    c.acquire();
    for (int i = 0; i < 4; ++i) any.say_something(c, 1);
    expect_it_ends(c, 1);
  }
}

}  // namespace
}  // namespace redlock::core
