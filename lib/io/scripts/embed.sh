#!/bin/sh
# embed.sh OUT.cc FILE.lua…: writes the scripts as C++ string constants, each named after its file.
set -eu
out=$1
shift
{
  echo '// Made from lib/io/scripts/*.lua.'
  echo '#include "io/scripts.h"'
  echo 'namespace redlock::io::script_text {'
  for file; do
    printf 'const char %s[] = R"lua(' "$(basename "$file" .lua)"
    grep -v '^--' "$file"
    echo ')lua";'
  done
  echo '}  // namespace redlock::io::script_text'
} >"$out"
