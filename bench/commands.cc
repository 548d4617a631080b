// Like lib/io's ticket, but for a token that is a count.

#include "bench/commands.h"

#include <array>
#include <charconv>
#include <stdexcept>

#include "io/wire.h"

namespace redlock::bench {
namespace {

std::string load(live::masters& nodes, io::script s) {
  std::string digest;
  for (const live::redis_server& node : nodes) {
    digest = node.command({"SCRIPT", "LOAD", std::string(io::text_of(s))}).text;
    if (digest.size() != 40) throw std::runtime_error("a server does not load the script");
  }
  return digest;
}

}  // namespace

commands::commands(live::masters& nodes)
    : acquire_digest_(load(nodes, io::script::acquire)),
      release_digest_(load(nodes, io::script::release)) {}

void commands::write_token(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  base_.assign(32, '0');
  base_.replace(0, static_cast<std::size_t>(end - digits.data()), digits.data(),
                static_cast<std::size_t>(end - digits.data()));
  token_.assign(base_);
  token_ += ".1@benchmark:12345";
}

void commands::acquire(std::string& out, std::string_view key, std::uint64_t number) {
  write_token(number);
  out.clear();
  io::append_call(out,
                  {.what = io::script::acquire,
                   .key = key,
                   .token = token_,
                   .ttl = std::chrono::seconds{10},
                   .base = base_,
                   .attempt = 1},
                  acquire_digest_, number);
}

void commands::release(std::string& out, std::string_view key, std::uint64_t number) {
  write_token(number);
  out.clear();
  io::append_call(out, {.what = io::script::release, .key = key, .token = token_}, release_digest_,
                  number);
}

}  // namespace redlock::bench
