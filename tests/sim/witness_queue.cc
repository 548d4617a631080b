// The lead of an attempt, and the places in its queue.

#include "sim/witness.h"

namespace redlock::sim {

// G3: its answer is on its way, and it is still the one to give it.
bool witness::waits_for_lead(const core::reach& nodes) const noexcept {
  return round_.lead && round_.lead == nodes.lead && !round_.answered.contains(*round_.lead);
}

// A grant, before anything else is made of it.
void witness::judge_lead(const core::reach& nodes, ns now) {
  expect(!round_.queued, "G3", "a grant against a queue answer of the lead");
  expect(!waits_for_lead(nodes) || now >= deadline(), "G3", "a grant before the lead has answered");
  expect(!round_.lead_first || round_.lead_yes, "G3", "a grant that the lead alone was asked for");
}

// Which part an acquire plays for the queue, and whether it may be sent yet.
void witness::judge_queueing(const core::command& cmd) {
  const bool leads = round_.lead && cmd.node == *round_.lead;
  const bool waits = terms_.wait > core::nanoseconds{0};
  const auto right = waits ? core::queueing::join : core::queueing::look;
  expect(cmd.queue == (leads ? right : core::queueing::none), "Q4",
         "an acquire that queues where it should not, or does not where it should");
  expect(!round_.lead_first || round_.lead_yes, "G3", "others are asked before the lead said yes");
  if (cmd.queue == core::queueing::join) places_.insert(cmd.node);
}

// After the commands of an input: whom an attempt has not asked yet, it must still be about to.
void witness::settle_lead(const core::reach& nodes) {
  if (!round_.open || round_.what != core::verb::acquire) return;
  const bool alone = round_.lead && round_.asked.size() == 1 && round_.asked.contains(*round_.lead);
  if (alone && !round_.lead_first && !round_.to_ask.empty()) round_.lead_first = true;
  if (!round_.lead_first) {
    expect(round_.to_ask.empty(), "G4", "a node is not asked");
  } else if (round_.lead_yes) {
    expect((round_.to_ask & (nodes.up | nodes.fresh)).empty(), "G4",
           "the lead said yes, and the rest is not asked");
    round_.to_ask = {};
  }
}

// Q4: a place is kept for as long as its owner waits, and left with that.
void witness::judge_places(state is, const core::outbox& out, const core::reach& nodes) {
  const bool over = is == state::releasing || is == state::ended;
  for (const core::command& cmd : out.commands()) {
    if (cmd.what == core::verb::acquire || cmd.queue != core::queueing::leave) continue;
    expect(over || cmd.node != nodes.lead, "Q4", "one who waits gives up its place");
    places_.erase(cmd.node);
  }
  if (!over || detached_) return;
  expect((places_ & (nodes.up | nodes.fresh)).empty(), "Q4", "a place is left behind");
  places_ = {};  // the others have an end
}

}  // namespace redlock::sim
