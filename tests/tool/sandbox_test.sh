#!/usr/bin/env bash
# What `redlock sandbox` starts, and that nothing of it stays. Usage: sandbox_test.sh REDLOCK [TEST]
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the commands
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=common.sh
. "$here/common.sh"

# Starts a sandbox of three in the background, whose command goes on until it is ended; waits until
# the command runs. `$0` in the command is our directory.
start_sandbox() {
  local prepare=${1-}
  mkdir -p "$scratch/tmp"
  TMPDIR="$scratch/tmp" "$redlock" sandbox -n 3 -- \
    sh -c "$prepare"' echo >"$0/ready"; while [ -d "$0" ]; do sleep 0.05; done' "$scratch" 2>"$scratch/err" &
  sandbox=$!
  await test -e "$scratch/ready"
}

pids() { sed -n 's/^node [0-9]*: 127\.0\.0\.1:[0-9]* pid \([0-9]*\)$/\1/p' "$scratch/err"; }

nothing_is_left() {
  local pid
  for pid in $(pids); do await gone "$pid"; done
  [ -z "$(ls -A "$scratch/tmp")" ] || fail "left: $(ls "$scratch/tmp")"
}

# PING over bash's own sockets, so that no client program is needed.
pings() {
  local answer
  { exec 3<>"/dev/tcp/127.0.0.1/$1"; } 2>/dev/null || return 1
  printf 'PING\r\n' >&3
  read -r -t 5 answer <&3
  exec 3>&-
  [ "$answer" = $'+PONG\r' ]
}

it_gives_cmd_five_masters() {
  expect 0 "$redlock" sandbox -- sh -c 'echo "$REDLOCK_NODES"' >"$scratch/out" 2>"$scratch/err"
  local uri='redis://127\.0\.0\.1:[0-9]+[?]durable=1'
  expect_line "$scratch/out" "^$uri(,$uri){4}\$"
  expect_line "$scratch/err" "^export REDLOCK_NODES=$(sed "s/?/[?]/g" "$scratch/out")\$"
  [ "$(pids | sort -u | wc -l)" -eq 5 ] || fail "$(cat "$scratch/err")"
}

it_runs_servers_that_write_everything_down() {
  start_sandbox
  local ports port
  ports=$(sed -n 's/^node .*:\([0-9]*\) pid .*/\1/p' "$scratch/err")
  for port in $ports; do pings "$port" || fail "no answer on $port"; done
  grep -qx 'appendonly yes' "$scratch"/tmp/*/1/server.conf || fail "no log"
  grep -qx 'appendfsync always' "$scratch"/tmp/*/1/server.conf || fail "a lazy log"
  kill -TERM "$sandbox"
  expect_end 143 "$sandbox"
  nothing_is_left
}

it_puts_its_own_program_first_in_path() {
  "$redlock" sandbox -n 1 -- sh -c 'command -v redlock' >"$scratch/out" 2>/dev/null
  expect 0 "$redlock" sandbox -n 1 -- redlock --version >/dev/null 2>&1
  [ "$(cat "$scratch/out")" = "$(dirname "$redlock")/redlock" ] || fail "$(cat "$scratch/out")"
}

it_ends_with_the_status_of_cmd() {
  expect 7 "$redlock" sandbox -n 1 -- sh -c 'exit 7' 2>/dev/null
  expect 137 "$redlock" sandbox -n 1 -- sh -c 'kill -KILL $$' 2>/dev/null
  expect 3 env SHELL=/bin/sh "$redlock" sandbox -n 1 <<<'exit 3' 2>/dev/null
  expect 3 env -u SHELL "$redlock" sandbox -n 1 <<<'exit 3' 2>/dev/null
}

it_leaves_nothing_when_cmd_ends() {
  mkdir "$scratch/tmp"
  expect 0 env TMPDIR="$scratch/tmp" "$redlock" sandbox -n 3 -- true 2>"$scratch/err"
  nothing_is_left
}

it_leaves_nothing_after_a_signal() {
  local signal number
  for signal in INT:2 TERM:15 HUP:1 QUIT:3; do
    number=${signal#*:}
    rm -f "$scratch/ready"
    start_sandbox
    kill -s "${signal%:*}" "$sandbox"
    expect_end $((128 + number)) "$sandbox"
    nothing_is_left
  done
}

it_does_not_wait_forever_for_cmd_to_obey() {
  start_sandbox "trap '' TERM;"
  kill -TERM "$sandbox"
  expect_end 137 "$sandbox"
  nothing_is_left
}

it_leaves_no_server_when_it_is_killed() {
  start_sandbox
  kill -KILL "$sandbox"
  expect_end 137 "$sandbox"
  local pid
  for pid in $(pids); do await gone "$pid"; done
}

it_goes_on_when_a_server_is_killed_and_started_again() {
  start_sandbox
  local directory server port pid
  directory=$(echo "$scratch"/tmp/*)
  pid=$(cat "$directory/2/pid")
  kill -KILL "$pid"
  await test ! -e "/proc/$pid"  # the sandbox has seen it
  for server in redis-server valkey-server; do
    if type "$server" >/dev/null 2>&1; then break; fi
  done
  "$server" "$directory/2/server.conf" >"$scratch/log" &
  local ours=$!
  port=$(sed -n 's/^port //p' "$directory/2/server.conf")
  await pings "$port"
  kill -TERM "$sandbox"
  expect_end 143 "$sandbox"
  ! gone "$ours" || fail "it ended a server that it had not started"
  kill -KILL "$ours"
  expect_end 137 "$ours"
}

it_starts_many_at_once() {
  local i children=()
  for i in 1 2 3 4 5 6; do
    "$redlock" sandbox -n 7 -- true 2>/dev/null &
    children+=($!)
  done
  for i in "${children[@]}"; do expect_end 0 "$i"; done
}

it_says_when_there_is_no_server_program() {
  mkdir "$scratch/bin"
  ln -s /bin/true "$scratch/bin/true"
  expect 69 env PATH="$scratch/bin" "$redlock" sandbox -- true 2>"$scratch/err"
  contains "$scratch/err" "redis-server nor valkey-server" || fail "said: $(cat "$scratch/err")"
}

it_says_why_a_server_does_not_start() {
  mkdir "$scratch/bin"
  printf '#!/bin/sh\necho no such luck\nexit 1\n' >"$scratch/bin/redis-server"
  chmod +x "$scratch/bin/redis-server"
  expect 69 env PATH="$scratch/bin:$PATH" "$redlock" sandbox -n 1 -- true 2>"$scratch/err"
  contains "$scratch/err" "no such luck" || fail "said: $(cat "$scratch/err")"
}

it_refuses_a_wrong_command_line() {
  local count
  for count in 0 32 -1 1.5 x ''; do expect 64 "$redlock" sandbox "-n$count" -- true; done
  expect 64 "$redlock" sandbox --
  expect 64 "$redlock" sandbox true 2>"$scratch/err"
  expect_line "$scratch/err" '^redlock: put -- before the command$'
  expect 64 "$redlock" sandbox -n 3 sh -c true
  expect 64 "$redlock" sandbox --none
  expect 64 "$redlock" sandbox --none x -- true
  expect 64 "$redlock" sandbox x -- true
  expect 127 "$redlock" sandbox -- no-such-command
  expect 126 "$redlock" sandbox -- /etc/passwd
}

main "$1" "${2-}"
