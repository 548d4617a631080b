#include "actor.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "eventually.h"

namespace redlock::live {
namespace {

std::vector<std::string> command_line(const std::string& role, const std::string& argument,
                                      masters& nodes) {
  std::vector<std::string> words{REDLOCK_LIVE_ACTOR, role, argument};
  for (redis_server& node : nodes) words.push_back(node.uri());
  return words;
}

}  // namespace

actor::pipe_ends::pipe_ends() {
  int ends[2];
  checked(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), "pipe");
  reader = descriptor(ends[0]);
  writer = descriptor(ends[1]);
}

actor::actor(const std::string& role, const std::string& argument, masters& nodes)
    : process_(command_line(role, argument, nodes), {.output = output_.writer.get()}) {
  output_.writer.reset();
}

bool actor::says(const std::string& line) {
  return eventually([&] {
    std::array<char, 4096> buffer;
    const ssize_t n = ::read(output_.reader.get(), buffer.data(), buffer.size());
    if (n > 0) said_.append(buffer.data(), static_cast<std::size_t>(n));
    return said_.find("\n" + line + "\n") != std::string::npos;
  });
}

}  // namespace redlock::live
