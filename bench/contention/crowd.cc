// A life: connect, wait for the start, compete, wait for the end.

#include "bench/contention/crowd.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <thread>

#include "tests/live/eventually.h"

namespace redlock::bench {

using namespace std::chrono_literals;

crowd::crowd(const setting& s, arena& notes, const competitor_maker& make)
    : setting_(s), notes_(notes) {
  members_.reserve(s.processes);
  for (std::size_t i = 0; i < s.processes; ++i) {
    members_.emplace_back([&, i] { live_as(i, make); });
  }
  ready_.close_writer();
  await_ready();
}

void crowd::await_ready() {
  const auto limit = monotonic_now() + 2 * live::patience;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    char byte = 0;
    while (!ready_.readable_within(100ms)) {
      if (monotonic_now() > limit) throw std::runtime_error("not all processes come up");
    }
    if (ready_.read(byte) && notes_.complaint().empty()) continue;
    throw std::runtime_error("a process did not come up: " + notes_.complaint());
  }
}

// In the child. The ends of the pipes that are the parent's to close are closed here, so that it
// alone has them, and its own end is seen as well.
void crowd::live_as(std::size_t process, const competitor_maker& make) {
  start_.close_writer();
  end_.close_writer();
  try {
    const std::unique_ptr<competitor> way = make(process);
    char byte = 0;
    ready_.write(byte);
    ready_.close_writer();
    if (start_.read(byte)) throw std::logic_error("nobody writes there");
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < setting_.threads; ++i) {
      threads.emplace_back([&, i] { compete(*way, process, i); });
    }
    if (end_.read(byte)) throw std::logic_error("nobody writes there");
    way->end();
    threads.clear();  // joins
  } catch (const std::exception& e) {
    notes_.complain(e.what());
    throw;
  }
}

void crowd::compete(competitor& way, std::size_t process, std::size_t thread) noexcept {
  const std::size_t me = process * setting_.threads + thread;
  try {
    for (;;) {
      notes_.asks(me);
      if (!way.acquire(thread)) return;
      const std::size_t which = notes_.holds(me);
      if (setting_.hold > 0ns) std::this_thread::sleep_for(setting_.hold);
      notes_.releases(me, which);
      way.release(thread);
      if (setting_.pause > 0ns) std::this_thread::sleep_for(setting_.pause);
    }
  } catch (const std::exception& e) {
    notes_.complain(e.what());
  }
}

void crowd::end() {
  end_.close_writer();
  const bool ended = live::eventually([this] {
    bool all = true;
    for (child& c : members_) all = c.ended() && all;
    return all;
  });
  if (!ended) throw std::runtime_error("not all processes end");
  if (!notes_.complaint().empty()) throw std::runtime_error(notes_.complaint());
  for (const child& c : members_) {
    if (c.failed()) throw std::runtime_error("a process ended badly");
  }
}

std::vector<std::optional<nanoseconds>> crowd::cpu_times() const {
  std::vector<std::optional<nanoseconds>> times;
  for (const child& c : members_) {
    times.push_back(c.runs() ? std::optional(c.cpu_time()) : std::nullopt);
  }
  return times;
}

}  // namespace redlock::bench
