// Renders what the nodes said of some resources.

#include "status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "text.h"

namespace redlock::tool {
namespace {

using json = nlohmann::ordered_json;

bool has_holder(const node_holding& n) { return n.answer == answer::granted; }

// Whom a token names: what is behind the "@" in ours, all of it in another library's.
std::string_view holder_in(std::string_view token) {
  const std::size_t at = token.find('@');
  return at == std::string_view::npos ? token : token.substr(at + 1);
}

std::string verdict(const holdings& seen) {
  const auto count =
      fmt::format("{} of {} nodes, {} needed", seen.votes, seen.nodes.size(), seen.quorum);
  if (seen.held()) {
    return fmt::format("held by {} ({})", printable(holder_in(seen.token)), count);
  }
  return fmt::format("{} ({})", seen.known ? "not held" : "unknown", count);
}

using row = std::array<std::string, 4>;

row row_of(const node_holding& n) {
  row out{printable(n.node), std::string(name(n.answer)), "-", "-"};
  if (has_holder(n)) {
    out[2] = printable(holder_in(n.token));
    out[3] = fmt::format("{:.3f} s", static_cast<double>(n.ttl.count()) / 1000.0);
  } else if (!n.text.empty()) {
    out[2] = fmt::format("({})", printable(n.text));
  } else if (!n.token.empty()) {
    out[2] = printable(holder_in(n.token));
  }
  return out;
}

// Columns as wide as their widest cell; the last one is aligned at its right.
std::string layout(const std::vector<row>& rows) {
  std::array<std::size_t, 4> widths{};
  for (const auto& r : rows) {
    for (std::size_t i = 0; i < r.size(); ++i) {
      widths[i] = std::max(widths[i], fmt::formatted_size("{}", r[i]));
    }
  }
  std::string out;
  for (const auto& r : rows) {
    out += fmt::format("  {:<{}}  {:<{}}  {:<{}}  {:>{}}\n", r[0], widths[0], r[1], widths[1], r[2],
                       widths[2], r[3], widths[3]);
  }
  return out;
}

json or_null(std::string_view s, bool there) {
  return there ? json(std::string(s)) : json(nullptr);
}

json node_json(const node_holding& n) {
  const bool there = has_holder(n);
  json out;
  out["node"] = n.node;
  out["answer"] = std::string(name(n.answer));
  out["holder"] = or_null(holder_in(n.token), there);
  out["ttl_ms"] = there ? json(n.ttl.count()) : json(nullptr);
  return out;
}

}  // namespace

std::string as_table(const std::vector<resource_status>& all) {
  std::string out;
  for (const auto& [resource, seen] : all) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}: {}\n", printable(resource), verdict(seen));
    std::vector<row> rows{{"NODE", "ANSWER", "HOLDER", "LEFT"}};
    for (const auto& n : seen.nodes) rows.push_back(row_of(n));
    out += layout(rows);
  }
  return out;
}

std::string as_json(const std::vector<resource_status>& all) {
  json out = json::array();
  for (const auto& [resource, seen] : all) {
    json one;
    one["resource"] = resource;
    one["held"] = seen.held() || seen.known ? json(seen.held()) : json(nullptr);
    one["holder"] = or_null(holder_in(seen.token), seen.held());
    one["votes"] = seen.votes;
    one["nodes"] = json::array();
    for (const auto& n : seen.nodes) one["nodes"].push_back(node_json(n));
    out.push_back(std::move(one));
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace redlock::tool
