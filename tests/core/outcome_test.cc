// outcome: what each answer is worth, and the order of reasons.

#include "core/outcome.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

#include "core/words.h"
#include "exhaustive.h"

namespace redlock::core {
namespace {

// What each answer is worth, one line each.
enum class kind : std::uint8_t { yes, refusal, passing_fault, lasting_fault };
struct meaning {
  answer a;
  kind of;
};
constexpr std::array<meaning, 12> meanings{{
    {answer::granted, kind::yes},
    {answer::refused, kind::refusal},
    {answer::absent, kind::refusal},
    {answer::foreign, kind::refusal},
    {answer::guarded, kind::passing_fault},
    {answer::duplicate, kind::lasting_fault},
    {answer::replica, kind::passing_fault},
    {answer::denied, kind::lasting_fault},
    {answer::error, kind::passing_fault},
    {answer::timed_out, kind::passing_fault},
    {answer::unreachable, kind::passing_fault},
    {answer::unsent, kind::passing_fault},
}};

// nullopt: the node has not been heard.
using answers = std::vector<std::optional<meaning>>;

ballot filled(const answers& heard, std::size_t quorum) {
  ballot b(heard.size(), quorum);
  for (std::size_t n = 0; n < heard.size(); ++n) {
    if (heard[n]) b.cast(static_cast<node_id>(n), vote_of(heard[n]->a), heard[n]->a);
  }
  return b;
}

// A second opinion, asked as questions: had all nodes but these said yes, would it be a quorum?
errc by_asking(const answers& heard, std::size_t quorum) {
  const auto quorum_without = [&](auto&& left_out) {
    std::size_t others = 0;
    for (const auto& h : heard) {
      if (!h || !left_out(h->of)) ++others;
    }
    return others >= quorum;
  };
  if (!quorum_without([](kind k) { return k == kind::lasting_fault; })) {
    return errc::bad_configuration;
  }
  if (!quorum_without(
          [](kind k) { return k == kind::lasting_fault || k == kind::passing_fault; })) {
    return errc::no_quorum;
  }
  return errc::held_by_other;
}

std::size_t check_every_quorum(const answers& heard) {
  std::size_t lost = 0;
  for (std::size_t quorum = heard.size() / 2 + 1; quorum <= heard.size(); ++quorum) {
    const ballot b = filled(heard, quorum);
    if (b.result() != verdict::lost) continue;
    ++lost;
    EXPECT_EQ(reason(b), by_asking(heard, quorum));
  }
  return lost;
}

std::optional<meaning> any_meaning(exhaustive& ways, std::size_t from = 0) {
  const std::size_t i = from + ways.pick(meanings.size() + 1 - from);
  if (i == meanings.size()) return {};
  return meanings[i];
}

TEST(Outcome, OnlyGrantedIsAYes) {  // G5
  for (const meaning& m : meanings) {
    const vote expected = m.of == kind::yes       ? vote::yes
                          : m.of == kind::refusal ? vote::no
                                                  : vote::fault;
    EXPECT_EQ(vote_of(m.a), expected) << static_cast<int>(m.a);
  }
}

TEST(Outcome, ANumberThatIsNoAnswerIsNoVote) {  // G5
  EXPECT_EQ(vote_of(static_cast<answer>(200)), vote::fault);
  EXPECT_EQ(vote_of_release(static_cast<answer>(200)), vote::fault);
}

TEST(Outcome, AKeyThatIsGoneOrAnothersIsReleasedAsWellAsADeletedOne) {  // R4, B60
  for (const meaning& m : meanings) {
    const bool final = m.of == kind::yes || m.of == kind::refusal;
    EXPECT_EQ(vote_of_release(m.a), final ? vote::yes : vote::fault) << static_cast<int>(m.a);
  }
}

TEST(Outcome, OnlyAnOperatorEndsALastingFault) {
  for (const meaning& m : meanings) {
    EXPECT_EQ(is_permanent(m.a), m.of == kind::lasting_fault) << static_cast<int>(m.a);
  }
}

TEST(Outcome, GivesTheReasonOfDesignForEveryAnswerOfUpToFourNodes) {
  std::size_t lost = 0;
  for (exhaustive ways; ways.next();) {
    answers heard(1 + ways.pick(4));
    for (auto& h : heard) h = any_meaning(ways);
    lost += check_every_quorum(heard);
  }
  EXPECT_GT(lost, 10'000U);
}

TEST(Outcome, GivesTheReasonOfDesignForEveryMixOfAnswersOfFiveNodes) {
  std::size_t lost = 0;
  for (exhaustive ways; ways.next();) {
    answers heard;  // in ascending order: who said what does not matter, as the test above shows
    std::size_t least = 0;
    for (int n = 0; n < 5; ++n) {
      heard.push_back(any_meaning(ways, least));
      if (!heard.back()) {
        least = meanings.size();
      } else {
        while (meanings[least].a != heard.back()->a) ++least;
      }
    }
    lost += check_every_quorum(heard);
  }
  EXPECT_GT(lost, 5'000U);
}

TEST(Outcome, OneDeadNodeOfFiveAndAHeldLockIsHeldByOther) {
  ballot b(5, 3);
  b.cast(0, vote::fault, answer::unreachable);
  for (node_id n = 1; n <= 3; ++n) b.cast(n, vote::no, answer::refused);
  EXPECT_EQ(reason(b), errc::held_by_other);
}

TEST(OutcomeDeathTest, HasNoReasonForAVoteThatIsNotLost) {
  EXPECT_DEATH(static_cast<void>(reason(ballot(3, 2))), "");
}

}  // namespace
}  // namespace redlock::core
