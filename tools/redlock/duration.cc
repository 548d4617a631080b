// Reads and writes durations, in whole numbers only: no rounding, no locale.

#include "duration.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace redlock::tool {
namespace {

struct unit {
  std::string_view suffix;
  std::int64_t nanoseconds;
};

constexpr std::array<unit, 4> units{
    {{"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}}};

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw std::invalid_argument(fmt::format("'{}' {}", text, why));
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the leading digits off `rest`.
std::string_view take_digits(std::string_view& rest) {
  std::size_t n = 0;
  while (n < rest.size() && is_digit(rest[n])) ++n;
  const std::string_view digits = rest.substr(0, n);
  rest.remove_prefix(n);
  return digits;
}

// sum + digit * scale; false if that does not fit.
bool add(std::int64_t& sum, char digit, std::int64_t scale) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(std::int64_t{digit - '0'}, scale, &product) &&
         !__builtin_add_overflow(sum, product, &sum);
}

}  // namespace

std::chrono::nanoseconds parse_duration(std::string_view text) {
  std::string_view rest = text;
  const std::string_view whole = take_digits(rest);
  std::string_view fraction;
  bool well_formed = !whole.empty();
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    well_formed = well_formed && !fraction.empty();
  }
  if (!well_formed) refuse(text, "is not a duration such as 10s, 250ms, 1.5m, 1h or 0");

  std::int64_t scale = 0;
  for (const auto& u : units) {
    if (rest == u.suffix) scale = u.nanoseconds;
  }
  if (scale == 0) {
    const bool zero = whole.find_first_not_of('0') == std::string_view::npos &&
                      fraction.find_first_not_of('0') == std::string_view::npos;
    if (rest.empty() && zero) return std::chrono::nanoseconds{0};
    refuse(text, rest.empty() ? "needs a unit: ms, s, m or h"
                              : "has an unknown unit; known are ms, s, m and h");
  }

  std::int64_t number = 0;
  for (const char digit : whole) {
    if (__builtin_mul_overflow(number, std::int64_t{10}, &number) || !add(number, digit, 1)) {
      refuse(text, "is too long");
    }
  }
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(number, scale, &sum)) refuse(text, "is too long");
  for (const char digit : fraction) {
    if (digit != '0' && scale % 10 != 0) refuse(text, "is finer than a nanosecond");
    scale /= 10;
    if (!add(sum, digit, scale)) refuse(text, "is too long");
  }
  // The largest value stands for "forever", which has a word of its own.
  if (sum == std::chrono::nanoseconds::max().count()) refuse(text, "is too long");
  return std::chrono::nanoseconds{sum};
}

std::string to_text(std::chrono::nanoseconds duration) {
  const std::int64_t n = duration.count();
  if (n == 0) return "0";
  for (const auto& u : units) {
    if (n % u.nanoseconds == 0) return fmt::format("{}{}", n / u.nanoseconds, u.suffix);
  }
  return fmt::format("{}ms", static_cast<double>(n) / 1e6);
}

}  // namespace redlock::tool
