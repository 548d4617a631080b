// world: one claim, its nodes and a clock, all moved by whoever has the bytes to decide; and what
// must hold whatever is decided, checked without a look into the claim.

#ifndef REDLOCK_TESTS_FUZZ_WORLD_H
#define REDLOCK_TESTS_FUZZ_WORLD_H

#include <array>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "core/claim.h"
#include "fuzz/target.h"

namespace redlock::fuzz {

class world {
 public:
  world(const core::terms& t, const core::reach& nodes);

  // How it begins; one of them, first.
  void acquire();
  void adopt();
  void take_back();

  // The user. Each does nothing where the claim may not be asked for it.
  void cancel();
  void renew();
  void release();
  void detach();
  void see_expiry();
  void signal_stop();
  void forget_releases();

  // The nodes.
  void respond(core::node_id n, std::size_t which, core::milliseconds key_left);
  // Comes to write the oldest; settles it if it is not wanted any more.
  void write(core::node_id n);
  void cut(core::node_id n, bool written, std::size_t absence);
  void connect(core::node_id n);

  // Time passes; the claim is woken if it is due, or not even then.
  void pass(core::nanoseconds span, bool awake);

  // Nothing goes wrong any more: everything is answered, and lets go. Whether the claim finishes.
  [[nodiscard]] bool comes_to_an_end();

 private:
  struct round {  // as seen from outside
    core::time_point start;
    core::milliseconds ttl{0};
    core::node_set yes;
  };

  template <class Input>
  void say(Input input);
  void check_command(const core::command& c);
  void check_news();
  void settle(core::node_id n, answer a, core::milliseconds key_left);
  [[nodiscard]] bool is_in(core::claim::state s) const { return claim_.where() == s; }
  [[nodiscard]] bool may_release() const;

  const core::terms terms_;
  core::reach reach_;
  core::claim claim_;
  core::time_point now_{};
  core::outbox out_;
  std::array<std::deque<core::command>, nodes_max> unanswered_;
  std::map<core::round_id, round> rounds_;
  std::set<core::attempt_id> released_;
  std::map<core::news, int> told_;
};

}  // namespace redlock::fuzz

#endif  // REDLOCK_TESTS_FUZZ_WORLD_H
