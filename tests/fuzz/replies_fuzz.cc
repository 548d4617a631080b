// The way of a reply: whatever bytes a server sends, in whatever pieces they come, they are replies
// with a meaning, replies without one, or an error for good.

#include <hiredis/hiredis.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/target.h"
#include "io/identity.h"
#include "io/reader.h"
#include "io/wire.h"

namespace redlock::fuzz {
namespace {

constexpr std::uint64_t echo = 7;  // the number of the command that was sent

void look_at(const redisReply& reply, io::script what, core::queueing queue) {
  const auto read = io::read_reply(what, queue, echo, reply);
  const bool error = reply.type == REDIS_REPLY_ERROR;
  must(!error || read.has_value(), "every error means something");
  must(error || !io::read_reply(what, queue, echo + 1, reply) || !read,
       "one number for each reply");
  if (!read) return;
  must(!error || read->answer != answer::granted, "no error is a yes");
  must(!read->queued || read->answer == answer::refused, "who is to wait is refused");
  must(read->key_left >= core::milliseconds{0}, "what is left of a key");
  must(read->text.size() < (std::size_t{1} << 21), "a text that is in the reply");
}

void look_at(const redisReply& reply) {
  for (const io::script what : io::scripts) {
    for (const core::queueing queue : {core::queueing::none, core::queueing::join}) {
      look_at(reply, what, queue);
    }
  }
  must(!io::is_unknown_script(reply) || reply.type == REDIS_REPLY_ERROR, "an error");
  if (const auto turn = io::read_turn(io::text_of(reply))) {
    const std::size_t parts = turn->base.size() + turn->released.size() + turn->key.size();
    must(parts < io::text_of(reply).size(), "parts of a message, and what stands between them");
  }
  io::identity self;
  self.read(io::text_of(reply));
  self.read(io::text_of(reply));
  must(self.objection().empty() || !self.mode.empty(), "an objection has a reason");
  must(!self.is_verified() || !self.run_id.empty(), "who is verified has an id");
}

// What came, as far as it could be read, in words to be compared.
std::vector<std::string> read_all(std::string_view stream, std::size_t piece) {
  io::reader reader;
  std::vector<std::string> all;
  while (!stream.empty() && reader.error().empty()) {
    const std::size_t n = std::min(piece, stream.size());
    reader.feed(stream.substr(0, n));
    stream.remove_prefix(n);
    while (const io::reply_ptr reply = reader.next()) {
      look_at(*reply);
      all.push_back(std::to_string(reply->type) + " " + std::string(io::text_of(*reply)));
    }
  }
  if (!reader.error().empty()) {
    must(reader.next() == nullptr, "nothing follows an error");
    all.emplace_back("an error");
  }
  return all;
}

}  // namespace
}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  redlock::fuzz::bytes input(data, size);
  const std::size_t piece = input.byte() + std::size_t{1};
  const std::string_view stream(reinterpret_cast<const char*>(input.rest()), input.left());
  const auto whole = redlock::fuzz::read_all(stream, std::max(size, std::size_t{1}));
  const auto pieces = redlock::fuzz::read_all(stream, piece);
  redlock::fuzz::must(whole == pieces, "replies do not depend on the pieces they come in");
  return 0;
}
