#!/bin/sh
# snippets_test.sh: every ```cpp block in the documentation compiles. One that begins with #include
# is a file of its own; any other is the inside of a function that is given `locks`, a
# redlock::lock_manager, and may call `work`, a function that takes a std::stop_token.
set -eu
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v work="$work" '
  /^```cpp$/ { inside = 1; first = 1; file = sprintf("%s/%03d.cc", work, ++count); next }
  /^```$/ && inside { inside = 0; if (wrapped) print "}" >file; close(file); next }
  inside && first {
    first = 0
    wrapped = $0 !~ /^#include/
    if (wrapped) {
      print "#include <redlock/redlock.h>" >file
      print "#include <cstdio>" >file
      print "#include <thread>" >file
      print "using namespace std::chrono_literals;" >file
      print "void work(std::stop_token stop);" >file
      print "void snippet(redlock::lock_manager& locks);" >file
      print "void snippet(redlock::lock_manager& locks) {" >file
    }
    printf "#line %d \"%s\"\n", FNR, FILENAME >file
  }
  inside { print >file }
' README.md docs/*.md

for file in "$work"/*.cc; do
  "${CXX:-c++}" -fsyntax-only -std=c++20 -Wall -Wextra -Wpedantic -Werror -I include "$file"
done
