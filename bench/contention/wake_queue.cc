// The coordinator's loop.

#include "bench/contention/wake_queue.h"

#include <queue>

namespace redlock::bench {
namespace {

constexpr char your_turn = 't';
constexpr char go_away = 'a';

}  // namespace

wake_queue::wake_queue(std::size_t waiters) : wakes_(waiters) {
  coordinator_.emplace([this] { coordinate(); });
}

bool wake_queue::wait(std::size_t waiter) const {
  requests_.write(request{request::kind::wait, static_cast<std::uint32_t>(waiter)});
  char word = 0;
  return wakes_[waiter].read(word) && word == your_turn;
}

void wake_queue::pass_on() const { requests_.write(request{request::kind::pass_on, 0}); }

void wake_queue::send_away(std::size_t waiter) const { wakes_[waiter].write(go_away); }

// Has at most one entry for each waiter. Killed when it is no longer needed.
void wake_queue::coordinate() {
  std::queue<std::uint32_t> waiting;
  bool taken = false;
  request r{};
  while (requests_.read(r)) {
    if (r.what == request::kind::wait) {
      waiting.push(r.waiter);
    } else {
      taken = false;
    }
    if (taken || waiting.empty()) continue;
    taken = true;
    wakes_[waiting.front()].write(your_turn);
    waiting.pop();
  }
}

}  // namespace redlock::bench
