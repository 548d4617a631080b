// coverage: what happened in a set of worlds. A simulator that meets no fault finds no fault: what
// was never reached is listed.

#ifndef REDLOCK_TESTS_SIM_COVERAGE_H
#define REDLOCK_TESTS_SIM_COVERAGE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/claim.h"

namespace redlock::sim {

// What guards are about, as clients meet it. The names are printed.
enum class watched : std::uint8_t {
  vote_refused,  // by a node that could have been asked
  restarted,
  promoted,
  unverified,
  not_enrolled,
  stepped,    // forward, compared with what the node itself had shown
  compared,   // ahead of its peers
  back,       // a step back
  waited_out  // a guard ended, and its node is asked again
};
inline constexpr std::array<std::string_view, 9> watched_words{
    "vote_refused", "restarted", "promoted", "unverified", "not_enrolled",
    "stepped",      "compared",  "back",     "waited_out"};

// What happens to those who wait in a queue. The names are printed.
enum class queueing_event : std::uint8_t {
  queued,      // answers: others come first
  told,        // of its turn
  in_vain,     // a wake-up that nobody gets whom the node thinks it told
  too_late,    // a wake-up of whoever does not wait any more
  dropped,     // nobody hears at the node
  took_over,   // a key that was released elsewhere
  lead_first,  // a grant after the lead alone was asked
  leadless,    // a grant without its answer
  left,        // a place was given up
  silent       // a node that leads nobody for that
};
inline constexpr std::array<std::string_view, 10> turn_words{
    "queued",    "told",       "in_vain",  "too_late", "dropped",
    "took_over", "lead_first", "leadless", "left",     "silent"};

// What befalls a world. The names are printed.
enum class fault : std::uint8_t {
  delayed,
  cut,
  cut_reply,
  executed_late,
  lost,
  hung,
  block,
  part,
  stop_node,
  slow_node,
  crash_node,
  flush_scripts,
  out_of_memory,
  errors,
  replica,
  deny,
  stranger,
  stuck_key,
  clock_back,
  suspend,
  pause,
  die,
  cut_wakeups,
  lose_wakeups,
  lose_queue,
  amnesia,
  failover,
  flush_all,
  lose_key,
  overwrite,
  clock_forward,
};
inline constexpr std::array<std::string_view, 31> fault_words{
    "delayed",       "cut",     "cut_reply", "executed_late", "lost",        "hung",
    "block",         "part",    "stop_node", "slow_node",     "crash_node",  "flush_scripts",
    "out_of_memory", "errors",  "replica",   "deny",          "stranger",    "stuck_key",
    "clock_back",    "suspend", "pause",     "die",           "cut_wakeups", "lose_wakeups",
    "lose_queue",    "amnesia", "failover",  "flush_all",     "lose_key",    "overwrite",
    "clock_forward"};
inline constexpr std::size_t faults_within_promise = 25;  // the first so many

class coverage {
 public:
  using count = std::uint64_t;

  void saw(fault f) noexcept { ++faults_[static_cast<std::size_t>(f)]; }
  void saw(watched w) noexcept { ++watched_[static_cast<std::size_t>(w)]; }
  void saw(queueing_event t) noexcept { ++turns_[static_cast<std::size_t>(t)]; }
  void saw_free(std::int64_t span) noexcept { free_ = std::max(free_, span); }
  void saw_overtaken(std::uint64_t by) noexcept { overtaken_ = std::max(overtaken_, by); }
  void saw(core::news n) noexcept { ++news_[static_cast<std::size_t>(n)]; }
  void saw(core::claim::state from, core::claim::state to) noexcept {
    ++moves_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  void saw(core::verb v, answer a) noexcept {
    ++answers_[static_cast<std::size_t>(v)][static_cast<std::size_t>(a)];
  }
  void saw_world(count events) noexcept {
    ++worlds_;
    events_ += events;
  }
  void saw_stale_use() noexcept { ++stale_uses_; }

  coverage& operator+=(const coverage& o) noexcept;

  [[nodiscard]] count worlds() const noexcept { return worlds_; }
  [[nodiscard]] count of(fault f) const noexcept { return faults_[static_cast<std::size_t>(f)]; }
  [[nodiscard]] count of(core::news n) const noexcept { return news_[static_cast<std::size_t>(n)]; }

  // For people, several lines.
  [[nodiscard]] std::string summary() const;

  // What there is and was not reached: "fault hung", "move held -> lost", "acquire: replica".
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  count worlds_ = 0, events_ = 0, stale_uses_ = 0;
  std::array<count, fault_words.size()> faults_{};
  std::array<count, watched_words.size()> watched_{};
  std::array<count, turn_words.size()> turns_{};
  std::int64_t free_ = 0;  // the longest that it was free while somebody waited, after all faults
  count overtaken_ = 0;    // how often one of an orderly queue was, at most
  std::array<count, 9> news_{};
  std::array<std::array<count, 10>, 10> moves_{};
  std::array<std::array<count, 12>, 4> answers_{};
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_COVERAGE_H
