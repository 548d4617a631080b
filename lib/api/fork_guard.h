// fork_guard: notices that this is a child of the process that made it (rule H3), for the price of
// reading one byte.

#ifndef REDLOCK_LIB_API_FORK_GUARD_H
#define REDLOCK_LIB_API_FORK_GUARD_H

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace redlock::detail {

// Thread safety: any thread.
class fork_guard {
 public:
  // Throws std::system_error if the system gives no memory.
  fork_guard()
      : page_(::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                     0)) {
    if (page_ == MAP_FAILED) throw std::system_error(errno, std::system_category(), "mmap");
    // The kernel gives a forked child this page filled with zeros.
    if (::madvise(page_, page_bytes, MADV_WIPEONFORK) != 0) {
      const int error = errno;
      ::munmap(page_, page_bytes);
      throw std::system_error(error, std::system_category(), "madvise");
    }
    *static_cast<char*>(page_) = 1;
  }
  fork_guard(const fork_guard&) = delete;
  fork_guard& operator=(const fork_guard&) = delete;
  ~fork_guard() { ::munmap(page_, page_bytes); }

  [[nodiscard]] bool in_child() const noexcept {
    return *static_cast<const volatile char*>(page_) == 0;
  }

 private:
  static constexpr std::size_t page_bytes = 4096;
  void* page_;
};

}  // namespace redlock::detail

#endif  // REDLOCK_LIB_API_FORK_GUARD_H
