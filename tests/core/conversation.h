// conversation: one claim, a clock, and what its nodes have not answered yet, led by a test word by
// word. What must hold whatever the test says is checked after every word.

#ifndef REDLOCK_TESTS_CORE_CONVERSATION_H
#define REDLOCK_TESTS_CORE_CONVERSATION_H

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "core/claim.h"
#include "core/words.h"

namespace redlock::core {

using namespace std::chrono_literals;

// Three nodes, a ttl of one second, one try, no renewal: tests change what they are about.
inline terms plain_terms(std::size_t nodes = 3) {
  terms t;
  t.nodes = nodes;
  t.quorum = nodes / 2 + 1;
  t.node_timeout = 50ms;
  t.connect_timeout = 1s;
  t.ttl = 1000ms;
  t.retry = {.policy = retry_policy::fixed, .delay = 20ms, .max = 250ms};
  t.min_validity = 1ms;
  return t;
}

inline reach all_up(std::size_t nodes) {
  return {.up = node_set::first(nodes), .fresh = {}, .denied = {}};
}

class conversation {
 public:
  explicit conversation(const terms& t) : conversation(t, all_up(t.nodes)) {}
  conversation(const terms& t, const reach& nodes, base who = {1, 2})
      : terms_(t), reach_(nodes), claim_(t, who, nodes) {}

  // The user.
  void acquire() {
    say([&] { claim_.acquire(now_, out_); });
  }
  void queue() {
    say([&] { claim_.queue(now_, out_); });
  }
  void admit(nanoseconds pause = 0ns) {
    say([&] { claim_.admit(now_ + pause, now_, out_); });
  }
  void cancel() {
    say([&] { claim_.cancel(out_); });
  }
  void adopt(attempt_id k) {
    say([&] { claim_.adopt(k, now_, out_); });
  }
  void take_back(attempt_id k) {
    say([&] { claim_.take_back(k, now_, out_); });
  }
  void detach() {
    say([&] { claim_.detach(); });
  }
  void renew() {
    say([&] { claim_.renew(now_, out_); });
  }
  void release() {
    say([&] { claim_.release(now_, out_); });
  }
  void signalled() {
    say([&] { claim_.stop_signalled(out_); });
  }
  void expired() {
    say([&] { claim_.owner_saw_expiry(now_, out_); });
  }

  // A node answers the oldest command that it has not answered yet.
  void answer(node_id n, redlock::answer a, milliseconds key_left = 0ms) {
    ASSERT_FALSE(unanswered_[n].empty()) << "node " << int{n} << " has not been asked";
    const command c = unanswered_[n].front();
    unanswered_[n].pop_front();
    say([&] { claim_.on_reply({.to = c, .answer = a, .key_left = key_left}, now_, out_); });
  }
  // The lead refuses the oldest: of others who wait, so many are before it.
  void answer_queued(node_id n, std::uint32_t before) {
    ASSERT_FALSE(unanswered_[n].empty()) << "node " << int{n} << " has not been asked";
    const command c = unanswered_[n].front();
    unanswered_[n].pop_front();
    say([&] {
      claim_.on_reply({.to = c, .answer = answer::refused, .queued = true, .waiting = before}, now_,
                      out_);
    });
  }
  void expect_others() { claim_.expect_others(); }
  void turn() {
    say([&] { claim_.on_turn(now_, out_); });
  }
  // All nodes answer all that they have been asked by now.
  void answer_all(redlock::answer a) {
    std::array<std::size_t, nodes_max> asked{};
    for (std::size_t n = 0; n < nodes_max; ++n) asked[n] = unanswered_[n].size();
    for (node_id n = 0; n < nodes_max; ++n) {
      for (; asked[n] > 0; --asked[n]) answer(n, a);
    }
  }

  // Comes to write what waits for node n, and passes over what is not wanted any more (R3).
  void write(node_id n) {
    std::deque<command> kept;
    while (!unanswered_[n].empty()) {
      const command c = unanswered_[n].front();
      unanswered_[n].pop_front();
      if (claim_.wants(c, now_)) {
        kept.push_back(c);
      } else {
        say([&] {
          claim_.on_reply({.to = c, .answer = answer::unsent, .key_left = {}}, now_, out_);
        });
      }
    }
    std::ranges::copy(unanswered_[n], std::back_inserter(kept));
    unanswered_[n] = std::move(kept);
  }

  void set_reach(const reach& nodes) {
    reach_ = nodes;
    say([&] { claim_.on_reach(nodes, now_, out_); });
  }

  // The clock of node n goes forward, and it has no vote for a while (D4).
  void step(node_id n) {
    say([&] { claim_.on_step(n, now_, out_); });
    guard(n);
  }
  // It has no vote on acquires, or has it again.
  void guard(node_id n) {
    reach r = reach_;
    r.guarded.insert(n);
    set_reach(r);
  }
  void trust(node_id n) {
    reach r = reach_;
    r.guarded.erase(n);
    set_reach(r);
  }

  // The connection breaks: whatever was written may have been executed, or may yet be.
  void cut(node_id n) {
    reach r = reach_;
    r.up.erase(n);
    r.guarded.erase(n);
    set_reach(r);
    for (const command& c : std::exchange(unanswered_[n], {})) {
      say([&] {
        claim_.on_reply({.to = c, .answer = answer::unreachable, .key_left = {}}, now_, out_);
      });
    }
  }
  void connect(node_id n) {
    reach r = reach_;
    r.up.insert(n);
    r.fresh.erase(n);
    set_reach(r);
  }

  // Time passes, with every wake-up on its way.
  void pass(nanoseconds span) {
    const time_point end = now_ + span;
    while (claim_.wake() <= end) {
      now_ = std::max(now_, claim_.wake());
      wake();
    }
    now_ = end;
  }
  // The process stands still: it wakes late, and only once.
  void stand_still(nanoseconds span) {
    now_ += span;
    if (claim_.wake() <= now_) wake();
  }
  void skip(nanoseconds span) { now_ += span; }  // and does not even wake
  void wake() {
    say([&] { claim_.on_wake(now_, out_); });
    EXPECT_GT(claim_.wake(), now_) << "a busy loop";
  }

  [[nodiscard]] const core::claim& claim() const { return claim_; }
  [[nodiscard]] claim::state where() const { return claim_.where(); }
  [[nodiscard]] time_point now() const { return now_; }
  [[nodiscard]] nanoseconds clock() const { return now_ - time_point{}; }
  [[nodiscard]] nanoseconds valid_until() const { return claim_.valid_until() - time_point{}; }
  [[nodiscard]] nanoseconds wakes_at() const { return claim_.wake() - time_point{}; }
  [[nodiscard]] bool held() const {
    return where() == claim::state::held && now_ < claim_.valid_until();
  }
  [[nodiscard]] const std::deque<command>& unanswered(node_id n) const { return unanswered_[n]; }
  [[nodiscard]] const core::reach& nodes() const { return reach_; }

  // What the last word led to, and what was ever told.
  [[nodiscard]] news told() const { return out_.told(); }
  [[nodiscard]] std::span<const command> sent() const { return out_.commands(); }
  [[nodiscard]] std::vector<node_id> sent(verb v) const {
    std::vector<node_id> to;
    for (const command& c : sent()) {
      if (c.what == v) to.push_back(c.node);
    }
    return to;
  }
  [[nodiscard]] int times(news n) const { return told_.at(static_cast<std::size_t>(n)); }

  std::function<void()> listen = [] {};  // called after every word

 private:
  template <class Word>
  void say(Word word) {
    out_.clear();
    word();
    ++told_.at(static_cast<std::size_t>(out_.told()));
    for (const command& c : out_.commands()) {
      check_command(c);
      unanswered_[c.node].push_back(c);
    }
    check_news();
    listen();
  }

  void check_command(const command& c) {
    const bool is_held = claim_.where() == claim::state::held;
    EXPECT_TRUE(reach_.up.contains(c.node) || reach_.fresh.contains(c.node)) << "node is down";
    EXPECT_FALSE(c.what == verb::acquire && reach_.guarded.contains(c.node)) << "D3, D4";
    if (c.what == verb::release) {
      EXPECT_FALSE(is_held && c.attempt == claim_.attempt()) << "release of a held lease (R5)";
      released_.insert(c.attempt);
    } else {
      EXPECT_FALSE(released_.contains(c.attempt)) << word(c.what) << " after release (R5)";
      EXPECT_EQ(c.attempt, claim_.attempt());
      EXPECT_GT(c.ttl, 0ms) << "a key without a TTL (G6)";
      EXPECT_LE(c.ttl, terms_.ttl);
    }
    const bool adopts = c.what == verb::renew && claim_.where() == claim::state::adopting;
    if ((c.what == verb::renew && !adopts) || c.what == verb::refill) {
      EXPECT_TRUE(is_held && now_ < claim_.valid_until() - terms_.stop_margin) << "N1, N2, N5";
    }
  }

  void check_news() {
    for (const news n : {news::acquired, news::gave_up, news::expiring, news::lost}) {
      EXPECT_LE(times(n), 1) << word(n) << " was told twice (N4, N5)";
    }
    EXPECT_LE(times(news::released) + times(news::unconfirmed), 1);
    EXPECT_LE(times(news::acquired) + times(news::gave_up), 1);
    EXPECT_FALSE(claim_.where() == claim::state::held && times(news::lost) > 0) << "N4";
    EXPECT_LE(claim_.nodes_held(), terms_.nodes);
  }

  terms terms_;
  reach reach_;
  core::claim claim_;
  time_point now_{};
  outbox out_;
  std::array<std::deque<command>, nodes_max> unanswered_;
  std::array<int, news_words.size()> told_{};
  std::set<attempt_id> released_;
};

}  // namespace redlock::core

#endif  // REDLOCK_TESTS_CORE_CONVERSATION_H
