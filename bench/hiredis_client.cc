// hiredis' callbacks.

#include "bench/hiredis_client.h"

#include <hiredis/adapters/libuv.h>
#include <hiredis/async.h>
#include <hiredis/hiredis.h>
#include <uv.h>

#include <bit>
#include <stdexcept>
#include <string_view>

namespace redlock::bench {

hiredis_client::hiredis_client(live::masters& nodes, std::size_t quorum)
    : quorum_client(nodes, quorum, "hiredis"), loop_(std::make_unique<uv_loop_t>()) {
  uv_loop_init(loop_.get());
  for (const live::redis_server& node : nodes) {
    redisAsyncContext* c = redisAsyncConnect("127.0.0.1", node.port());
    if (c == nullptr || c->err != 0) throw std::runtime_error("hiredis does not connect");
    c->data = this;
    redisLibuvAttach(c, loop_.get());
    connections_.push_back(c);
  }
}

hiredis_client::~hiredis_client() {
  // What is still waiting hears of it, with no reply.
  for (redisAsyncContext* c : connections_) {
    c->data = nullptr;
    redisAsyncFree(c);
  }
  uv_run(loop_.get(), UV_RUN_DEFAULT);
  uv_loop_close(loop_.get());
}

void hiredis_client::queue(std::size_t node, std::string_view bytes, tag whose) {
  static_assert(sizeof(tag) == sizeof(void*));
  const auto on_answer = [](redisAsyncContext* c, void* answer, void* whom) {
    auto* self = static_cast<hiredis_client*>(c->data);
    if (self == nullptr || answer == nullptr) return;
    const auto* reply = static_cast<redisReply*>(answer);
    bool yes = false;
    if (reply->type == REDIS_REPLY_ARRAY && reply->elements > 0) {
      const std::string_view word = reply->element[0]->str;
      yes = word == "acquired" || word == "deleted";
    }
    self->on_reply(std::bit_cast<tag>(whom), yes);
  };
  redisAsyncFormattedCommand(connections_[node], on_answer, std::bit_cast<void*>(whose),
                             bytes.data(), bytes.size());
}

void hiredis_client::turn() { uv_run(loop_.get(), UV_RUN_ONCE); }

}  // namespace redlock::bench
