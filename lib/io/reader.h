// reader: replies out of a stream of bytes, by hiredis' parser, within limits: whatever a server
// sends, it costs little memory and no time to speak of.

#ifndef REDLOCK_LIB_IO_READER_H
#define REDLOCK_LIB_IO_READER_H

#include <memory>
#include <string>
#include <string_view>

struct redisReader;
struct redisReply;

namespace redlock::io {

struct reply_deleter {
  void operator()(redisReply* reply) const noexcept;
};
using reply_ptr = std::unique_ptr<redisReply, reply_deleter>;

// One for each connection: after an error nothing more can be read.
class reader {
 public:
  reader();
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;
  ~reader();

  void feed(std::string_view bytes);

  // The next complete reply; null if it takes more bytes, or after an error.
  [[nodiscard]] reply_ptr next();

  // What is wrong with the server, for people; empty if nothing is.
  [[nodiscard]] const std::string& error() const noexcept { return error_; }

 private:
  struct limited;  // hiredis' functions for building replies, with a limit to arrays

  std::unique_ptr<limited> limited_;
  redisReader* reader_;
  std::string error_;
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_READER_H
