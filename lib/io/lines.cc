// Lines come with the first ticket and go with the last.

#include "io/lines.h"

#include "io/driver.h"

namespace redlock::io {
namespace {

constexpr std::size_t others_max = 1024;

}  // namespace

lines::entry& lines::of(const std::string& key) {
  const auto [found, fresh] = all_.try_emplace(key);
  if (fresh) found->second.key = &found->first;
  return found->second;
}

ticket* lines::waiter_of(const std::string& key) const {
  const auto found = all_.find(key);
  return found == all_.end() ? nullptr : static_cast<ticket*>(found->second.line.waiter());
}

void lines::note_others(const std::string& key, bool wait) {
  if (!wait) {
    if (!others_.empty()) others_.erase(key);
    return;
  }
  if (others_.size() >= others_max) others_.erase(others_.begin());  // any: it is but a guess
  others_.insert(key);
}

void lines::on_left(entry& e) {
  if (!std::exchange(e.changed, true)) changed_.push_back(&e);
}

void lines::admit(driver& where, core::time_point now) noexcept {
  while (!changed_.empty()) {
    entry& e = *changed_.back();
    changed_.pop_back();
    e.changed = false;
    if (const core::line::turn turn = e.line.next(); turn.whose != nullptr) {
      const auto pause = turn.late ? core::soon(where.random()) : core::nanoseconds{0};
      static_cast<ticket*>(turn.whose)->admit(now + pause, now);
    } else if (e.line.is_empty()) {
      all_.erase(all_.find(*e.key));
    }
  }
}

}  // namespace redlock::io
