// JSON of a lease.

#include "token_text.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace redlock::tool {

std::string as_json(const lease& held) {
  using json = nlohmann::ordered_json;
  json out;
  out["resource"] = std::string(held.resource());
  out["token"] = std::string(held.token());
  out["valid_ms"] = std::chrono::floor<std::chrono::milliseconds>(held.remaining()).count();
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace redlock::tool
