// Words for a setting.

#include "bench/contention/setting.h"

namespace redlock::bench {
namespace {

const char* name(retry_policy p) noexcept {
  switch (p) {
    case retry_policy::fixed:
      return "fixed";
    case retry_policy::exponential:
      return "exponential";
    case retry_policy::hybrid:
      return "hybrid";
    case retry_policy::spin:
      return "spin";
    case retry_policy::adaptive:
      return "adaptive";
    case retry_policy::custom:
      break;
  }
  return "custom";
}

const char* name(fault f) noexcept {
  switch (f) {
    case fault::none:
      break;
    case fault::stop_lead:
      return "the lead stopped";
    case fault::kill_lead:
      return "the lead killed";
    case fault::kill_head:
      return "the head killed";
    case fault::kill_waiter:
      return "a waiter killed";
    case fault::kill_holder:
      return "the holder killed";
  }
  return "no fault";
}

std::string milliseconds_of(nanoseconds t) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(t).count()) + " ms";
}

}  // namespace

std::string description(const setting& s) {
  std::string text = std::to_string(s.processes) + " processes";
  if (s.threads > 1) text += " of " + std::to_string(s.threads) + " threads";
  text += ", " + std::to_string(s.nodes) + (s.nodes == 1 ? " node" : " nodes");
  text += ", hold " + milliseconds_of(s.hold);
  if (s.pause > nanoseconds{0}) text += ", pause " + milliseconds_of(s.pause);
  text += std::string(", ") + name(s.policy) + (s.fairness ? ", fair" : ", not fair");
  if (!s.wakeups) text += ", no wake-ups";
  if (s.fault == fault::none) return text;
  text += std::string(", ") + name(s.fault);
  if (s.fault_lasts > nanoseconds{0}) text += " for " + milliseconds_of(s.fault_lasts);
  return text + ", ttl " + milliseconds_of(s.ttl);
}

}  // namespace redlock::bench
