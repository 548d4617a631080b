// Counting to q.

#include "bench/quorum_client.h"

#include <algorithm>
#include <stdexcept>

namespace redlock::bench {

quorum_client::quorum_client(live::masters& nodes, std::size_t quorum, std::string_view name)
    : nodes_(nodes.size()), quorum_(quorum), name_(name), commands_(nodes) {}

void quorum_client::run(std::size_t pairs, std::size_t in_flight, std::vector<sample>& out) {
  while (slots_.size() < in_flight) {
    slots_.emplace_back().key = "redlock:" + name_ + "/" + std::to_string(slots_.size());
  }
  out_ = &out;
  to_start_ = pairs;
  for (std::uint32_t i = 0; i < std::min(in_flight, pairs); ++i) acquire(i);
  while (under_way_ > 0) turn();
}

void quorum_client::acquire(std::uint32_t which) {
  slot& s = slots_[which];
  --to_start_;
  ++under_way_;
  s.start = stopwatch::now();
  s.number = ++last_number_;
  s.releasing = false;
  commands_.acquire(text_, s.key, s.number);
  send(which);
}

void quorum_client::send(std::uint32_t which) {
  slot& s = slots_[which];
  ++s.operation;
  s.yes = 0;
  for (std::size_t node = 0; node < nodes_; ++node) queue(node, text_, {which, s.operation});
}

void quorum_client::on_reply(tag whose, bool yes) {
  if (!yes) throw std::runtime_error("a server did not do as it was told");
  slot& s = slots_[whose.slot];
  if (whose.operation != s.operation || ++s.yes != quorum_) return;  // done, or not yet
  const nanoseconds took = stopwatch::now() - s.start;
  if (!s.releasing) {
    s.acquired = took;
    s.releasing = true;
    commands_.release(text_, s.key, s.number);
    send(whose.slot);
    return;
  }
  out_->push_back({s.acquired, took});
  --under_way_;
  if (to_start_ > 0) acquire(whose.slot);
}

}  // namespace redlock::bench
