// The one function of a fuzz target, and how it says that something is wrong. libFuzzer calls it
// with bytes of its invention, once.cc with those of the corpus.

#ifndef REDLOCK_TESTS_FUZZ_TARGET_H
#define REDLOCK_TESTS_FUZZ_TARGET_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace redlock::fuzz {

// Ends the process, which is how a fuzz target fails.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// Takes small numbers off the front of the input; zeros once it is used up.
class bytes {
 public:
  bytes(const std::uint8_t* data, std::size_t size) noexcept : at_(data), left_(size) {}

  [[nodiscard]] bool empty() const noexcept { return left_ == 0; }
  [[nodiscard]] const std::uint8_t* rest() const noexcept { return at_; }
  [[nodiscard]] std::size_t left() const noexcept { return left_; }

  std::uint8_t byte() noexcept {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  std::size_t below(std::size_t limit) noexcept { return byte() % limit; }
  bool coin() noexcept { return (byte() & 1) != 0; }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

}  // namespace redlock::fuzz

#endif  // REDLOCK_TESTS_FUZZ_TARGET_H
