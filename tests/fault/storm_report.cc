// What a storm has to say when it is over.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>

#include "oracle.h"
#include "redlock/failure.h"
#include "storm.h"

namespace redlock::fault {
namespace {

struct sums {
  std::uint64_t operations = 0;
  std::uint64_t grants = 0;
  std::uint64_t losses = 0;
  std::uint64_t failures[codes_max] = {};
  const page* worst = nullptr;  // the one that waited longest
};

sums sums_of(const crowd& clients) {
  sums all;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const page& each = clients.written().pages[i];
    all.operations += each.operations;
    all.grants += each.grants;
    all.losses += each.losses;
    for (std::size_t code = 0; code < codes_max; ++code) {
      all.failures[code] += each.failures_by_code[code];
    }
    if (all.worst == nullptr || each.worst_wait > all.worst->worst_wait) all.worst = &each;
  }
  return all;
}

}  // namespace

void storm::report() const {
  const sums all = sums_of(ground_.clients);
  std::cout << "operations: " << all.operations << '\n';
  for (std::size_t code = 0; code < codes_max; ++code) {
    if (all.failures[code] == 0) continue;
    std::cout << "  " << all.failures[code] << " x " << name(static_cast<errc>(code)) << '\n';
  }
  std::cout << "grants: " << all.grants << ", losses: " << all.losses
            << ", holds judged: " << beliefs(ground_.clients.written()) << '\n';
  std::size_t faults = 0;
  for (const auto& [kind, count] : struck_) faults += count;
  std::cout << "faults: " << faults << '\n';
  for (const auto& [kind, count] : struck_) std::cout << "  " << count << " x " << kind << '\n';
  const auto wait =
      std::chrono::ceil<std::chrono::milliseconds>(nanoseconds(all.worst->worst_wait.load()));
  std::cout << "worst wait: " << wait.count() << " ms beyond the limit, of "
            << name(static_cast<call>(all.worst->worst_call.load())) << '\n';
  std::cout << "worst client: " << vigil_.worst().memory_kb << " kB more memory, "
            << vigil_.worst().descriptors << " descriptors, " << vigil_.worst().threads
            << " threads, " << vigil_.busiest() << " % of a processor\n";
  std::cout << "violations: " << violations() << std::endl;
}

}  // namespace redlock::fault
