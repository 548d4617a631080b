// temp_dir: a directory that is gone after the test, however the test ends.

#ifndef REDLOCK_LIVE_TEMP_DIR_H
#define REDLOCK_LIVE_TEMP_DIR_H

#include <filesystem>
#include <memory>

#include "process.h"
#include "sockets.h"

namespace redlock::live {

// A child process removes it as soon as this object, or the whole test, is no more: it reads from a
// pipe whose only writing end we hold, and even SIGKILL closes that.
class temp_dir {
 public:
  temp_dir();  // throws std::system_error
  ~temp_dir();
  temp_dir(const temp_dir&) = delete;
  temp_dir& operator=(const temp_dir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  descriptor leash_;
  std::unique_ptr<process> sweeper_;
};

}  // namespace redlock::live

#endif  // REDLOCK_LIVE_TEMP_DIR_H
