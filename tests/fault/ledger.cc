#include "ledger.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/sockets.h"

namespace redlock::fault {

using live::checked;

ledger::ledger(const std::filesystem::path& file) {
  const live::descriptor fd(
      checked(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600), "ledger"));
  checked(::ftruncate(fd.get(), sizeof(book)), "ledger");
  void* memory = ::mmap(nullptr, sizeof(book), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) checked(-1, "ledger");
  book_ = static_cast<book*>(memory);
}

ledger::~ledger() { ::munmap(book_, sizeof(book)); }

}  // namespace redlock::fault
