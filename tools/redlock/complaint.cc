// Replaces the library's names by the command line's.

#include "complaint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "redlock/options.h"
#include "text.h"

namespace redlock::tool {
namespace {

using words = std::pair<std::string_view, std::string_view>;

// Fields whose option has another name, or that have none.
constexpr std::array<words, 1> special{{{"options::nodes", "the list of nodes"}}};

// As they are named in passing.
constexpr std::array<words, 2> in_passing{
    {{" (min_validity)", ""}, {"(stop_margin)", "(--stop-margin)"}}};

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

// "options::max_ttl" is "--max-ttl".
void replace_fields(std::string& text, std::string_view prefix) {
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;) {
    text.replace(at, prefix.size(), "--");
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-", at);
    const auto name = text.begin() + static_cast<std::ptrdiff_t>(at);
    std::replace(
        name,
        end == std::string::npos ? text.end() : text.begin() + static_cast<std::ptrdiff_t>(end),
        '_', '-');
  }
}

}  // namespace

std::string complaint(const failure& why) {
  std::string text = printable(why.message());
  if (why.code() != errc::invalid_argument) return text;
  for (const auto& [what, by] : special) replace_all(text, what, by);
  replace_fields(text, "lock_options::");
  replace_fields(text, "options::");
  for (const auto& [what, by] : in_passing) replace_all(text, what, by);
  return text;
}

std::string complaint(std::string_view resource, const failure& why) {
  // A name that is refused is not repeated: it may be thousands of bytes long, or none.
  if (resource.empty() || resource.size() > resource_bytes_max) return complaint(why);
  return fmt::format("{}: {}", printable(resource), complaint(why));
}

failed failed_on(std::string_view resource, const failure& why) {
  return {exit_code_of(why.code()), complaint(resource, why)};
}

}  // namespace redlock::tool
