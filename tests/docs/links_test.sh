#!/bin/sh
# links_test.sh: every file that the documentation links to exists.
set -eu
cd "$(dirname "$0")/../.."

failed=
for page in README.md docs/*.md; do
  # Not in code, where a lambda looks like a link.
  links=$(awk '/^```/ { code = !code } !code' "$page" | grep -oE '\]\([^):]+\)' |
    sed 's/^](//; s/)$//')
  for link in $links; do
    file=${link%%#*}
    if [ -n "$file" ] && [ ! -e "$(dirname "$page")/$file" ]; then
      echo "$page: no $file"
      failed=yes
    fi
  done
done
[ -z "$failed" ]
