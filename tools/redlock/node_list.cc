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

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    out.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
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
      nodes.emplace_back(uri);
    } catch (const lock_error& e) {
      throw failed(exit_code::usage,
                   fmt::format("{}, node {}: {}", given.empty() ? nodes_variable : "--node",
                               nodes.size() + 1, printable(e.why().message())));
    }
  }
  return nodes;
}

}  // namespace redlock::tool
