#!/usr/bin/env bash
# check.sh <root> <binary> <README.md>: every oracle command in the file's console and sh blocks runs,
# and prints what a console block shows below it.
#
# A command begins with "oracle" or "./oracle.sh", after "$ " in console blocks. Passed over are
# `./oracle.sh test`, which would run this test, and commands on .onnx files where the binary reads
# none. "# exit N" at the end of a line announces another exit status than 0. The lines shown below a
# command must be lines of its output, in their order; a line "…" stands for any that are left out.
# shellcheck source=tests/shell/sandbox.sh
source "$(dirname "$(readlink -f "$0")")/../shell/sandbox.sh"
readme=$(readlink -f "$3")

# "> command" and "| shown line" records; lines that end in a backslash are joined with the next.
records() {
  awk '
    /^ *```/ { inside = !inside && /^ *``` *(console|sh|bash|shell) *$/; console = /console/; next }
    !inside { next }
    /\\$/ { sub(/\\$/, ""); held = held $0; next }
    { line = held $0; held = ""; command = line; sub(/^ *(\$ )?/, "", command) }
    console && line !~ /^\$ / { if (follows) print "| " line; next }
    { follows = 0 }
    command ~ /^(\.\/oracle\.sh|oracle)( |$)/ && command !~ /^\.\/oracle\.sh test( |$)/ {
      print "> " command; follows = console
    }' "$readme"
}

passed=0 failed=0 command='' output=() position=0

fail() {
  failed=$((failed + 1))
  printf '$ %s\n%s\n\n' "$command" "$1"
}

# Whether the binary has what the command needs.
can_run() { [[ $1 != *.onnx* ]] || oracle --version | grep -q 'ONNX found'; }

run_command() {
  command=$1
  local status=0 text
  text=$(run_line "$command" 2>&1) || status=$?
  mapfile -t output <<<"$text"
  position=0
  if ((status == $(expected_exit "$command"))); then
    passed=$((passed + 1))
  else
    fail "$text"$'\n'"exit $status, expected $(expected_exit "$command")"
  fi
}

# The shown line is the next of the output, or any later one.
expect_line() {
  [[ $1 == '…' ]] && return
  local at
  for ((at = position; at < ${#output[@]}; at++)); do
    if [[ ${output[at]} == "$1" ]]; then
      position=$((at + 1))
      return
    fi
  done
  fail "does not print, or not there: $1"
}

enter_sandbox "$(readlink -f "$1")" "$(readlink -f "$2")"
while IFS= read -r record; do
  case $record in
  '> '*)
    runs=no
    if can_run "${record:2}"; then
      runs=yes
      run_command "${record:2}"
    fi
    ;;
  '| '*) if [[ $runs == yes ]]; then expect_line "${record:2}"; fi ;;
  esac
done < <(records)
echo "$passed commands ran as announced, $failed did not"
((failed == 0))
