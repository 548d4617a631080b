// Splits and reads lists of nodes; what a URI means is the library's to know.

#include "node_list.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "exit_code.h"
#include "redlock/failure.h"
#include "text.h"

namespace redlock::tool {
namespace {

std::string_view trimmed(std::string_view text) {
  static constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    out.emplace_back(trimmed(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

// For --node; throws lock_error.
endpoint one_node(const std::string& uri) {
  static constexpr const char* many =
      "it takes one URI, and may be repeated; a list with commas goes into REDLOCK_NODES";
  const bool comma = uri.find(',') != std::string::npos;
  try {
    endpoint e(uri);
    if (e.host.find(',') == std::string::npos) return e;
  } catch (const lock_error&) {
    if (!comma) throw;
  }
  throw lock_error(failure(errc::invalid_argument, many));
}

}  // namespace

std::vector<endpoint> node_list(const std::vector<std::string>& given) {
  const char* set = std::getenv(nodes_variable);
  const std::string variable = set != nullptr ? set : "";
  if (given.empty() && variable.empty()) {
    throw failed(exit_code::usage, fmt::format("no nodes: give --node URI, or set {} to a list of "
                                               "them, separated by commas",
                                               nodes_variable));
  }
  const auto uris = given.empty() ? split(variable) : given;
  std::vector<endpoint> nodes;
  for (const auto& uri : uris) {
    try {
      nodes.push_back(given.empty() ? endpoint(uri) : one_node(uri));
    } catch (const lock_error& e) {
      throw failed(exit_code::usage,
                   fmt::format("{}, node {}: {}", given.empty() ? nodes_variable : "--node",
                               nodes.size() + 1, printable(e.why().message())));
    }
  }
  return nodes;
}

}  // namespace redlock::tool
