// RESP out, meanings in.

#include "io/wire.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace redlock::io {
namespace {

// A number as text, without allocation.
class digits {
 public:
  explicit digits(std::uint64_t n) noexcept
      : end_(std::to_chars(text_.data(), text_.data() + text_.size(), n).ptr) {}
  [[nodiscard]] std::string_view view() const noexcept {
    return {text_.data(), static_cast<std::size_t>(end_ - text_.data())};
  }

 private:
  std::array<char, 20> text_{};
  const char* end_;
};

void append_header(std::string& out, char kind, std::size_t n) {
  out += kind;
  out += digits(n).view();
  out += "\r\n";
}

// A stranger's key may live for ages; the core counts in nanoseconds.
constexpr std::uint64_t left_max = std::chrono::milliseconds(std::chrono::hours(24 * 365)).count();
// The year 2200, in microseconds: what any later clock says means nothing.
constexpr std::uint64_t shown_max = 7'258'118'400'000'000;

bool contains(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}

std::optional<std::uint64_t> number_in(std::string_view text) noexcept {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return n;
}

std::string_view yes_of(script s) noexcept {
  switch (s) {
    case script::acquire:
      return "acquired";
    case script::renew:
      return "renewed";
    case script::refill:
      return "refilled";
    case script::release:
      return "deleted";
    case script::inspect:
      return "present";
    case script::enroll:
      return "enrolled";
  }
  return {};
}

}  // namespace

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  append_header(out, '*', arguments.size());
  for (const std::string_view argument : arguments) {
    append_header(out, '$', argument.size());
    out += argument;
    out += "\r\n";
  }
}

void append_command(std::string& out, std::initializer_list<std::string_view> arguments) {
  append_command(out, std::span(arguments.begin(), arguments.size()));
}

void append_call(std::string& out, const script_call& call, std::string_view digest,
                 std::uint64_t number) {
  const std::string_view verb = digest.empty() ? "EVAL" : "EVALSHA";
  const std::string_view body = digest.empty() ? text_of(call.what) : digest;
  const digits echo(number);
  const digits ttl(static_cast<std::uint64_t>(call.ttl.count()));
  const digits attempt(call.attempt);
  switch (call.what) {
    case script::acquire:
      append_command(out, {verb, body, "1", call.key, echo.view(), call.token, ttl.view(),
                           call.base, attempt.view()});
      break;
    case script::renew:
    case script::refill:
      append_command(out, {verb, body, "1", call.key, echo.view(), call.token, ttl.view()});
      break;
    case script::release:
      append_command(out, {verb, body, "1", call.key, echo.view(), call.token});
      break;
    case script::inspect:
      append_command(out, {verb, body, "1", call.key, echo.view()});
      break;
    case script::enroll:
      append_command(out,
                     {verb, body, "1", call.key, echo.view(), ttl.view(), digits(left_max).view()});
      break;
  }
}

std::optional<node_reply> read_reply(script what, std::uint64_t number,
                                     const redisReply& reply) noexcept {
  if (reply.type == REDIS_REPLY_ERROR) {
    return node_reply{.answer = classify_error(text_of(reply)), .text = text_of(reply)};
  }
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements < 3 || reply.elements > 5) return {};
  std::array<std::string_view, 5> fields;
  for (std::size_t i = 0; i < reply.elements; ++i) {
    if (reply.element[i]->type != REDIS_REPLY_STRING) return {};
    fields[i] = text_of(*reply.element[i]);
  }
  if (number_in(fields[1]) != number) return {};

  const auto shown = number_in(fields[2]);
  if (!shown || *shown > shown_max) return {};

  node_reply read;
  read.shown = std::chrono::microseconds{static_cast<std::int64_t>(*shown)};
  read.text = fields[3];
  const bool takes = what == script::acquire || what == script::refill;
  const bool answers = what != script::enroll;
  std::size_t length = 3;
  if (fields[0] == yes_of(what)) {
    read.answer = answer::granted;
    if (what == script::inspect) length = 5;
    if (what == script::enroll) length = 4;
  } else if (fields[0] == "refused" && takes) {
    read.answer = answer::refused;
    length = 5;
  } else if (fields[0] == "absent" && !takes && answers) {
    read.answer = answer::absent;
  } else if (fields[0] == "foreign" && answers) {
    read.answer = answer::foreign;
    length = 4;
  } else {
    return {};
  }
  if (reply.elements != length) return {};
  if (length == 5 || !answers) {
    const auto time = number_in(fields[length - 1]);
    if (!time) return {};
    const core::milliseconds ms{static_cast<std::int64_t>(std::min(*time, left_max))};
    (answers ? read.key_left : read.max_ttl) = ms;
  }
  return read;
}

answer classify_error(std::string_view error) noexcept {
  // Wrong or missing password, missing rights (also as a script meets them, in the words of servers
  // before and since 7.2), and servers that can never be a node of ours.
  static constexpr std::array<std::string_view, 17> denied{"NOPERM",
                                                           "NOAUTH",
                                                           "WRONGPASS",
                                                           "invalid password",
                                                           "without any password configured",
                                                           "no password is set",
                                                           "DENIED Redis",
                                                           "The user executing the script can't",
                                                           "ACL failure in script",
                                                           "MOVED ",
                                                           "CROSSSLOT",
                                                           "CLUSTERDOWN",
                                                           "not allowed in cluster mode",
                                                           "unknown command",
                                                           "Unknown Redis command",
                                                           "Unknown command called from script",
                                                           "DB index is out of range"};
  if (contains(error, "READONLY")) return answer::replica;
  for (const std::string_view part : denied) {
    if (contains(error, part)) return answer::denied;
  }
  return answer::error;
}

bool is_unknown_script(const redisReply& reply) noexcept {
  return reply.type == REDIS_REPLY_ERROR && text_of(reply).starts_with("NOSCRIPT");
}

std::string_view text_of(const redisReply& reply) noexcept {
  if (reply.str == nullptr) return {};
  return {reply.str, static_cast<std::size_t>(reply.len)};
}

}  // namespace redlock::io
