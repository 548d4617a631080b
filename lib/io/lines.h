// lines: the lines (core/line.h) of all keys that somebody here wants or has. Decides nothing.

#ifndef REDLOCK_LIB_IO_LINES_H
#define REDLOCK_LIB_IO_LINES_H

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/line.h"

namespace redlock::io {

class driver;
class ticket;

// Lives on the loop thread, owned by the driver.
class lines {
 public:
  // One key's. Stays where it is until admit() finds it empty.
  struct entry {
    core::line line;
    const std::string* key = nullptr;
    bool changed = false;
  };

  // Made if there is none.
  [[nodiscard]] entry& of(const std::string& key);

  // Who waits in front for this key; or null.
  [[nodiscard]] ticket* waiter_of(const std::string& key) const;

  // Whether other processes were last seen to wait for the key.
  void note_others(const std::string& key, bool wait);
  [[nodiscard]] bool has_others(const std::string& key) const { return others_.contains(key); }

  // Somebody has left: it may be another's turn.
  void on_left(entry& e);

  // Lets those in whose turn it is by now, and forgets the lines that are empty. Not from within a
  // ticket's input: whoever is let in may leave at once, and so may thousands behind it.
  void admit(driver& where, core::time_point now) noexcept;

 private:
  std::unordered_map<std::string, entry> all_;
  std::vector<entry*> changed_;
  std::unordered_set<std::string> others_;  // at most others_max (lines.cc)
};

}  // namespace redlock::io

#endif  // REDLOCK_LIB_IO_LINES_H
