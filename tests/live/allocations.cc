#include "allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace redlock::live {
namespace {

constinit std::atomic<std::int64_t> count{0};

constexpr std::int64_t none = -1;
constinit thread_local std::int64_t left =
    none;  // allocations that succeed before the one that fails
constinit thread_local bool failed = false;

void* allocate(std::size_t size) {
  if (left != none && left-- == 0) {
    failed = true;
    throw std::bad_alloc();
  }
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  ++count;
  return memory;
}

void give_back(void* memory) noexcept {
  if (memory == nullptr) return;
  --count;
  std::free(memory);
}

}  // namespace

std::int64_t allocations() noexcept { return count; }

failing_allocation::failing_allocation(std::size_t n) noexcept {
  failed = false;
  left = static_cast<std::int64_t>(n);
}
failing_allocation::~failing_allocation() { left = none; }
bool failing_allocation::has_failed() noexcept { return failed; }

}  // namespace redlock::live

// The other forms of the standard library end in these.
void* operator new(std::size_t size) { return redlock::live::allocate(size); }
void operator delete(void* memory) noexcept { redlock::live::give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { redlock::live::give_back(memory); }
