// endpoint: any text is either an endpoint within its limits or refused with a reason.

#include <string>
#include <string_view>

#include "fuzz/target.h"
#include "redlock/failure.h"
#include "redlock/options.h"

namespace redlock::fuzz {
namespace {

void look_at(const endpoint& e) {
  const bool tcp = e.unix_path.empty();
  must(tcp != e.host.empty(), "a host or a path");
  must(tcp || e.unix_path.starts_with('/'), "an absolute path");
  must(e.unix_path.size() <= unix_path_bytes_max, "a path that the system takes");
  must(e.unix_path.find('\0') == std::string::npos, "a path without zero bytes");
  must(e.port != 0, "a port");
  must(e.database >= 0, "a database");
  if (!tcp || e.host.find_first_of("[]") != std::string::npos) return;
  const endpoint again("redis://" + e.name());
  must(again.host == e.host && again.port == e.port, "a name that means the same endpoint");
}

}  // namespace
}  // namespace redlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view uri(reinterpret_cast<const char*>(data), size);
  try {
    redlock::fuzz::look_at(redlock::endpoint(uri));
  } catch (const redlock::lock_error& e) {
    redlock::fuzz::must(e.why().code() == redlock::errc::invalid_argument, "the code of a refusal");
    redlock::fuzz::must(e.why().message().size() < 200, "a message that does not repeat the URI");
  }
  return 0;
}
