// ballot: one vote among the nodes (rules G1, G4, G5).
//
// Won when a quorum said yes. Lost as soon as a quorum can no longer be reached, not when a quorum
// has said no: with an even number of nodes, or with faults, that may never come.

#ifndef REDLOCK_LIB_CORE_BALLOT_H
#define REDLOCK_LIB_CORE_BALLOT_H

#include "core/types.h"

namespace redlock::core {

enum class vote : std::uint8_t { yes, no, fault };
enum class verdict : std::uint8_t { pending, won, lost };

class ballot {
 public:
  constexpr ballot(std::size_t nodes, std::size_t quorum) noexcept
      : nodes_(nodes), quorum_(quorum), pending_(node_set::first(nodes)) {
    check(nodes >= 1 && nodes <= nodes_max);
    check(quorum > nodes / 2 && quorum <= nodes);
  }

  // The first vote of a node counts; later ones change nothing.
  constexpr void cast(node_id n, vote v, answer said) noexcept {
    check(n < nodes_);
    if (!pending_.contains(n)) return;
    pending_.erase(n);
    answers_[n] = said;
    switch (v) {
      case vote::yes:
        yes_.insert(n);
        break;
      case vote::no:
        no_.insert(n);
        break;
      case vote::fault:
        faults_.insert(n);
        break;
    }
  }

  // A yes that turned out to be worth nothing (D3, D4). Other votes stand.
  constexpr void retract(node_id n, answer why) noexcept {
    check(n < nodes_);
    if (!yes_.contains(n)) return;
    yes_.erase(n);
    faults_.insert(n);
    answers_[n] = why;
  }

  [[nodiscard]] constexpr verdict result() const noexcept {
    if (yes_.size() >= quorum_) return verdict::won;
    if (yes_.size() + pending_.size() < quorum_) return verdict::lost;
    return verdict::pending;
  }

  [[nodiscard]] constexpr node_set yes() const noexcept { return yes_; }
  [[nodiscard]] constexpr node_set no() const noexcept { return no_; }
  [[nodiscard]] constexpr node_set faults() const noexcept { return faults_; }
  [[nodiscard]] constexpr node_set pending() const noexcept { return pending_; }
  [[nodiscard]] constexpr std::size_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] constexpr std::size_t quorum() const noexcept { return quorum_; }

  // REQUIRES: n has voted.
  [[nodiscard]] constexpr answer said(node_id n) const noexcept {
    check(!pending_.contains(n));
    return answers_[n];
  }

 private:
  std::size_t nodes_;
  std::size_t quorum_;
  node_set pending_;
  node_set yes_{};
  node_set no_{};
  node_set faults_{};
  std::array<answer, nodes_max> answers_{};
};

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_BALLOT_H
