#!/usr/bin/env bash
# What `redlock status` shows and how it ends, on real servers. Usage: status_test.sh REDLOCK [TEST]
# shellcheck disable=SC2016  # what stands in single quotes is expanded by the commands
set -euo pipefail
here=$(dirname "$(realpath "$0")")
# shellcheck source=common.sh
. "$here/common.sh"

status() { "$redlock" status "$@"; }

# Holds a lock until the test is over.
hold() {
  "$redlock" run --wait 30s --ttl 30s --resource="$1" -- \
    sh -c 'echo >"$0"; while [ -e "$0" ]; do sleep 0.05; done' "$scratch/held" &
  holder=$!
  await test -e "$scratch/held"
}

let_go() {
  kill -TERM "$holder"
  expect_end 143 "$holder"
}

# Whether the JSON that status prints matches, once it exits as it should.
shows() {
  local code=$1 pattern=$2
  shift 2
  exits "$code" status --json "$@" && grep -qE -e "$pattern" "$scratch/exits.out"
}

readonly node_pattern='\{"node":"127\.0\.0\.1:[0-9]+"'

it_shows_a_free_resource() {
  await exits 1 status r
  expect_line "$scratch/exits.out" '^r: not held \(0 of 3 nodes, 2 needed\)$'
  local node="$node_pattern,\"answer\":\"absent\",\"holder\":null,\"ttl_ms\":null\\}"
  local lock='"resource":"r","held":false,"holder":null,"votes":0'
  await shows 1 "^\\[\\{$lock,\"nodes\":\\[$node,$node,$node\\]\\}\\]\$" r
}

it_shows_who_holds_a_resource() {
  hold r
  local name='"[^"]+:[0-9]+"'
  local node="$node_pattern,\"answer\":\"granted\",\"holder\":$name,\"ttl_ms\":[0-9]+\\}"
  local lock="\"resource\":\"r\",\"held\":true,\"holder\":$name,\"votes\":3"
  await shows 0 "^\\[\\{$lock,\"nodes\":\\[$node,$node,$node\\]\\}\\]\$" r
  await exits 0 status r
  expect_line "$scratch/exits.out" '^r: held by .+:[0-9]+ \([23] of 3 nodes, 2 needed\)$'
  let_go
}

it_is_zero_only_if_every_resource_is_held() {
  hold r
  await exits 0 status r r
  await exits 1 status r free
  await exits 1 status free r
  let_go
}

it_says_when_it_does_not_know() {
  kill_servers 1 2
  await exits 69 status r
  expect_line "$scratch/exits.out" '^r: unknown'
  await shows 69 '^\[\{"resource":"r","held":null,"holder":null,"votes":0,' r
}

it_does_without_a_minority() {
  hold r
  await shows 0 '"votes":3' r
  kill_servers 2
  await shows 0 '"votes":2,"nodes":.*"answer":"unreachable","holder":null,"ttl_ms":null' r
  let_go
}

it_is_safe_with_any_name() {
  local name=$'\e[31m\n\xff\\"'
  hold "$name"
  await exits 0 status "--resource=$name"
  contains "$scratch/exits.out" '\x1b[31m\x0a\xff\\": held by' || fail "$(cat "$scratch/exits.out")"
  await shows 0 '^\[\{"resource":"\\u001b\[31m\\n.+\\\\\\"","held":true,' "--resource=$name"
  [ "$(wc -l <"$scratch/exits.out")" -eq 1 ] || fail "more than one line"
  let_go
}

it_takes_what_follows_two_dashes_as_names() {
  await shows 1 '"resource":"--json".*"resource":"-x"' -- --json -x
  await shows 1 '"resource":"\[a,b\]".*"resource":"run"' '[a,b]' run
}

it_refuses_a_wrong_command_line() {
  expect 64 status
  expect 64 status --no-such-option r
  expect 64 status ''
  expect 64 status "$(printf '%04097d' 0)"
  expect 64 status --node '' r
  expect 64 env REDLOCK_NODES=redis://a,,redis://b "$redlock" status r
  unset REDLOCK_NODES
  expect 64 status r
}

it_notices_that_it_cannot_write() {
  expect 73 status r >/dev/full
  expect 73 status --json r >&-
}

main "$1" "${2-}" "$1" sandbox -n 3 --
