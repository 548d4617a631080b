#!/bin/sh
# cases_test.sh: every test that tests/cases.md names exists, and no case is listed twice.
set -eu
cd "$(dirname "$0")/.."

failed=
complain() {
  echo "cases.md: $*"
  failed=yes
}

# `FILE: TEST` may be broken over lines; a file alone is a scenario or a script.
names=$(mktemp)
trap 'rm -f "$names"' EXIT
tr '`\n' '# ' <cases.md | tr -s ' ' | grep -oE '#[a-z]+/[a-z_]+\.[a-z]+(: [A-Za-z_.]+)?#' |
  tr -d '#' | sort -u >"$names"
[ "$(wc -l <"$names")" -gt 50 ] || complain "hardly any test is named"

while read -r file name; do
  file=${file%:}
  [ -e "$file" ] || complain "no file $file"
  case $name in
    '') ;;
    it_*) grep -q "^$name()" "$file" || complain "no $name in $file" ;;
    *)
      group=${name%%.*}
      grep -qE "^TEST(_F|_P)?\($group, ${name#*.}\)" "$file" || complain "no $name in $file"
      ;;
  esac
done <"$names"

twice=$(grep -oE '\*\*B[0-9]+\*\*' cases.md | sort | uniq -d)
[ -z "$twice" ] || complain "listed twice: $twice"
[ -z "$failed" ]
