// Safe text and checked writes. Knows nothing of locks.

#include "text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "exit_code.h"

namespace redlock::tool {
namespace {

struct code_point {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

std::uint32_t byte_at(std::string_view s, std::size_t i) {
  return static_cast<unsigned char>(s[i]);
}

// The code point at the beginning of `s`, which is not empty. Overlong forms, surrogates and what
// lies beyond Unicode are not UTF-8.
code_point decode(std::string_view s) {
  const std::uint32_t first = byte_at(s, 0);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length == 0 || first > 0xF4 || s.size() < length) return {};
  std::uint32_t value = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(s, i) & 0xC0U) != 0x80) return {};
    value = value << 6U | (byte_at(s, i) & 0x3FU);
  }
  const std::uint32_t least = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

// Control characters, and those that are invisible or turn the direction of writing around.
bool is_harmless(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x61C || c == 0xFEFF) return false;
  if (c >= 0x200B && c <= 0x200F) return false;
  if (c >= 0x2028 && c <= 0x202E) return false;
  return !(c >= 0x2060 && c <= 0x206F);
}

bool write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

std::string printable(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const code_point c = decode(bytes);
    const std::size_t length = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes == 0 || !is_harmless(c.value)) {
      for (std::size_t i = 0; i < length; ++i) out += fmt::format("\\x{:02x}", byte_at(bytes, i));
    } else if (c.value == '\\') {
      out += "\\\\";
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(length);
  }
  return out;
}

void occupy_standard_descriptors() noexcept {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free descriptor is this one. The wrong way round, so that its use still fails.
    if (::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) ::_exit(exit_code::system);
  }
}

void print(std::string_view text) {
  if (!write_all(STDOUT_FILENO, text)) {
    throw failed(exit_code::output, fmt::format("cannot write to standard output: {}",
                                                std::generic_category().message(errno)));
  }
}

bool print_error(std::string_view text) noexcept { return write_all(STDERR_FILENO, text); }

bool warn(std::string_view text) noexcept {
  try {
    return print_error(fmt::format("redlock: {}\n", text));
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace redlock::tool
