// ballot: rules G1, G4, G5, on every vote that up to seven nodes can give.

#include "core/ballot.h"

#include <gtest/gtest.h>

#include <vector>

#include "exhaustive.h"

namespace redlock::core {
namespace {

enum class cast : std::uint8_t { pending, yes, no, fault };

constexpr answer any_answer(vote v) {
  switch (v) {
    case vote::yes:
      return answer::granted;
    case vote::no:
      return answer::refused;
    case vote::fault:
      return answer::error;
  }
  return answer::error;
}

constexpr vote vote_for(cast c) {
  return c == cast::yes ? vote::yes : c == cast::no ? vote::no : vote::fault;
}

// A second opinion that does no arithmetic: fill in what is pending in every way, and look.
verdict by_looking_ahead(const std::vector<cast>& casts, std::size_t quorum) {
  bool can_be_won = false;
  bool can_be_lost = false;
  for (exhaustive future; future.next();) {
    std::size_t yes = 0;
    for (const cast c : casts) {
      const bool says_yes = c == cast::pending ? future.pick(2) == 1 : c == cast::yes;
      if (says_yes) ++yes;
    }
    (yes >= quorum ? can_be_won : can_be_lost) = true;
  }
  if (can_be_won && can_be_lost) return verdict::pending;
  return can_be_won ? verdict::won : verdict::lost;
}

std::size_t any_quorum(exhaustive& ways, std::size_t nodes) {
  const std::size_t majority = nodes / 2 + 1;
  return majority + ways.pick(nodes - majority + 1);
}

TEST(Ballot, SettlesAsSoonAsNoFurtherVoteMattersInEveryOrder) {  // G4
  for (exhaustive ways; ways.next();) {
    const std::size_t nodes = 1 + ways.pick(5);
    const std::size_t quorum = any_quorum(ways, nodes);
    ballot b(nodes, quorum);
    std::vector<cast> casts(nodes, cast::pending);
    std::vector<node_id> silent;
    for (std::size_t n = 0; n < nodes; ++n) silent.push_back(static_cast<node_id>(n));
    while (!silent.empty()) {
      ASSERT_EQ(b.result(), by_looking_ahead(casts, quorum));
      // Once settled, which vote comes next is of no interest, so long as none unsettles it: the
      // next test tries them all.
      if (b.result() != verdict::pending) break;
      const std::size_t i = ways.pick(silent.size());
      const node_id n = silent[i];
      silent.erase(silent.begin() + static_cast<std::ptrdiff_t>(i));
      casts[n] = static_cast<cast>(1 + ways.pick(3));
      b.cast(n, vote_for(casts[n]), any_answer(vote_for(casts[n])));
    }
    ASSERT_NE(b.result(), verdict::pending);
    ASSERT_EQ(b.result(), by_looking_ahead(casts, quorum));
  }
}

TEST(Ballot, AgreesWithLookingAheadOnEveryPartOfEveryVoteOfSevenNodes) {  // G4
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    for (exhaustive ways; ways.next();) {
      std::vector<cast> casts(nodes);
      for (cast& c : casts) c = static_cast<cast>(ways.pick(4));
      for (std::size_t quorum = nodes / 2 + 1; quorum <= nodes; ++quorum) {
        ballot b(nodes, quorum);
        for (std::size_t n = 0; n < nodes; ++n) {
          if (casts[n] == cast::pending) continue;
          b.cast(static_cast<node_id>(n), vote_for(casts[n]), any_answer(vote_for(casts[n])));
        }
        ASSERT_EQ(b.result(), by_looking_ahead(casts, quorum));
        for (std::size_t n = 0; n < nodes; ++n) {
          const auto id = static_cast<node_id>(n);
          ASSERT_EQ(b.pending().contains(id), casts[n] == cast::pending);
          ASSERT_EQ(b.yes().contains(id), casts[n] == cast::yes);
          ASSERT_EQ(b.no().contains(id), casts[n] == cast::no);
          ASSERT_EQ(b.faults().contains(id), casts[n] == cast::fault);
        }
      }
    }
  }
}

TEST(Ballot, NeverHasTwoWinnersAmongVotersWhoSayYesOnce) {  // G1: two quorums share a node
  for (std::size_t nodes = 1; nodes <= 7; ++nodes) {
    const std::size_t quorum = nodes / 2 + 1;
    for (exhaustive ways; ways.next();) {
      ballot ours(nodes, quorum);
      ballot theirs(nodes, quorum);
      for (std::size_t n = 0; n < nodes; ++n) {
        const bool to_us = ways.pick(2) == 0;
        const auto id = static_cast<node_id>(n);
        (to_us ? ours : theirs).cast(id, vote::yes, answer::granted);
        (to_us ? theirs : ours).cast(id, vote::no, answer::refused);
      }
      ASSERT_FALSE(ours.result() == verdict::won && theirs.result() == verdict::won);
    }
  }
}

TEST(Ballot, IsLostOnATieOfAnEvenNumberOfNodes) {  // B03: a quorum of noes never comes
  for (std::size_t nodes = 2; nodes <= 30; nodes += 2) {
    ballot b(nodes, nodes / 2 + 1);
    for (std::size_t n = 0; n < nodes; ++n) {
      ASSERT_EQ(b.result(), verdict::pending);
      const vote v = n % 2 == 0 ? vote::yes : vote::no;
      b.cast(static_cast<node_id>(n), v, any_answer(v));
    }
    EXPECT_EQ(b.result(), verdict::lost);
  }
}

TEST(Ballot, IsWonByTheQuorumOfThirtyOneNodesAndNoSooner) {
  ballot b(nodes_max, 16);
  for (node_id n = 0; n < 15; ++n) b.cast(static_cast<node_id>(30 - n), vote::yes, answer::granted);
  EXPECT_EQ(b.result(), verdict::pending);
  b.cast(0, vote::yes, answer::granted);
  EXPECT_EQ(b.result(), verdict::won);
  EXPECT_EQ(b.pending().size(), 15U);
}

TEST(Ballot, CountsTheFirstVoteOfANodeAndNoLaterOne) {  // G5
  for (exhaustive ways; ways.next();) {
    const auto first = static_cast<vote>(ways.pick(3));
    const auto second = static_cast<vote>(ways.pick(3));
    ballot once(3, 2);
    once.cast(1, first, any_answer(first));
    ballot twice = once;
    twice.cast(1, second, answer::timed_out);
    EXPECT_EQ(twice.yes(), once.yes());
    EXPECT_EQ(twice.no(), once.no());
    EXPECT_EQ(twice.faults(), once.faults());
    EXPECT_EQ(twice.pending(), once.pending());
    EXPECT_EQ(twice.said(1), any_answer(first));
  }
}

TEST(Ballot, StaysSettledWhateverStragglersSay) {
  ballot won(3, 2);
  won.cast(0, vote::yes, answer::granted);
  won.cast(1, vote::yes, answer::granted);
  won.cast(2, vote::no, answer::refused);
  EXPECT_EQ(won.result(), verdict::won);
  ballot lost(3, 2);
  lost.cast(0, vote::no, answer::refused);
  lost.cast(1, vote::fault, answer::error);
  lost.cast(2, vote::yes, answer::granted);
  EXPECT_EQ(lost.result(), verdict::lost);
}

TEST(BallotDeathTest, EndsTheProcessRatherThanCountBelowAMajority) {  // G1, B04
  EXPECT_DEATH(ballot(5, 2), "");
  EXPECT_DEATH(ballot(4, 2), "");
  EXPECT_DEATH(ballot(3, 4), "");
  EXPECT_DEATH(ballot(0, 0), "");
  EXPECT_DEATH(ballot(32, 17), "");
}

TEST(BallotDeathTest, EndsTheProcessForANodeThatIsNotOrAnAnswerThatWasNotGiven) {
  ballot b(3, 2);
  EXPECT_DEATH(b.cast(3, vote::yes, answer::granted), "");
  EXPECT_DEATH(static_cast<void>(b.said(0)), "");
}

}  // namespace
}  // namespace redlock::core
