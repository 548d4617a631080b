// What could be reached at all, and what was.

#include "sim/coverage.h"

#include <algorithm>
#include <utility>

#include "core/words.h"

namespace redlock::sim {
namespace {

using state = core::claim::state;

// The arrows of the picture in claim.h, and those that one input takes at once.
constexpr std::array<std::pair<state, state>, 29> arrows{{
    {state::idle, state::contacting},      {state::idle, state::acquiring},
    {state::idle, state::pausing},         {state::idle, state::ended},
    {state::contacting, state::acquiring}, {state::contacting, state::pausing},
    {state::contacting, state::ended},     {state::acquiring, state::pausing},
    {state::acquiring, state::held},       {state::acquiring, state::ended},
    {state::pausing, state::acquiring},    {state::pausing, state::ended},
    {state::held, state::releasing},       {state::held, state::lost},
    {state::held, state::ended},           {state::releasing, state::ended},
    {state::lost, state::ended},           {state::held, state::held},
    {state::idle, state::adopting},        {state::contacting, state::adopting},
    {state::adopting, state::held},        {state::adopting, state::ended},
    {state::idle, state::releasing},       {state::contacting, state::releasing},
    {state::idle, state::queued},          {state::queued, state::contacting},
    {state::queued, state::acquiring},     {state::queued, state::pausing},
    {state::queued, state::ended},
}};

// What a node can say to a command, and what can become of it instead.
constexpr std::array<std::pair<core::verb, answer>, 28> replies{{
    {core::verb::acquire, answer::granted},     {core::verb::acquire, answer::refused},
    {core::verb::acquire, answer::foreign},     {core::verb::acquire, answer::replica},
    {core::verb::acquire, answer::error},       {core::verb::acquire, answer::unreachable},
    {core::verb::acquire, answer::unsent},      {core::verb::renew, answer::granted},
    {core::verb::renew, answer::absent},        {core::verb::renew, answer::foreign},
    {core::verb::renew, answer::replica},       {core::verb::renew, answer::error},
    {core::verb::renew, answer::unreachable},   {core::verb::renew, answer::unsent},
    {core::verb::refill, answer::granted},      {core::verb::refill, answer::refused},
    {core::verb::refill, answer::foreign},      {core::verb::refill, answer::replica},
    {core::verb::refill, answer::error},        {core::verb::refill, answer::unreachable},
    {core::verb::refill, answer::unsent},       {core::verb::release, answer::granted},
    {core::verb::release, answer::absent},      {core::verb::release, answer::foreign},
    {core::verb::release, answer::replica},     {core::verb::release, answer::error},
    {core::verb::release, answer::unreachable}, {core::verb::release, answer::unsent},
}};

template <class A>
void add(A& sum, const A& more) noexcept {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

void append(std::string& line, std::string_view word, coverage::count n) {
  line += ' ';
  line += word;
  line += '=' + std::to_string(n);
}

}  // namespace

coverage& coverage::operator+=(const coverage& o) noexcept {
  worlds_ += o.worlds_, events_ += o.events_, stale_uses_ += o.stale_uses_;
  add(faults_, o.faults_);
  add(watched_, o.watched_);
  add(turns_, o.turns_);
  saw_free(o.free_);
  saw_overtaken(o.overtaken_);
  add(news_, o.news_);
  for (std::size_t i = 0; i < moves_.size(); ++i) add(moves_[i], o.moves_[i]);
  for (std::size_t i = 0; i < answers_.size(); ++i) add(answers_[i], o.answers_[i]);
  return *this;
}

std::string coverage::summary() const {
  std::string text = "worlds:";
  append(text, "run", worlds_);
  append(text, "events", events_);
  append(text, "uses_after_a_stale_check", stale_uses_);
  text += "\nfaults:";
  for (std::size_t i = 0; i < faults_.size(); ++i) append(text, fault_words[i], faults_[i]);
  text += "\nguards:";
  for (std::size_t i = 0; i < watched_.size(); ++i) append(text, watched_words[i], watched_[i]);
  text += "\nturns:";
  for (std::size_t i = 0; i < turns_.size(); ++i) append(text, turn_words[i], turns_[i]);
  append(text, "longest_free_us", static_cast<count>(free_ / 1'000));
  append(text, "most_overtaken", overtaken_);
  text += "\nnews:";
  for (std::size_t i = 1; i < news_.size(); ++i) append(text, core::news_words[i], news_[i]);
  text += "\nmoves:";
  for (const auto& [from, to] : arrows) {
    append(text, std::string(word(from)) + "->" + std::string(word(to)),
           moves_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)]);
  }
  for (std::size_t v = 0; v < answers_.size(); ++v) {
    text += "\n" + std::string(core::verb_words[v]) + ":";
    for (std::size_t a = 0; a < answers_[v].size(); ++a) {
      if (answers_[v][a] != 0) append(text, answer_words[a], answers_[v][a]);
    }
  }
  text += "\nnever reached:";
  const auto absent = missing();
  if (absent.empty()) text += " nothing";
  for (const std::string& what : absent) text += "\n  " + what;
  return text + "\n";
}

std::vector<std::string> coverage::missing() const {
  std::vector<std::string> none;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (faults_[i] == 0) none.push_back("fault " + std::string(fault_words[i]));
  }
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (watched_[i] == 0) none.push_back("guard " + std::string(watched_words[i]));
  }
  for (std::size_t i = 0; i < turns_.size(); ++i) {
    if (turns_[i] == 0) none.push_back("turn " + std::string(turn_words[i]));
  }
  for (std::size_t i = 1; i < news_.size(); ++i) {
    if (news_[i] == 0) none.push_back("news " + std::string(core::news_words[i]));
  }
  for (const auto& [from, to] : arrows) {
    if (moves_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] != 0) continue;
    none.push_back("move " + std::string(word(from)) + " -> " + std::string(word(to)));
  }
  for (const auto& [v, a] : replies) {
    if (answers_[static_cast<std::size_t>(v)][static_cast<std::size_t>(a)] != 0) continue;
    none.push_back("answer " + std::string(word(a)) + " to " + std::string(core::word(v)));
  }
  return none;
}

}  // namespace redlock::sim
