// parsed: a reply as hiredis makes it of the bytes that a server sent.

#ifndef REDLOCK_TESTS_IO_PARSED_H
#define REDLOCK_TESTS_IO_PARSED_H

#include <hiredis/hiredis.h>

#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace redlock::io {

class parsed {
 public:
  // REQUIRES: the bytes are one whole reply.
  explicit parsed(std::string_view bytes) {
    const std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader(redisReaderCreate(),
                                                                          &redisReaderFree);
    void* made = nullptr;
    if (redisReaderFeed(reader.get(), bytes.data(), bytes.size()) != REDIS_OK) std::abort();
    if (redisReaderGetReply(reader.get(), &made) != REDIS_OK || made == nullptr) std::abort();
    reply_.reset(static_cast<redisReply*>(made));
    void* more = nullptr;
    if (redisReaderGetReply(reader.get(), &more) != REDIS_OK || more != nullptr) std::abort();
  }
  [[nodiscard]] const redisReply& operator*() const { return *reply_; }

  // The elements of an array of strings. REQUIRES: it is one.
  [[nodiscard]] std::vector<std::string> strings() const {
    if (reply_->type != REDIS_REPLY_ARRAY) std::abort();
    std::vector<std::string> list;
    for (std::size_t i = 0; i < reply_->elements; ++i) {
      const redisReply& one = *reply_->element[i];
      if (one.type != REDIS_REPLY_STRING) std::abort();
      list.emplace_back(one.str, static_cast<std::size_t>(one.len));
    }
    return list;
  }

 private:
  std::unique_ptr<redisReply, decltype(&freeReplyObject)> reply_{nullptr, &freeReplyObject};
};

// The pieces of replies, as bytes; written here once more, so that no mistake of the library's own
// writer can hide.
inline std::string bulk(std::string_view text) {
  return "$" + std::to_string(text.size()) + "\r\n" + std::string(text) + "\r\n";
}

inline std::string array(const std::vector<std::string>& pieces) {
  std::string bytes = "*" + std::to_string(pieces.size()) + "\r\n";
  for (const std::string& piece : pieces) bytes += piece;
  return bytes;
}

inline std::string bulks(const std::vector<std::string>& texts) {
  std::vector<std::string> pieces;
  for (const std::string& text : texts) pieces.push_back(bulk(text));
  return array(pieces);
}

}  // namespace redlock::io

#endif  // REDLOCK_TESTS_IO_PARSED_H
