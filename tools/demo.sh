#!/bin/bash
# demo.sh: two clients compete for one lock while masters die and come back. Runs in a sandbox of
# five masters:
#
#   redlock sandbox -n 5 -- tools/demo.sh
#
# Each step states what must be so, and the script fails at the first that is not. Nothing here is
# acted: the clients are `redlock run`, the masters real servers, killed with SIGKILL.
set -euo pipefail
export LC_ALL=C

readonly ttl_ms=1000
readonly resource=printer
readonly nodes=(1 2 3 4 5)

# --- What a client runs while it holds the lock: `demo.sh work NAME` --------------------------------

microseconds() { echo "${EPOCHREALTIME/./}"; }

stamp() {  # FILE: writes the time into it, all at once
  microseconds >"$1.new"
  mv "$1.new" "$1"
}

work() {  # NAME
  trap 'stamp "$DEMO_DIR/$1.stopped"; exit 0' TERM
  stamp "$DEMO_DIR/$1.started"
  sleep infinity &
  wait
}

if [ "${1:-}" = work ]; then
  work "$2"
  exit
fi

# --- Narration --------------------------------------------------------------------------------------

if [ -z "${REDLOCK_SANDBOX:-}" ]; then
  echo "demo.sh: runs in a sandbox: redlock sandbox -n 5 -- $0" >&2
  exit 64
fi
if [ -t 1 ]; then
  bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' dim='' red='' plain=''
fi

begin=$(microseconds)

elapsed() {
  local ms=$((($(microseconds) - begin) / 1000))
  printf '%2d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

say() { printf '%s%s  %s%s\n' "$bold" "$(elapsed)" "$*" "$plain"; }

fail() {
  printf '%s%s  Not so: %s%s\n' "$red" "$(elapsed)" "$*" "$plain"
  tail -n +1 "$DEMO_DIR"/*.log | show
  exit 1
}

# FILE… or standard input, set off.
show() { cat "$@" | fold --spaces --width=88 | sed "s/^/          $dim/; s/\$/$plain/"; }

# until MILLISECONDS COMMAND…: waits until the command succeeds.
until_so() {
  local deadline=$(($(microseconds) + $1 * 1000))
  shift
  until "$@"; do
    if [ "$(microseconds)" -gt $deadline ]; then return 1; fi
    sleep 0.02
  done
}

pause() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }  # MILLISECONDS

# --- Clients ----------------------------------------------------------------------------------------

declare -A client  # name: process id of its `redlock run`

start_client() {  # NAME
  redlock run --ttl ${ttl_ms}ms --wait 1m $resource -- "$0" work "$1" \
    >"$DEMO_DIR/$1.log" 2>&1 </dev/null &
  client[$1]=$!
}

is_in() { [ -e "$DEMO_DIR/$1.started" ] && [ ! -e "$DEMO_DIR/$1.stopped" ]; }
was_stopped() { [ -e "$DEMO_DIR/$1.stopped" ]; }
someone_is_in() { is_in alice || is_in bob; }
has_ended() { ! kill -0 "${client[$1]}" 2>/dev/null; }

status() { timeout 10 redlock status $resource >"$DEMO_DIR/status.log" 2>&1; }

# --- Masters ----------------------------------------------------------------------------------------

server=$(command -v redis-server || command -v valkey-server)
restarted=()

port_of() { sed -n 's/^port //p' "$REDLOCK_SANDBOX/$1/server.conf"; }
answers() { timeout 1 bash -c 'exec 3<>/dev/tcp/127.0.0.1/'"$(port_of "$1")" 2>/dev/null; }
is_gone() { ! answers "$1"; }

kill_master() {
  kill -KILL "$(cat "$REDLOCK_SANDBOX/$1/pid")"
  until_so 2000 is_gone "$1" || fail "master $1 survives SIGKILL"
}

start_master() {
  "$server" "$REDLOCK_SANDBOX/$1/server.conf" >>"$REDLOCK_SANDBOX/$1/log" 2>&1 </dev/null &
  restarted+=($!)
  disown  # or the shell reports how it ended
}

# --- The story --------------------------------------------------------------------------------------

all_have_ended() {
  local name
  for name in "${!client[@]}"; do has_ended "$name" || return 1; done
}

clean_up() {
  kill -TERM "${client[@]}" 2>/dev/null || true
  until_so 5000 all_have_ended || true
  kill -KILL "${client[@]}" "${restarted[@]}" 2>/dev/null || true
  rm -rf "$DEMO_DIR"
}

DEMO_DIR=$(mktemp -d "${TMPDIR:-/tmp}/redlock-demo.XXXXXX")
export DEMO_DIR
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

ports=
for i in "${nodes[@]}"; do ports+=" $(port_of "$i")"; done
say "Five independent masters, on ports$ports."
say "Two clients want one lock: redlock run --ttl ${ttl_ms}ms --wait 1m $resource -- work"
start_client alice
start_client bob
until_so 5000 someone_is_in || fail "nobody got the lock"
holder=alice waiter=bob
if is_in bob; then holder=bob waiter=alice; fi

say "${holder^} got it, ${waiter^} waits. redlock status $resource:"
status || fail "the lock is not held"
show "$DEMO_DIR/status.log"

pause $((3 * ttl_ms))
still_held() {
  status && is_in $holder && ! is_in $waiter
}
still_held || fail "$holder lost it"
say "Three TTLs later ${holder^} still holds it: it renews itself."

for i in 1 2; do
  kill_master $i
  say "Master $i is killed, with SIGKILL."
  pause $((ttl_ms * 3 / 2))
  still_held || fail "$holder lost it with $i of 5 masters dead"
done
say "One and a half TTLs after each, ${holder^} still holds it, on the three masters left:"
show "$DEMO_DIR/status.log"

killed_at=$(microseconds)
kill_master 3
say "Master 3 is killed: two of five are no quorum."
until_so 5000 was_stopped $holder || fail "$holder was not told"
told_after=$((($(cat "$DEMO_DIR/$holder.stopped") - killed_at) / 1000))
# What comes on top of the TTL is the time to start this shell's own trap.
[ $told_after -le $((ttl_ms + 250)) ] || fail "$holder was told too late, after $told_after ms"
say "${holder^} was told $told_after ms later, by SIGTERM to its work:"
until_so 5000 has_ended $holder || fail "$holder goes on"
ended=0
wait "${client[$holder]}" || ended=$?
unset "client[$holder]"
show "$DEMO_DIR/$holder.log"
[ $ended = 74 ] || fail "$holder ended with $ended, not with 74 for a lost lock"
pause $((ttl_ms / 2))
if is_in $waiter; then fail "$waiter got in without a quorum"; fi
say "It ended with status 74: the lock was lost. ${waiter^} is not let in, without a quorum."

for i in 1 2 3; do start_master $i; done
for i in 1 2 3; do until_so 5000 answers $i || fail "master $i does not come back"; done
say "Masters 1, 2 and 3 are started again."
until_so 5000 is_in $waiter || fail "$waiter does not get in"
say "${waiter^} is in. redlock status $resource:"
status || fail "the lock is not held"
show "$DEMO_DIR/status.log"

kill -TERM "${client[$waiter]}"
until_so 5000 has_ended $waiter || fail "$waiter does not end"
unset "client[$waiter]"
free=0
status || free=$?
[ $free = 1 ] || fail "the lock is not free after all is done"
say "${waiter^} is done, and the lock is free."
