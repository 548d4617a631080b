#!/bin/sh
# fresh_seeds.sh SIMULATOR COUNT [OPTION…]: runs that many worlds that no other commit has run.
# The base seed comes from the commit, or where there is none from the simulator itself.
set -eu
simulator=$1
count=$2
shift 2
here=$(dirname "$0")
if commit=$(git -C "$here" rev-parse --short=12 HEAD 2>/dev/null); then
  base=$((0x$commit * 1000))
else
  base=$(($(cksum <"$simulator" | cut -d' ' -f1) * 1000000))
fi
last=$((base + count - 1))
echo "base seed: $base"
exec "$simulator" --seeds "$base..$last" "$@"
