#include "temp_dir.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace redlock::live {

temp_dir::temp_dir() {
  std::string name = std::filesystem::temp_directory_path() / "redlock-live.XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) checked(-1, "mkdtemp");
  path_ = name;
  int ends[2];
  checked(::pipe2(ends, O_CLOEXEC), "pipe");
  const descriptor input(ends[0]);
  leash_ = descriptor(ends[1]);
  const process_options o{.input = input.get(), .output = -1, .dies_with_us = false};
  sweeper_ = std::make_unique<process>(
      std::vector<std::string>{"sh", "-c", "trap '' HUP INT TERM; cat; exec rm -rf -- \"$1\"", "sh",
                               name},
      o);
}

temp_dir::~temp_dir() {
  leash_.reset();
  static_cast<void>(sweeper_->wait());
}

}  // namespace redlock::live
