// line: those of one process who want one resource. One at a time competes for it on the nodes, or
// has it; who came meanwhile waits behind, first in, first out.
//
//                 enter()                    next()
//     outside ─────────────► behind ─────────────────────► in front
//        ▲  └────────────────────────────────────────────────►  │
//        │          nobody is in front, or it does not wait      │
//        └──────────────────────── leave() ◄────────────────────┘
//
// It saves the nodes the work, and the waiters the chance. Exclusion does not rest on it.

#ifndef REDLOCK_LIB_CORE_LINE_H
#define REDLOCK_LIB_CORE_LINE_H

#include <optional>

#include "core/types.h"

namespace redlock::core {

class line {
 public:
  // Whoever wants the resource, once. Must have left before it is destroyed.
  class place {
   public:
    place() = default;
    place(const place&) = delete;
    place& operator=(const place&) = delete;

   protected:
    ~place() = default;

   private:
    friend class line;
    enum class spot : std::uint8_t { outside, behind, in_front };
    spot spot_ = spot::outside;
    place* before_ = nullptr;
    place* after_ = nullptr;
  };

  // Whether it may compete now. Else it waits behind; or, if it would not wait, must give up.
  [[nodiscard]] bool enter(place& p, bool waits) noexcept;
  // Does what nobody else of the process can: it has a token that came from elsewhere.
  void enter_in_front(place& p) noexcept;

  // It has got what it waited for.
  void on_served(const place& p) noexcept;
  // It wants it no more. `held`: it gives the resource back just now. No-op outside.
  void leave(place& p, bool held, time_point now) noexcept;

  // Who is to compete from now on, if somebody is; to pause first if `late`.
  struct turn {
    place* whose = nullptr;
    bool late = false;
  };
  [[nodiscard]] turn next() noexcept;

  // The one in front who waits, and was not served yet; or null.
  [[nodiscard]] place* waiter() const noexcept { return waiter_; }

  // Whether next() would give somebody.
  [[nodiscard]] bool is_due() const noexcept { return in_front_ == 0 && first_ != nullptr; }
  [[nodiscard]] bool is_empty() const noexcept { return in_front_ == 0 && first_ == nullptr; }

 private:
  void append(place& p) noexcept;
  void unlink(place& p) noexcept;

  place* first_ = nullptr;  // of those behind
  place* last_ = nullptr;
  std::size_t in_front_ = 0;
  place* waiter_ = nullptr;  // the one in front who waits, and was not served yet

  // Since when the process has handed the resource on within itself.
  std::optional<time_point> kept_since_;
  bool late_ = false;
};

}  // namespace redlock::core

#endif  // REDLOCK_LIB_CORE_LINE_H
