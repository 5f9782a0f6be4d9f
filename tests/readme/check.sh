#!/usr/bin/env bash
# check.sh <root> <binary> <README.md>: every oracle command in the file's console and sh blocks runs.
#
# A command begins with "oracle" or "./oracle.sh", after "$ " in console blocks; what else the blocks
# hold is passed over, and so is `./oracle.sh test`, which would run this test. "# exit N" at the end of
# a line announces another exit status than 0.
# shellcheck source=tests/shell/sandbox.sh
source "$(dirname "$(readlink -f "$0")")/../shell/sandbox.sh"
readme=$(readlink -f "$3")

# The file's command lines, those that end in a backslash joined with the next.
commands() {
  awk '
    /^ *```/ { inside = !inside && /^ *``` *(console|sh|bash|shell) *$/; next }
    !inside { next }
    /\\$/ { sub(/\\$/, ""); held = held $0; next }
    { line = held $0; held = ""; sub(/^ *(\$ )?/, "", line) }
    line ~ /^(\.\/oracle\.sh|oracle)( |$)/ && line !~ /^\.\/oracle\.sh test( |$)/ { print line }' "$readme"
}

enter_sandbox "$(readlink -f "$1")" "$(readlink -f "$2")"
passed=0 failed=0
while IFS= read -r line; do
  status=0
  output=$(run_line "$line" 2>&1) || status=$?
  if ((status == $(expected_exit "$line"))); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '$ %s\n%s\nexit %s, expected %s\n\n' \
      "$line" "$output" "$status" "$(expected_exit "$line")"
  fi
done < <(commands)
echo "$passed commands ran as announced, $failed did not"
((failed == 0))
