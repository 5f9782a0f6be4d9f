#!/usr/bin/env bash
# self_test.sh: the golden check passes on what a command prints and fails on any difference;
# regenerate.sh mends it.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/tests"
cp -r "$here" "$here/../shell" "$tree/tests"
cat >"$tree/stub" <<'STUB'
#!/bin/sh
echo "step 12.006 ms"
echo "noise" >&2
[ "$1" != no ]
STUB
chmod +x "$tree/stub"
failed=0

# expect <pass|fail> <what> <text of the golden>
expect() {
  local verdict=pass
  printf '%s' "$3" >"$tree/case.golden"
  "$here/check.sh" "$tree" "$tree/stub" "$tree/case.golden" >/dev/null 2>&1 || verdict=fail
  if [[ $verdict != "$1" ]]; then
    echo "$2: should $1"
    failed=1
  fi
}

expect pass "the same output" $'$ oracle plan\nstep 12.006 ms\n'
expect pass "an announced status" $'$ oracle no  # exit 1\nstep 12.006 ms\n'
expect fail "another digit" $'$ oracle plan\nstep 12.007 ms\n'
expect fail "a line too many" $'$ oracle plan\nstep 12.006 ms\n\n'
expect fail "another status" $'$ oracle no\nstep 12.006 ms\n'
expect fail "no command" $'step 12.006 ms\n'

printf '$ oracle plan\nold\n' >"$tree/case.golden"
"$tree/tests/golden/regenerate.sh" "$tree/stub" "$tree/case.golden" 2>/dev/null
[[ $(<"$tree/case.golden") == $'$ oracle plan\nstep 12.006 ms' ]] || {
  echo "regenerate.sh wrote: $(<"$tree/case.golden")"
  failed=1
}
exit "$failed"
