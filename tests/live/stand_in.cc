#include "stand_in.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

namespace redlock::live {
namespace {

// Takes `*2\r\n` or `$5\r\n` off the front, and gives the number.
std::optional<std::size_t> take_header(std::string_view& from) {
  const std::size_t end = from.find("\r\n");
  if (end == std::string_view::npos || end == 0) return {};
  std::size_t n = 0;
  std::from_chars(from.data() + 1, from.data() + end, n);
  from.remove_prefix(end + 2);
  return n;
}

// Takes a command off the front. Nothing, if it is not there in full.
std::vector<std::string> take_command(std::string_view& from) {
  std::string_view rest = from;
  std::vector<std::string> words;
  const auto count = take_header(rest);
  for (std::size_t i = 0; i < count.value_or(0); ++i) {
    const auto length = take_header(rest);
    if (!length || rest.size() < *length + 2) return {};
    words.emplace_back(rest.substr(0, *length));
    rest.remove_prefix(*length + 2);
  }
  if (!words.empty()) from = rest;
  return words;
}

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

}  // namespace

void stand_in::answer_with(std::string reply) {
  const std::lock_guard lock(mutex_);
  reply_ = std::move(reply);
}

std::size_t stand_in::scripts() const {
  const std::lock_guard lock(mutex_);
  return scripts_;
}

std::string stand_in::on_bytes(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  unread_ += bytes;
  std::string_view left = unread_;
  std::string said;
  for (;;) {
    const std::vector<std::string> words = take_command(left);
    if (words.empty()) break;
    said += on_command(words);
  }
  unread_ = left;
  return said;
}

std::string stand_in::on_command(const std::vector<std::string>& words) {
  const std::string& verb = words.front();
  const bool runs = verb == "EVAL" || verb == "EVALSHA";
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto shown =
      std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
  if (runs && words.size() == 7 && words[3] == "redlock-node") {
    return "*4\r\n" + bulk("enrolled") + bulk(words[4]) + bulk(shown) + bulk(words[5]);
  }
  if (runs && words.size() == 5 && words[3].starts_with("redlock-queue:")) {
    return "*3\r\n" + bulk("fair") + bulk(words[4]) + bulk(shown);
  }
  if (runs) {
    ++scripts_;
    return reply_;
  }
  if (verb == "INFO") return bulk("run_id:stand-in\r\nrole:master\r\nredis_mode:standalone\r\n");
  if (verb == "SCRIPT") return bulk(std::string(40, 'a'));
  return "+OK\r\n";
}

}  // namespace redlock::live
