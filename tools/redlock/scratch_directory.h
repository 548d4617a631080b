// scratch_directory: a new directory for temporary files, removed with all that is in it at the
// end.

#ifndef REDLOCK_TOOLS_SCRATCH_DIRECTORY_H
#define REDLOCK_TOOLS_SCRATCH_DIRECTORY_H

#include <filesystem>

namespace redlock::tool {

class scratch_directory {
 public:
  // In TMPDIR, or /tmp. Throws failed(system).
  scratch_directory();
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory();  // warns if it cannot be removed

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace redlock::tool

#endif  // REDLOCK_TOOLS_SCRATCH_DIRECTORY_H
