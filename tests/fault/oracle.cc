#include "oracle.h"

#include <algorithm>
#include <tuple>

namespace redlock::fault {
namespace {

struct interval {
  std::uint32_t resource;
  std::int64_t from, until;
  std::size_t page;
};

std::vector<interval> read(const book& written) {
  std::vector<interval> all;
  for (std::size_t i = 0; i < pages_max; ++i) {
    const page& p = written.pages[i];
    const std::uint64_t count = p.beliefs_count;
    for (std::uint64_t n = 0; n < count; ++n) {
      const belief& b = p.beliefs[n];
      const interval one{b.resource, b.from, b.until, i};
      if (one.from < one.until) all.push_back(one);
    }
  }
  return all;
}

}  // namespace

std::string overlap::text() const {
  constexpr std::int64_t microsecond = 1000;
  return "clients " + std::to_string(first) + " and " + std::to_string(second) +
         " both held resource " + std::to_string(resource) + " for " +
         std::to_string((until - from) / microsecond) + " us";
}

std::vector<overlap> overlaps(const book& written) {
  std::vector<interval> all = read(written);
  std::sort(all.begin(), all.end(), [](const interval& a, const interval& b) {
    return std::tie(a.resource, a.from) < std::tie(b.resource, b.from);
  });
  std::vector<overlap> found;
  const interval* longest = nullptr;  // of those before, in this resource
  for (const interval& next : all) {
    if (longest != nullptr && longest->resource != next.resource) longest = nullptr;
    if (longest != nullptr && next.from < longest->until) {
      found.push_back({next.resource, longest->page, next.page, next.from,
                       std::min(next.until, longest->until)});
    }
    if (longest == nullptr || next.until > longest->until) longest = &next;
  }
  return found;
}

std::size_t beliefs(const book& written) { return read(written).size(); }

}  // namespace redlock::fault
