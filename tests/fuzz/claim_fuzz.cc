// The core: bytes are read as the terms of a claim and as what happens to it, one input after the
// other, in any order that lib/core/claim.h allows. Guards are not among them: the simulator has
// them.

#include <algorithm>

#include "fuzz/target.h"
#include "fuzz/world.h"

namespace redlock::fuzz {
namespace {

using core::milliseconds;
using core::nanoseconds;
using core::node_id;

milliseconds some_ms(bytes& in, std::size_t unit) { return milliseconds{in.byte() * unit}; }

// Within the limits that the options are checked for.
core::terms read_terms(bytes& in) {
  core::terms t;
  t.nodes = 1 + in.below(5);
  t.quorum = std::min(t.nodes, t.nodes / 2 + 1 + in.below(2));
  t.node_timeout = milliseconds{1} + some_ms(in, 1);
  t.connect_timeout = milliseconds{1} + some_ms(in, 4);
  t.ttl = milliseconds{20} + some_ms(in, 4);
  t.max_ttl = in.coin() ? 2 * t.ttl : milliseconds{0};
  t.wait = in.coin() ? some_ms(in, 8) : nanoseconds{0};
  t.max_attempts = static_cast<std::uint32_t>(in.below(4));
  t.retry.policy = static_cast<retry_policy>(in.below(3));
  t.retry.delay = milliseconds{1} + some_ms(in, 1);
  t.retry.max = 2 * t.retry.delay;
  const nanoseconds validity = t.ttl - t.drift(t.ttl);
  t.min_validity = milliseconds{1};
  t.stop_margin = in.coin() ? validity / 4 : nanoseconds{0};
  t.renew_every = in.coin() ? nanoseconds{t.ttl} / 3 : nanoseconds{0};
  t.max_hold = in.coin() ? nanoseconds{3 * t.ttl} : nanoseconds{0};
  return t;
}

core::reach read_reach(bytes& in, std::size_t nodes) {
  core::reach r;
  for (node_id n = 0; n < nodes; ++n) {
    switch (in.below(4)) {
      case 0:
        r.fresh.insert(n);
        break;
      case 1:
        r.denied.insert(n);
        break;
      default:
        r.up.insert(n);
    }
  }
  return r;
}

void begin(bytes& in, world& w) {
  switch (in.below(4)) {
    case 0:
      return w.adopt();
    case 1:
      return w.take_back();
    default:
      return w.acquire();
  }
}

void happen(bytes& in, world& w, std::size_t nodes) {
  const std::size_t what = in.below(14);
  const auto node = [&] { return static_cast<node_id>(in.below(nodes)); };
  switch (what) {
    case 0:
      return w.cancel();
    case 1:
      return w.renew();
    case 2:
      return w.release();
    case 3:
      return w.detach();
    case 4:
      return w.see_expiry();
    case 5:
      return w.signal_stop();
    case 6:
      return w.forget_releases();
    case 7: {
      const milliseconds span = some_ms(in, 1);
      return w.pass(span, in.coin());
    }
    case 8:
      return w.pass(std::chrono::microseconds{in.byte() * 20}, true);
    case 9:
      return w.write(node());
    case 10: {
      const node_id n = node();
      const bool written = in.coin();
      return w.cut(n, written, in.byte());
    }
    case 11:
      return w.connect(node());
    default: {
      const node_id n = node();
      const std::size_t which = what == 12 ? 0 : in.byte();  // every other one says yes
      return w.respond(n, which, which == 1 ? some_ms(in, 4) : milliseconds{0});
    }
  }
}

}  // namespace
}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::bytes input(data, size);
  const redlock::core::terms terms = redlock::fuzz::read_terms(input);
  const redlock::core::reach nodes = redlock::fuzz::read_reach(input, terms.nodes);
  redlock::fuzz::world world(terms, nodes);
  redlock::fuzz::begin(input, world);
  while (!input.empty()) redlock::fuzz::happen(input, world, terms.nodes);
  redlock::fuzz::must(world.comes_to_an_end(), "every claim finishes once nothing goes wrong");
  return 0;
}
