// stop_slot: a std::stop_token where lock_options keeps it. Made of one, read as one.
//
// It exists for one bug of g++ 12: where an aggregate is a temporary of a co_await expression, as
// in
//
//   co_await locks.acquire_async("x", {.wait = 2s, .stop = token});
//
// its bytes are moved to another place, and it is destroyed in both. A bare std::stop_token would
// then let go of its shared state twice. This one knows where it was made, and a copy of its bytes
// elsewhere leaves the token alone when it is destroyed.

#ifndef REDLOCK_STOP_SLOT_H
#define REDLOCK_STOP_SLOT_H

#include <memory>
#include <stop_token>
#include <utility>

namespace redlock {

// Thread safety: as of std::stop_token.
class stop_slot {
 public:
  stop_slot() noexcept : token_() {}
  stop_slot(std::stop_token token) noexcept : token_(std::move(token)) {}  // NOLINT: stands for it
  stop_slot(const stop_slot& other) noexcept : token_(other.token_) {}
  stop_slot& operator=(const stop_slot& other) noexcept {
    if (this != &other) token_ = other.token_;
    return *this;
  }
  ~stop_slot() {
    if (made_at_ == this) std::destroy_at(&token_);
  }

  operator const std::stop_token&() const noexcept { return token_; }  // NOLINT: stands for it
  [[nodiscard]] bool stop_requested() const noexcept { return token_.stop_requested(); }
  [[nodiscard]] bool stop_possible() const noexcept { return token_.stop_possible(); }

 private:
  union {
    std::stop_token token_;  // NOLINT(readability-identifier-naming): private all the same
  };
  const stop_slot* const made_at_ = this;
};

}  // namespace redlock

#endif  // REDLOCK_STOP_SLOT_H
