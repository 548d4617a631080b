#include "hammer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sockets.h"

namespace redlock::live {

mapped_arena::mapped_arena(const std::filesystem::path& file) {
  const descriptor fd(checked(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), "open"));
  checked(::ftruncate(fd.get(), sizeof(arena)), "ftruncate");
  void* memory = ::mmap(nullptr, sizeof(arena), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) checked(-1, "mmap");
  arena_ = static_cast<arena*>(memory);
}

mapped_arena::~mapped_arena() { ::munmap(arena_, sizeof(arena)); }

}  // namespace redlock::live
