// Writing and reading of tokens.

#include "io/token.h"

#include <charconv>

#include "redlock/options.h"

namespace redlock::io {
namespace {

constexpr std::size_t half_digits = 16;
constexpr std::size_t base_digits = 2 * half_digits;

bool is_all_of(std::string_view text, std::string_view allowed) noexcept {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

// All of it, or nothing.
template <class Number>
std::optional<Number> number(std::string_view digits, int radix) noexcept {
  Number n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, radix);
  if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  return n;
}

}  // namespace

std::string hexadecimal(const core::base& who) {
  static constexpr std::string_view digit = "0123456789abcdef";
  std::string text;
  text.reserve(base_digits);
  for (const std::uint64_t half : who) {
    for (int shift = 60; shift >= 0; shift -= 4) text += digit[(half >> shift) & 15U];
  }
  return text;
}

std::optional<token_parts> parse_token(std::string_view text) noexcept {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || at < base_digits + 2 || text[base_digits] != '.') return {};
  const std::string_view base = text.substr(0, base_digits);
  const std::string_view attempt = text.substr(base_digits + 1, at - base_digits - 1);
  if (!is_all_of(base, "0123456789abcdef") || !is_all_of(attempt, "0123456789")) return {};

  token_parts parts;
  parts.client_name = text.substr(at + 1);
  if (parts.client_name.empty() || parts.client_name.size() > client_name_bytes_max) return {};
  for (std::size_t half = 0; half < parts.base.size(); ++half) {
    const auto n = number<std::uint64_t>(base.substr(half * half_digits, half_digits), 16);
    if (!n) return {};
    parts.base.at(half) = *n;
  }
  const auto k = number<core::attempt_id>(attempt, 10);
  if (attempt.starts_with('0') || !k) return {};
  parts.attempt = *k;
  return parts;
}

}  // namespace redlock::io
