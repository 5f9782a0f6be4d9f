#!/usr/bin/env bash
# check.sh <root> <binary> <file.golden>: the command on the file's first line prints the rest of it.
#
# First line: "$ oracle ...", with "# exit N" at its end where the status is not 0. The rest is its
# standard output, to the byte. Rewritten by tests/golden/regenerate.sh.
# shellcheck source=tests/shell/sandbox.sh
source "$(dirname "$(readlink -f "$0")")/../shell/sandbox.sh"
golden=$(readlink -f "$3")

enter_sandbox "$(readlink -f "$1")" "$(readlink -f "$2")"
line=$(head -n 1 "$golden")
if [[ $line != '$ oracle '* ]]; then
  echo "$golden:1: expected \"\$ oracle ...\""
  exit 1
fi
line=${line#'$ '}
status=0
run_line "$line" >"$sandbox/printed" 2>"$sandbox/errors" || status=$?
tail -n +2 "$golden" | diff -u --label "$(basename "$golden")" --label printed - "$sandbox/printed" &&
  ((status == $(expected_exit "$line"))) && exit 0
printf '$ %s\nexit %s, expected %s\n' "$line" "$status" "$(expected_exit "$line")"
cat "$sandbox/errors"
exit 1
