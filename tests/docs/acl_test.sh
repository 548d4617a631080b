#!/bin/bash
# acl_test.sh REDLOCK EXAMPLE: the ACL that docs/guide.md gives is enough for all that the library
# does: acquire, renew, refill, release, inspect. EXAMPLE acquires, renews and releases.
set -euo pipefail
here=$(dirname "$(realpath "$0")")

if [ -z "${REDLOCK_SANDBOX:-}" ]; then
  exec "$1" sandbox -n 3 -- "$0" "$@"
fi
redlock=$1
example=$2

client=$(command -v redis-cli || command -v valkey-cli)
mapfile -t ports < <(tr , '\n' <<<"$REDLOCK_NODES" | sed 's/.*://; s/?.*//')
rules=$(sed -n '/redis-cli ACL SETUSER/,/[^\\]$/p' "$here/../../docs/guide.md" |
  tr -d "\\\\'\n" | sed 's/.*ACL SETUSER locker//')
[ -n "$rules" ] || exit 1

nodes=
for port in "${ports[@]}"; do
  # shellcheck disable=SC2086  # rules are words
  [ "$("$client" -p "$port" ACL SETUSER locker $rules)" = OK ]
  nodes+=",redis://locker:secret@127.0.0.1:$port?durable=1"
done
export REDLOCK_NODES=${nodes#,} PORT=${ports[0]} CLIENT=$client

# The scripts are gone from one node, then the key, which comes back with a renewal.
"$example"
"$client" -p "${ports[1]}" SCRIPT FLUSH >/dev/null
"$example"
# shellcheck disable=SC2016  # expanded by the inner shell
timeout 60 "$redlock" run --wait 30s --ttl 6s r -- sh -ec '
  "$CLIENT" -p "$PORT" DEL redlock:r >/dev/null
  until [ "$("$CLIENT" -p "$PORT" EXISTS redlock:r)" = 1 ]; do sleep 0.05; done
  until redlock status r; do sleep 0.05; done
  if redlock run r -- true; then exit 1; fi'

for port in "${ports[@]}"; do
  denied=$("$client" -p "$port" ACL LOG)
  if [ -n "$denied" ]; then
    echo "$denied"
    exit 1
  fi
done
