// fuzz_TARGET DIRECTORY: runs each file of it through the target, once, as libFuzzer would, where
// there is no libFuzzer. Exit: 0; 1 if there is no file; 64 usage; a target that fails aborts.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/target.h"

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::printf("%s\n", entry.path().filename().c_str());
    static_cast<void>(std::fflush(stdout));  // a target that fails ends the process
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    ++files;
  }
  return files > 0 ? 0 : 1;
}
