// The model master against a real server: the same random calls of the scripts, time passing
// between them, must be answered alike, leave the same key and the same queue, and tell the same
// waiters that it is their turn.
//
// No clock is waited for. TTLs are whole hours, and time passes by taking hours off what is left of
// the key; the minutes that the test takes never make an hour. What is left of places is set anew,
// as the model has it, in one transaction with the call and with the look at what it left.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/lead.h"
#include "io/scripts.h"
#include "io/wire.h"
#include "sim/chance.h"
#include "sim/model_master.h"
#include "sim/real_master.h"

namespace redlock::sim {
namespace {

constexpr std::uint64_t sequences = 2'000;
constexpr int calls_each = 24;
constexpr ns hour = 3'600'000 * ms;
constexpr ns window = 300 * ms;
constexpr std::int64_t tolerance_ms = 50;  // of what is left of a place; shorter than all steps

// A whole number of hours, rounded up: what the test compares of a TTL.
std::int64_t hours(ns left) { return (left + hour - 1) / hour; }

std::string name_of(const core::base& who) { return "b" + std::to_string(who[0]); }
std::string channel_of(channel_id c) { return "c" + std::to_string(c); }
std::string token_of(const token& t) {
  return name_of(t.who) + "." + std::to_string(t.attempt) + "@somebody";
}

// One key in both worlds.
class twins {
 public:
  twins(real_master& real, listener& heard, std::string key)
      : real_(real), heard_(heard), key_(std::move(key)), queue_("redlock-queue:" + key_) {}

  // A call of a script. `c` lacks what all calls have in common.
  void call(model_call c) {
    c.window = window;
    c.listening = listening;
    const auto life = c.listens ? core::place_life_told : core::place_life_untold;
    c.life = core::nanoseconds{life}.count();
    const std::string base = name_of(c.who);
    const std::string channel = channel_of(c.channel);
    const std::string token = token_of({c.who, c.attempt});
    const std::string released = c.released ? token_of(*c.released) : "";
    const auto real = real_.call({.what = io::script_of(c.what),
                                  .key = key_,
                                  .token = token,
                                  .ttl = core::milliseconds{c.ttl / ms},
                                  .base = base,
                                  .attempt = c.attempt,
                                  .queueing = c.queue,
                                  .queue = queue_,
                                  .channel = channel,
                                  .listens = c.listens,
                                  .released = released,
                                  .window = core::milliseconds{window / ms}},
                                 places());
    const model_reply model = model_.run(c, now_, false, {});
    story_ += " " + std::to_string(static_cast<int>(c.what)) + ":" + token + "/" +
              std::to_string(c.ttl / hour) + "h";
    if (!released.empty()) story_ += " for " + released;
    if (c.queue != core::queueing::none) {
      story_ += " queue " + std::to_string(static_cast<int>(c.queue)) + " on " + channel +
                (c.listens ? ", listens" : "");
    }
    const io::node_reply& said = real.reply;
    EXPECT_EQ(name(said.answer), name(model.said)) << story_;
    EXPECT_EQ(hours(core::nanoseconds{said.key_left}.count()), hours(model.key_left)) << story_;
    EXPECT_EQ(said.queued, model.queued) << story_;
    EXPECT_EQ(said.waiting, model.waiting) << story_;
    expect_the_same_places(real.places);
    std::vector<std::string> told;
    if (model.woken) {
      told.push_back(channel_of(model.woken->channel) + ": " + name_of(model.woken->who) + " " +
                     (model.woken->released ? token_of(*model.woken->released) : "") + " " + key_);
    }
    EXPECT_EQ(heard_.messages(), told) << story_;
  }

  // The clock of the node goes on, or back, by a moment in the life of places.
  void pass_for_places(std::int64_t span_ms) {
    story_ += " +" + std::to_string(span_ms) + "ms";
    model_.queue().age(span_ms);
  }

  // `span` is whole hours.
  void pass(ns span) {
    story_ += " +" + std::to_string(span / hour) + "h";
    now_ += span;
    const reply_ptr left = real_.command({"PTTL", key_});
    if (left->integer < 0) return;
    const std::int64_t rest = left->integer - span / ms;
    if (rest <= 0) {
      static_cast<void>(real_.command({"DEL", key_}));
    } else {
      static_cast<void>(real_.command({"PEXPIRE", key_, std::to_string(rest)}));
    }
  }

  // Another program does something to the key.
  void meddle(chance& c) {
    switch (c.upto(4)) {
      case 0:
        story_ += " del";
        static_cast<void>(real_.command({"DEL", key_}));
        model_.forget();
        break;
      case 1:
        put({.what = stored::kind::string, .who = {}, .expires = {}}, {"SET", key_, "stranger"});
        break;
      case 2:
        put({.what = stored::kind::string, .who = {}, .expires = now_ + 2 * hour},
            {"SET", key_, c.of_1000(500) ? "b1" : "", "PX", std::to_string(2 * hour / ms)});
        break;
      case 3:
        put({.what = stored::kind::other_type, .who = {}, .expires = {}},
            {"HSET", key_, "field", "value"});
        break;
      case 4:
        persist();
        break;
    }
  }

  void expect_the_same_key() {
    const stored* s = model_.look(now_);
    const reply_ptr type = real_.command({"TYPE", key_});
    const reply_ptr left = real_.command({"PTTL", key_});
    if (s == nullptr) {
      EXPECT_EQ(io::text_of(*type), "none") << story_;
      return;
    }
    const bool hash = s->what == stored::kind::other_type;
    ASSERT_EQ(io::text_of(*type), hash ? "hash" : "string") << story_;
    if (s->expires) {
      EXPECT_EQ(hours(left->integer * ms), hours(*s->expires - now_)) << story_;
    } else {
      EXPECT_EQ(left->integer, -1) << story_;
    }
    if (s->what != stored::kind::ours) return;
    const reply_ptr value = real_.command({"GET", key_});
    EXPECT_EQ(io::text_of(*value),
              "b" + std::to_string(s->who[0]) + "." + std::to_string(s->attempt) + "@somebody")
        << story_;
  }

 private:
  void put(const stored& s, std::initializer_list<std::string_view> words) {
    story_ += " put";
    static_cast<void>(real_.command({"DEL", key_}));
    static_cast<void>(real_.command(words));
    model_.put(s);
  }

  // As tell_left tells them.
  [[nodiscard]] std::vector<std::string> places() const {
    std::vector<std::string> all;
    for (const model_queue::place& p : model_.queue().places()) {
      all.push_back(name_of(p.who) + " " + (p.channel ? channel_of(*p.channel) : ""));
      all.push_back(std::to_string(p.until - now_ / ms));
    }
    return all;
  }

  void expect_the_same_places(const std::vector<std::string>& real) {
    const std::vector<std::string> model = places();
    ASSERT_EQ(real.size(), model.size()) << story_;
    for (std::size_t i = 0; i < real.size(); i += 2) {
      EXPECT_EQ(real[i], model[i]) << story_;
      EXPECT_NEAR(std::stod(real[i + 1]), std::stod(model[i + 1]), tolerance_ms) << story_;
    }
  }

  void persist() {
    story_ += " persist";
    static_cast<void>(real_.command({"PERSIST", key_}));
    const stored* s = model_.look(now_);
    if (s == nullptr) return;
    stored forever = *s;
    forever.expires.reset();
    model_.put(forever);
  }

  real_master& real_;
  listener& heard_;
  const std::string key_, queue_;
  model_master model_;
  ns now_ = 0;
  std::string story_;
};

// A call of one of a few operations, each of a process of its own.
model_call drawn(chance& c) {
  const auto who = static_cast<std::uint64_t>(c.between(1, 4));
  model_call call{.what = static_cast<core::verb>(c.upto(3)),
                  .who = {who, 0},
                  .attempt = static_cast<core::attempt_id>(c.between(9, 11)),
                  .ttl = c.between(1, 6) * hour};
  call.channel = static_cast<channel_id>(who % 3);
  call.listens = c.of_1000(700);
  if (c.of_1000(700)) {
    if (call.what == core::verb::acquire) {
      call.queue = c.of_1000(250) ? core::queueing::look : core::queueing::join;
    }
    if (call.what == core::verb::release) {
      call.queue = c.of_1000(500) ? core::queueing::look : core::queueing::leave;
    }
  }
  if (call.what == core::verb::acquire && c.of_1000(400)) {
    call.released = token{{static_cast<std::uint64_t>(c.between(1, 4)), 0},
                          static_cast<core::attempt_id>(c.between(9, 11))};
  }
  return call;
}

TEST(the_model_of_a_master, answers_like_a_real_one) {
  real_master real;
  listener heard(real.port());
  for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
    chance c(seed);
    twins both(real, heard, "redlock:" + std::to_string(seed));
    for (int i = 0; i < calls_each; ++i) {
      if (c.of_1000(80)) both.meddle(c);
      if (c.of_1000(100)) both.pass(c.between(1, 4) * hour);
      if (c.of_1000(200)) both.pass_for_places(c.of_1000(700) ? 700 : 1'700);
      if (c.of_1000(30)) both.pass_for_places(-7'000);
      both.call(drawn(c));
      both.expect_the_same_key();
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace redlock::sim
