#!/bin/bash
# acl_test.sh REDLOCK EXAMPLE: the ACL that docs/guide.md gives is enough for all that the library
# does: acquire, renew, refill, release, inspect, wait in a queue, wake the next one in it. EXAMPLE
# acquires, renews and releases.
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

# One waits in the queue until its second connection has asked each node whether it is still there,
# and is woken by the release.
token=$("$redlock" acquire --ttl 1m q)
timeout 60 "$redlock" run --wait 50s q -- true &
waiter=$!
for port in "${ports[@]}"; do
  until "$client" -p "$port" CLIENT LIST TYPE pubsub | grep -q ' cmd=ping '; do
    kill -0 $waiter
    sleep 0.05
  done
done
"$redlock" release q "$token"
wait $waiter
woken=
for port in "${ports[@]}"; do
  if "$client" -p "$port" INFO commandstats | grep -q '^cmdstat_publish:'; then woken=yes; fi
done
[ -n "$woken" ]

for port in "${ports[@]}"; do
  denied=$("$client" -p "$port" ACL LOG)
  if [ -n "$denied" ]; then
    echo "$denied"
    exit 1
  fi
done
