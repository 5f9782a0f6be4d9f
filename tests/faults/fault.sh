#!/usr/bin/env bash
# fault.sh <launch> <faults> <fault> <ranks> <rank> <seconds> <pattern>...: starts <ranks> ranks of which
# <rank> commits <fault>, under a watchdog of <seconds>. They must all be gone in time, with exit code 3
# and a line on stderr for each pattern (of grep -E).
set -euo pipefail
launch=$1 faults=$2 fault=$3 ranks=$4 rank=$5 seconds=$6
shift 6
out=$(mktemp) err=$(mktemp)
trap 'rm -f "$out" "$err"' EXIT

# Five seconds past the watchdog's for the end, and ten for mpirun to start the ranks on a busy machine.
code=0
timeout --signal=KILL $((seconds + 15)) \
  "$launch" "$ranks" "$faults" "$fault" "$rank" "$seconds" >"$out" 2>"$err" || code=$?

failed=0
complain() {
  echo "$fault: $*"
  failed=1
}
((code == 3)) || complain "exit code $code instead of 3"
for pattern in "$@"; do
  grep -qE "$pattern" "$err" || complain "stderr has no line with '$pattern'"
done
started=$(grep -c '^pid ' "$out" || true)
((started == ranks)) || complain "$started of $ranks ranks started"
while read -r _ pid; do
  state=$(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null || true)
  # A zombie has ended; who inherits it fetches it when it likes.
  [[ -z $state || $state == Z ]] || complain "process $pid is left over, state $state"
done < <(grep '^pid ' "$out")
((failed == 0)) || cat "$out" "$err"
exit "$failed"
