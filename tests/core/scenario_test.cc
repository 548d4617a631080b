// Runs tests/scenarios/*.txt: a claim as a conversation. A scenario is a list of blocks: what is
// said to the claim, a line of dashes, what comes of it. Lines that begin with # tell the story.
//
//   claim nodes=3 up=0,1 fresh=2 ttl=1000 …   makes the claim; times are in milliseconds
//   acquire | cancel | renew | release        the user
//   adopt 7 | take back 7 | detach            the user, of a token whose attempt is 7
//   signalled                                 the owner has been told of the loss
//   expired                                   the owner saw the validity end first
//   answer 0 1 granted                        nodes 0 and 1 answer the oldest command they owe
//   answer 2 refused left=300                 … and 300 ms are left of the other's key
//   write 2                                   the driver comes to write what waits for node 2
//   cut 2                                     the connection breaks, with all that was on it
//   nodes up=0,2 fresh=1 denied=3 guarded=2   what is known of the nodes
//   step 1                                    the clock of node 1 goes forward; it is guarded then
//   pass 50                                   time, with every wake-up on its way
//   stand still 50                            time, with none before its end
//   skip 50                                   time, without any
//
// After a change in behaviour, run with REDLOCK_REWRITE=1 and read the diff; commit it only if you
// can say why each line changed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/conversation.h"
#include "core/words.h"

namespace redlock::core {
namespace {

std::string in_ms(nanoseconds t) {
  if (t == nanoseconds::max()) return "never";
  std::string text = std::to_string(t / 1ms);
  if (const auto rest = t % 1ms / 1us; rest != 0) {
    text += '.' + std::string(rest < 10 ? "00" : rest < 100 ? "0" : "") + std::to_string(rest);
  }
  return text;
}

node_set nodes_in(const std::string& list) {
  node_set s;
  std::istringstream in(list);
  for (std::string n; std::getline(in, n, ',');) s.insert(static_cast<node_id>(std::stoi(n)));
  return s;
}

// What was said, taken apart: "answer 0 1 refused left=300".
struct sentence {
  explicit sentence(const std::string& line) {
    std::istringstream in(line);
    in >> verb;
    for (std::string w; in >> w;) {
      if (const auto eq = w.find('='); eq != std::string::npos) {
        named[w.substr(0, eq)] = w.substr(eq + 1);
      } else if (std::isdigit(static_cast<unsigned char>(w[0])) != 0) {
        numbers.push_back(std::stol(w));
      } else {
        word = w;
      }
    }
  }
  [[nodiscard]] long number(const char* name, long otherwise) const {
    const auto it = named.find(name);
    return it == named.end() ? otherwise : std::stol(it->second);
  }
  [[nodiscard]] milliseconds time(const char* name, long otherwise) const {
    return milliseconds{number(name, otherwise)};
  }

  std::string verb;
  std::vector<long> numbers;
  std::string word;
  std::map<std::string, std::string> named;
};

class scenario {
 public:
  std::string say(const std::string& line) {
    const sentence s(line);
    heard_.str("");
    if (s.verb == "claim") return make(s);
    if (!talk_) return "there is no claim yet\n";
    if (!obey(s)) return "not understood\n";
    return heard_.str().empty() ? "nothing\n" : heard_.str();
  }

 private:
  std::string make(const sentence& s) {
    terms t;
    t.nodes = static_cast<std::size_t>(s.number("nodes", 3));
    t.quorum = static_cast<std::size_t>(s.number("quorum", static_cast<long>(t.nodes / 2 + 1)));
    t.node_timeout = s.time("timeout", 50);
    t.connect_timeout = s.time("connect", 1000);
    t.ttl = s.time("ttl", 1000);
    t.wait = s.named.contains("wait") && s.named.at("wait") == "forever" ? wait_forever
                                                                         : s.time("wait", 0);
    t.max_attempts = static_cast<std::uint32_t>(s.number("attempts", 0));
    t.retry = {retry_policy::fixed, s.time("pause", 20), s.time("pause", 20)};
    if (s.named.contains("policy")) t.retry = {retry_policy::hybrid, 20ms, 250ms};
    t.renew_every = s.time("renew", 0);
    t.max_hold = s.time("max_hold", 0);
    t.min_validity = s.time("min_validity", 1);
    t.stop_margin = s.time("margin", 0);
    talk_ = std::make_unique<conversation>(t, known(s, node_set::first(t.nodes)));
    talk_->listen = [this] { hear(); };
    before_.clear();
    return "ready\n";
  }

  static reach known(const sentence& s, node_set otherwise) {
    const auto set = [&](const char* name, node_set or_else) {
      const auto it = s.named.find(name);
      return it == s.named.end() ? or_else : nodes_in(it->second);
    };
    return {.up = set("up", otherwise),
            .fresh = set("fresh", {}),
            .denied = set("denied", {}),
            .guarded = set("guarded", {})};
  }

  bool obey(const sentence& s) {
    conversation& t = *talk_;
    if (s.verb == "acquire") return t.acquire(), true;
    if (s.verb == "cancel") return t.cancel(), true;
    if (s.verb == "renew") return t.renew(), true;
    if (s.verb == "adopt") return t.adopt(static_cast<attempt_id>(s.numbers.at(0))), true;
    if (s.verb == "take") return t.take_back(static_cast<attempt_id>(s.numbers.at(0))), true;
    if (s.verb == "detach") return t.detach(), true;
    if (s.verb == "release") return t.release(), true;
    if (s.verb == "signalled") return t.signalled(), true;
    if (s.verb == "expired") return t.expired(), true;
    if (s.verb == "nodes") return t.set_reach(known(s, {})), true;
    if (s.verb == "pass") return t.pass(milliseconds{s.numbers.at(0)}), true;
    if (s.verb == "stand") return t.stand_still(milliseconds{s.numbers.at(0)}), true;
    if (s.verb == "skip") return t.skip(milliseconds{s.numbers.at(0)}), true;
    for (const long number : s.numbers) {
      const auto n = static_cast<node_id>(number);
      if (s.verb == "write") {
        write(n);
      } else if (s.verb == "cut") {
        t.cut(n);
      } else if (s.verb == "step") {
        t.step(n);
      } else if (s.verb == "answer") {
        const auto it = std::ranges::find(answer_words, s.word);
        if (it == answer_words.end()) return false;
        t.answer(n, static_cast<answer>(it - answer_words.begin()), s.time("left", 0));
      } else {
        return false;
      }
    }
    return !s.numbers.empty();
  }

  void write(node_id n) {
    const std::deque<command> before = talk_->unanswered(n);
    talk_->write(n);
    for (const command& c : before) {
      const auto same = [&](const command& o) { return o.what == c.what && o.round == c.round; };
      const bool kept = std::ranges::any_of(talk_->unanswered(n), same);
      heard_ << "  " << word(c.what) << " #" << c.attempt << (kept ? " is" : " is not")
             << " written to " << int{n} << '\n';
    }
  }

  // Writes down what the claim says, unless it says nothing and is as it was.
  void hear() {
    const conversation& t = *talk_;
    std::ostringstream state;
    state << word(t.where());
    if (t.where() == claim::state::held) {
      state << " until " << in_ms(t.valid_until()) << " on " << t.claim().nodes_held()
            << (t.claim().nodes_held() == 1 ? " node" : " nodes");
    }
    if (t.claim().finished()) state << ", finished";
    if (t.claim().wake() != never) state << ", wakes at " << in_ms(t.wakes_at());
    if (state.str() == before_ && t.told() == news::none && t.sent().empty()) return;
    before_ = state.str();
    heard_ << in_ms(t.clock()) << " ms: " << before_ << '\n';
    if (t.told() != news::none) heard_ << "  tells: " << word(t.told()) << because() << '\n';
    hear_commands();
  }

  std::string because() const {
    const conversation& t = *talk_;
    const news n = t.told();
    if (n != news::gave_up && n != news::renew_failed && n != news::lost) return {};
    std::ostringstream text;
    const ballot& b = t.claim().votes();
    text << " (" << word(t.claim().why()) << "; " << b.yes().size() << " yes, " << b.no().size()
         << " no, " << b.faults().size() << " faults)";
    return text.str();
  }

  void hear_commands() {
    const auto sent = talk_->sent();
    for (std::size_t i = 0; i < sent.size();) {
      const command& c = sent[i];
      heard_ << "  " << word(c.what) << " #" << c.attempt;
      if (c.ttl > 0ms) heard_ << " for " << c.ttl.count();
      heard_ << " to";
      const auto alike = [&](const command& o) {
        return o.what == c.what && o.attempt == c.attempt && o.ttl == c.ttl;
      };
      for (; i < sent.size() && alike(sent[i]); ++i) heard_ << ' ' << int{sent[i].node};
      heard_ << '\n';
    }
  }

  std::unique_ptr<conversation> talk_;
  std::ostringstream heard_;
  std::string before_;
};

bool rewriting() { return std::getenv("REDLOCK_REWRITE") != nullptr; }

void run(const std::filesystem::path& path) {
  std::ifstream in(path);
  ASSERT_TRUE(in) << path;
  std::ostringstream rewritten;
  scenario told;
  int said = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() || !rewritten.str().ends_with("\n\n")) rewritten << line << '\n';
    if (line.empty() || line[0] == '#') continue;
    ++said;
    std::string want;
    std::string next;
    const bool has_answer = in.peek() == '-' && std::getline(in, next);
    if (has_answer) {
      for (std::string l; std::getline(in, l) && !l.empty();) want += l + '\n';
    }
    const std::string got = told.say(line);
    if (!rewriting()) {
      EXPECT_EQ(got, want) << path.filename() << ", after: " << line;
    }
    rewritten << "----\n" << got << '\n';
  }
  EXPECT_GT(said, 0) << "an empty story";
  in.close();
  if (!rewriting()) return;
  std::string text = rewritten.str();
  while (text.ends_with("\n\n")) text.pop_back();
  std::ofstream(path) << text;
}

std::vector<std::filesystem::path> all() {
  std::vector<std::filesystem::path> files;
  for (const auto& e : std::filesystem::directory_iterator(REDLOCK_SCENARIOS)) {
    if (e.path().extension() == ".txt") files.push_back(e.path());
  }
  std::ranges::sort(files);
  return files;
}

class Scenario : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Scenario, ReadsAsWritten) { run(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Core, Scenario, testing::ValuesIn(all()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace redlock::core
