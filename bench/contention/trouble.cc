// Who is harmed, and how.

#include "bench/contention/trouble.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "bench/contention/look.h"
#include "tests/live/eventually.h"

namespace redlock::bench {

trouble::trouble(const setting& s, live::masters& nodes, crowd& all, const arena& notes)
    : setting_(s), nodes_(nodes), all_(all), notes_(notes) {}

void trouble::strike() {
  switch (setting_.fault) {
    case fault::none:
      return;
    case fault::stop_lead:
      harmed_ = lead();
      return nodes_[*harmed_].stop();
    case fault::kill_lead:
      harmed_ = lead();
      return nodes_[*harmed_].kill();
    case fault::kill_holder:
      if (!live::eventually([this] { return kill_a_holder(); }, std::chrono::seconds{1})) {
        throw std::runtime_error("nobody holds the key for long enough to be killed");
      }
      return;
    case fault::kill_head:
    case fault::kill_waiter:
      if (!live::eventually([this] { return kill_who_waits(); }, std::chrono::seconds{1})) {
        throw std::runtime_error("nobody waits");
      }
      return;
  }
}

void trouble::heal() {
  if (!harmed_) return;
  live::redis_server& node = nodes_[*harmed_];
  if (setting_.fault == fault::stop_lead) {
    node.cont();
  } else {
    node.start();
  }
  harmed_.reset();
}

std::size_t trouble::lead() {
  if (setting_.lead) return *setting_.lead;
  const auto busy = calls(nodes_, counted::scripts);
  return static_cast<std::size_t>(std::max_element(busy.begin(), busy.end()) - busy.begin());
}

nanoseconds trouble::holding_since(std::size_t process) const {
  nanoseconds since{0};
  for (std::size_t i = 0; i < setting_.threads; ++i) {
    since = std::max(since, notes_.holding_since(process * setting_.threads + i));
  }
  return since;
}

nanoseconds trouble::waiting_since(std::size_t process) const {
  nanoseconds since{0};
  for (std::size_t i = 0; i < setting_.threads; ++i) {
    const nanoseconds one = notes_.waiting_since(process * setting_.threads + i);
    if (one > nanoseconds{0} && (since == nanoseconds{0} || one < since)) since = one;
  }
  return since;
}

std::vector<std::size_t> trouble::waiting_only() const {
  std::vector<std::pair<nanoseconds, std::size_t>> found;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const nanoseconds since = waiting_since(i);
    if (since > nanoseconds{0} && holding_since(i) == nanoseconds{0}) found.emplace_back(since, i);
  }
  std::sort(found.begin(), found.end());
  std::vector<std::size_t> processes;
  for (const auto& [since, process] : found) processes.push_back(process);
  return processes;
}

// Stopped before it is killed: it might release just between our look and our signal.
bool trouble::kill_a_holder() {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const nanoseconds since = holding_since(i);
    if (since == nanoseconds{0}) continue;
    all_[i].stop();
    if (holding_since(i) == since) {
      kill(i);
      return true;
    }
    all_[i].cont();
  }
  return false;
}

bool trouble::kill_who_waits() {
  const std::vector<std::size_t> candidates = waiting_only();
  if (candidates.empty()) return false;  // all are between two waits
  std::random_device draw;
  kill(candidates[setting_.fault == fault::kill_head ? 0 : draw() % candidates.size()]);
  return true;
}

void trouble::kill(std::size_t process) {
  all_[process].kill();
  dead_ = {.process = process, .dead_at = monotonic_now()};
}

}  // namespace redlock::bench
