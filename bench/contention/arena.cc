// Anonymous memory, shared over fork().

#include "bench/contention/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace redlock::bench {

arena::arena(std::size_t waiters) {
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);
  if (waiters > waiters_max) throw std::invalid_argument("too many waiters");
  void* memory = ::mmap(nullptr, sizeof(shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  shared_ = static_cast<shared*>(memory);
}

arena::~arena() { ::munmap(shared_, sizeof(shared)); }

void arena::asks(std::size_t waiter) noexcept {
  shared_->waiters[waiter].waiting_since.store(monotonic_now().count());
}

std::size_t arena::holds(std::size_t waiter) noexcept {
  const nanoseconds now = monotonic_now();
  const std::size_t which = shared_->grant_count.fetch_add(1);
  if (which >= grants_max) {
    complain("more grants than there is room for: measure for less long");
    return grants_max;
  }
  waiter_state& state = shared_->waiters[waiter];
  shared_->grants[which] = {.waiter = static_cast<std::uint32_t>(waiter),
                            .asked = nanoseconds{state.waiting_since.load()},
                            .granted = now};
  state.waiting_since.store(0);
  state.holding_since.store(now.count());
  return which;
}

void arena::releases(std::size_t waiter, std::size_t which) noexcept {
  shared_->waiters[waiter].holding_since.store(0);
  if (which < grants_max) shared_->grants[which].released = monotonic_now();
}

void arena::complain(std::string_view why) noexcept {
  if (shared_->complained.exchange(true)) return;
  std::copy_n(why.data(), std::min(why.size(), shared_->complaint.size() - 1),
              shared_->complaint.data());
  shared_->complaint_complete.store(true);
}

nanoseconds arena::waiting_since(std::size_t waiter) const noexcept {
  return nanoseconds{shared_->waiters[waiter].waiting_since.load()};
}

nanoseconds arena::holding_since(std::size_t waiter) const noexcept {
  return nanoseconds{shared_->waiters[waiter].holding_since.load()};
}

std::string arena::complaint() const {
  return shared_->complaint_complete.load() ? shared_->complaint.data() : "";
}

std::vector<grant> arena::grants() const {
  const std::size_t count = std::min(shared_->grant_count.load(), grants_max);
  std::vector<grant> all(shared_->grants.begin(),
                         shared_->grants.begin() + static_cast<std::ptrdiff_t>(count));
  // A process that was killed between taking a place and filling it leaves it empty.
  std::erase_if(all, [](const grant& g) { return g.granted == nanoseconds{0}; });
  std::sort(all.begin(), all.end(),
            [](const grant& a, const grant& b) { return a.granted < b.granted; });
  return all;
}

}  // namespace redlock::bench
