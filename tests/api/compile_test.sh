#!/bin/sh
# compile_test.sh: compile/accepted.cc compiles, with exceptions and without, and every line that
# compile/refused.cc marks does not; with $CXX, and with clang++ where there is one.
set -eu
cd "$(dirname "$0")/compile"

said=$(mktemp)
trap 'rm -f "$said"' EXIT
failed=

compile() {  # FILE FLAG…
  file=$1
  shift
  "$compiler" -fsyntax-only -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
    -I ../../../include "$@" "$file" 2>"$said"
}

for compiler in "${CXX:-c++}" clang++; do
  command -v "$compiler" >/dev/null || continue
  for flags in -fexceptions '-fno-exceptions -fno-rtti'; do
    # Word splitting is meant: flags are words.
    # shellcheck disable=SC2086
    if ! compile accepted.cc $flags; then
      echo "$compiler $flags refuses:"
      cat "$said"
      failed=yes
    fi
  done

  compile refused.cc || true
  marks=$(grep -n '// refused: ' refused.cc | sed 's/:.*refused: /:/')
  for mark in $marks; do
    line=${mark%%:*}
    if ! grep -qE "^refused\.cc:$line:.*error:.*${mark#*:}" "$said"; then
      echo "$compiler accepts line $line of refused.cc, or says something else"
      failed=yes
    fi
  done
done
[ -z "$failed" ]
