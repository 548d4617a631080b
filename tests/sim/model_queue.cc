// The queue, in words of its own.

#include "sim/model_queue.h"

#include <algorithm>

namespace redlock::sim {
namespace {

constexpr std::int64_t life_max_ms = 5'000;
constexpr std::size_t size_max = 1'000;
constexpr std::size_t tries_max = 32;

}  // namespace

void model_queue::prune(std::int64_t now_ms) {
  std::erase_if(places_, [&](const place& p) { return p.until <= now_ms; });
}

void model_queue::clamp(std::int64_t now_ms) {
  for (place& p : places_) p.until = std::min(p.until, now_ms + life_max_ms);
}

model_queue::told model_queue::wake(std::int64_t now_ms, std::int64_t window_ms,
                                    const core::base& who, hearers listening,
                                    std::optional<token> released) {
  told t;
  while (!places_.empty() && t.dropped < tries_max) {
    place& first = places_.front();
    if (first.who == who || !first.channel) break;
    if ((listening >> *first.channel & 1U) != 0) {
      first.until = std::min(first.until, now_ms + window_ms);
      t.whom = wakeup{*first.channel, first.who, released};
      break;
    }
    places_.erase(places_.begin());
    ++t.dropped;
  }
  return t;
}

std::size_t model_queue::join(const core::base& who, channel_id channel, bool listens,
                              std::int64_t until_ms) {
  auto ours = std::ranges::find_if(places_, [&](const place& p) { return p.is(who, channel); });
  if (ours == places_.end()) {
    if (places_.size() >= size_max) return places_.size();
    ours = places_.insert(places_.end(), place{});
  }
  *ours = {who, listens ? place_channel{channel} : place_channel{}, until_ms};
  return static_cast<std::size_t>(ours - places_.begin());
}

void model_queue::leave(const core::base& who, channel_id channel) {
  std::erase_if(places_, [&](const place& p) { return p.is(who, channel); });
}

}  // namespace redlock::sim
