// The token of a lock as text, `base.attempt@client_name`: what a key's value is. Pure functions.

#ifndef REDLOCK_LIB_IO_TOKEN_H
#define REDLOCK_LIB_IO_TOKEN_H

#include <optional>
#include <string>
#include <string_view>

#include "core/types.h"

namespace redlock::io {

struct token_parts {
  core::base base{};
  core::attempt_id attempt = 0;  // from 1
  std::string_view client_name;  // of 1 to 256 bytes, any bytes
};

// The base in 32 hexadecimal digits.
[[nodiscard]] std::string hexadecimal(const core::base& who);

// Only what this library writes: lower-case digits, no leading zero of the attempt. So the parts,
// written again, are the same bytes. Nothing for any other text. The name is a view of `text`.
[[nodiscard]] std::optional<token_parts> parse_token(std::string_view text) noexcept;

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_TOKEN_H
