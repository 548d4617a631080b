// The limits, and the parser behind them.

#include "io/reader.h"

#include <hiredis/hiredis.h>

#include "core/check.h"

namespace redlock::io {
namespace {

// Of a reply that is not complete yet. A reply of ours has a few hundred bytes.
constexpr std::size_t bytes_max = std::size_t{1} << 20;

// Flat arrays of at most so many elements: our scripts answer with 5, CONFIG GET with a dozen.
// Without a limit the parser makes room for as many as the server announces, and walks through all
// of them when it gives up.
constexpr int elements_max = 32;

// Null is what the parser takes for a failure to allocate.
template <class Count>  // int in hiredis 0.14, std::size_t in 1.x
void* create_array(const redisReadTask* task, Count count) {
  if (task->parent != nullptr || count > static_cast<Count>(elements_max)) return nullptr;
  const auto* original = static_cast<const redisReplyObjectFunctions*>(task->privdata);
  return original->createArray(task, count);
}

}  // namespace

struct reader::limited {
  explicit limited(const redisReplyObjectFunctions& f) : original(f), functions(f) {
    functions.createArray = create_array;
  }
  redisReplyObjectFunctions original;
  redisReplyObjectFunctions functions;
};

void reply_deleter::operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }

reader::reader() : reader_(redisReaderCreate()) {
  core::check(reader_ != nullptr);
  limited_ = std::make_unique<limited>(*reader_->fn);
  reader_->fn = &limited_->functions;
  reader_->privdata = &limited_->original;
}

reader::~reader() { redisReaderFree(reader_); }

void reader::feed(std::string_view bytes) {
  const bool fed = redisReaderFeed(reader_, bytes.data(), bytes.size()) == REDIS_OK;
  if (!fed || reader_->len - reader_->pos > bytes_max) error_ = "the server's reply is too long";
}

reply_ptr reader::next() {
  if (!error_.empty()) return nullptr;
  void* parsed = nullptr;
  if (redisReaderGetReply(reader_, &parsed) != REDIS_OK) {
    error_ = reader_->err == REDIS_ERR_OOM
                 ? "the server's reply is too long"
                 : std::string("this is not a Redis server: ") + reader_->errstr;
    return nullptr;
  }
  return reply_ptr(static_cast<redisReply*>(parsed));
}

}  // namespace redlock::io
