#!/bin/sh
# options_test.sh REDLOCK: every option that the documentation gives a `redlock` command exists.
set -eu
redlock=$1
cd "$(dirname "$0")/../.."

failed=
seen=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# One command a line, cut where its own CMD begins.
sed 's/`/\n/g; s/redlock \(run\|acquire\|renew\|release\|status\|sandbox\)/\nredlock \1/g' README.md docs/*.md |
  sed -n 's/^redlock \(run\|acquire\|renew\|release\|status\|sandbox\)\(.*\)/\1\2/p' |
  sed 's/ -- .*//; s/#.*//' >"$work/commands"
while read -r command arguments; do
  "$redlock" "$command" --help >"$work/help"
  for word in $arguments; do
    case $word in
      -*)
        seen=$((seen + 1))
        if ! grep -qE -- "(^| |,)${word%%=*}([ ,]|\$)" "$work/help"; then
          echo "redlock $command has no $word"
          failed=yes
        fi
        ;;
    esac
  done
done <"$work/commands"
[ $seen -gt 0 ] || failed=yes
[ -z "$failed" ]
