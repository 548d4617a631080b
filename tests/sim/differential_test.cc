// The model master against a real server: the same random calls of the scripts, time passing
// between them, must be answered alike and leave the same key.
//
// No clock is waited for. TTLs are whole hours, and time passes by taking hours off what is left of
// the key; the minutes that the test takes never make an hour.

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>

#include <memory>
#include <string>
#include <vector>

#include "io/scripts.h"
#include "io/wire.h"
#include "live/redis_server.h"
#include "sim/chance.h"
#include "sim/model_master.h"

namespace redlock::sim {
namespace {

constexpr std::uint64_t sequences = 2'000;
constexpr int calls_each = 24;
constexpr ns hour = 3'600'000 * ms;

struct context_closer {
  void operator()(redisContext* c) const noexcept { redisFree(c); }
};
struct reply_freer {
  void operator()(redisReply* r) const noexcept { freeReplyObject(r); }
};
using reply_ptr = std::unique_ptr<redisReply, reply_freer>;

// A whole number of hours, rounded up: what the test compares of a TTL.
std::int64_t hours(ns left) { return (left + hour - 1) / hour; }

// A real master, spoken to in the library's own words.
class real_master {
 public:
  real_master() : context_(redisConnect("127.0.0.1", server_.port())) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("no connection");
  }

  reply_ptr command(std::initializer_list<std::string_view> words) {
    std::string bytes;
    io::append_command(bytes, words);
    return exchange(bytes);
  }

  io::node_reply call(const io::script_call& call) {
    std::string bytes;
    io::append_call(bytes, call, {}, ++number_);
    last_ = exchange(bytes);
    const auto read = io::read_reply(call.what, number_, *last_);
    if (!read) throw std::runtime_error("no reply of that script: " + std::string(text()));
    return *read;
  }

  [[nodiscard]] std::string_view text() const { return io::text_of(*last_); }

 private:
  reply_ptr exchange(const std::string& bytes) {
    void* reply = nullptr;
    if (redisAppendFormattedCommand(context_.get(), bytes.data(), bytes.size()) != REDIS_OK ||
        redisGetReply(context_.get(), &reply) != REDIS_OK) {
      throw std::runtime_error("no reply");
    }
    return reply_ptr(static_cast<redisReply*>(reply));
  }

  live::redis_server server_;
  std::unique_ptr<redisContext, context_closer> context_;
  std::uint64_t number_ = 0;
  reply_ptr last_;
};

// One key in both worlds.
class twins {
 public:
  twins(real_master& real, std::string key) : real_(real), key_(std::move(key)) {}

  // One of `bases` operations calls a script.
  void call(core::verb what, std::uint64_t who, core::attempt_id attempt, ns ttl) {
    const std::string base = "b" + std::to_string(who);
    const std::string token = base + "." + std::to_string(attempt) + "@somebody";
    const io::node_reply real = real_.call({.what = io::script_of(what),
                                            .key = key_,
                                            .token = token,
                                            .ttl = core::milliseconds{ttl / ms},
                                            .base = base,
                                            .attempt = attempt});
    const model_reply model = model_.run(what, {who, 0}, attempt, ttl, now_, false, {});
    story_ += std::string(" ") + std::to_string(static_cast<int>(what)) + ":" + token + "/" +
              std::to_string(ttl / hour) + "h";
    EXPECT_EQ(name(real.answer), name(model.said)) << story_;
    EXPECT_EQ(hours(core::nanoseconds{real.key_left}.count()), hours(model.key_left)) << story_;
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
            {"SET", key_, "b1", "PX", std::to_string(2 * hour / ms)});
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
  const std::string key_;
  model_master model_;
  ns now_ = 0;
  std::string story_;
};

TEST(the_model_of_a_master, answers_like_a_real_one) {
  real_master real;
  for (std::uint64_t seed = 1; seed <= sequences; ++seed) {
    chance c(seed);
    twins both(real, "redlock:" + std::to_string(seed));
    for (int i = 0; i < calls_each; ++i) {
      if (c.of_1000(80)) both.meddle(c);
      if (c.of_1000(250)) both.pass(c.between(1, 4) * hour);
      both.call(static_cast<core::verb>(c.upto(3)), static_cast<std::uint64_t>(c.between(1, 2)),
                static_cast<core::attempt_id>(c.between(9, 11)), c.between(1, 6) * hour);
      both.expect_the_same_key();
    }
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace redlock::sim
