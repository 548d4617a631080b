#!/bin/sh
# embed.sh OUT.cc FILE.lua…: writes the scripts as C++ string constants, each named after its file. A
# first line "-- include OTHER.lua" puts that file, of the same directory, in front.
set -eu
out=$1
shift
{
  echo '// Made from lib/io/scripts/*.lua.'
  echo '#include "io/scripts.h"'
  echo 'namespace redlock::io::script_text {'
  for file; do
    printf 'const char %s[] = R"lua(' "$(basename "$file" .lua)"
    front=$(sed -n '1s/^-- include //p' "$file")
    [ -z "$front" ] || sed '/^ *--/d' "$(dirname "$file")/$front"
    sed '/^ *--/d' "$file"
    echo ')lua";'
  done
  echo '}  // namespace redlock::io::script_text'
} >"$out"
