// real_master: a server, spoken to in the library's own words, and what it publishes: the other
// half of differential_test.cc.

#ifndef REDLOCK_TESTS_SIM_REAL_MASTER_H
#define REDLOCK_TESTS_SIM_REAL_MASTER_H

#include <hiredis/hiredis.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/scripts.h"
#include "io/wire.h"
#include "live/redis_server.h"
#include "sim/model_queue.h"

namespace redlock::sim {

// Processes 0 and 2 hear what is published on their channels, process 1 does not.
inline constexpr hearers listening = 0b101;

// What is left of each place, in ms: KEYS[1] the queue; ARGV name, ms-left, name, ms-left, …
inline constexpr const char* set_left = R"lua(
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
for i = 1, #ARGV, 2 do
  redis.call('ZADD', KEYS[1], 'XX', 10000000000000 + ms + ARGV[i + 1], '@' .. ARGV[i])
end
return 'done')lua";
// The places in order, and what is left of them.
inline constexpr const char* tell_left = R"lua(
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local said = {}
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(10000000000000')) do
  said[#said + 1] = name
  local until_ms = redis.call('ZSCORE', KEYS[1], '@' .. name)
  said[#said + 1] = string.format('%.0f', until_ms - 10000000000000 - ms)
end
return said)lua";

struct context_closer {
  void operator()(redisContext* c) const noexcept { redisFree(c); }
};
struct reply_freer {
  void operator()(redisReply* r) const noexcept { freeReplyObject(r); }
};
using reply_ptr = std::unique_ptr<redisReply, reply_freer>;

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

  // With what is left of the places of the queue before, and after.
  struct answered {
    io::node_reply reply;
    std::vector<std::string> places;
  };
  answered call(const io::script_call& call, const std::vector<std::string>& places) {
    std::string bytes;
    io::append_command(bytes, {"MULTI"});
    append_eval(bytes, set_left, call.queue, places);
    io::append_call(bytes, call, {}, ++number_);
    append_eval(bytes, tell_left, call.queue, {});
    io::append_command(bytes, {"EXEC"});
    for (int i = 0; i < 5; ++i) last_ = exchange(std::exchange(bytes, {}));
    if (last_->type != REDIS_REPLY_ARRAY || last_->elements != 3) {
      throw std::runtime_error("no transaction: " + std::string(io::text_of(*last_)));
    }
    const redisReply& said = *last_->element[1];
    const auto read = io::read_reply(call.what, call.queueing, number_, said);
    if (!read)
      throw std::runtime_error("no reply of that script: " + std::string(io::text_of(said)));
    answered all{*read, {}};
    const redisReply& left = *last_->element[2];
    for (std::size_t i = 0; i < left.elements; ++i) {
      all.places.emplace_back(io::text_of(*left.element[i]));
    }
    return all;
  }

  [[nodiscard]] auto port() const { return server_.port(); }

 private:
  static void append_eval(std::string& bytes, std::string_view text, std::string_view key,
                          const std::vector<std::string>& rest) {
    std::vector<std::string_view> words{"EVAL", text, "1", key};
    words.insert(words.end(), rest.begin(), rest.end());
    io::append_command(bytes, words);
  }

  reply_ptr exchange(const std::string& bytes) {
    void* reply = nullptr;
    const bool more = !bytes.empty();
    if ((more &&
         redisAppendFormattedCommand(context_.get(), bytes.data(), bytes.size()) != REDIS_OK) ||
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

// Hears what is published for those who listen.
class listener {
 public:
  explicit listener(std::uint16_t port) : context_(redisConnect("127.0.0.1", port)) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("no connection");
    for (channel_id c = 0; c < 3; ++c) {
      if ((listening >> c & 1U) == 0) continue;
      const std::string channel = "redlock-wake:c" + std::to_string(c);
      const reply_ptr done(
          static_cast<redisReply*>(redisCommand(context_.get(), "SUBSCRIBE %s", channel.c_str())));
    }
  }

  // All that has come by now, each as "channel: base released key".
  std::vector<std::string> messages() {
    std::vector<std::string> all;
    if (redisAppendCommand(context_.get(), "PING") != REDIS_OK) throw std::runtime_error("no PING");
    for (;;) {
      void* next = nullptr;
      if (redisGetReply(context_.get(), &next) != REDIS_OK) throw std::runtime_error("no reply");
      const reply_ptr reply(static_cast<redisReply*>(next));
      if (reply->elements != 3) return all;  // to the PING
      const auto turn = io::read_turn(io::text_of(*reply->element[2]));
      const std::string channel(io::text_of(*reply->element[1]));
      all.push_back(channel.substr(channel.find(':') + 1) + ": " +
                    (turn ? std::string(turn->base) + " " + std::string(turn->released) + " " +
                                std::string(turn->key)
                          : "what is no turn"));
    }
  }

 private:
  std::unique_ptr<redisContext, context_closer> context_;
};

}  // namespace redlock::sim

#endif  // REDLOCK_TESTS_SIM_REAL_MASTER_H
