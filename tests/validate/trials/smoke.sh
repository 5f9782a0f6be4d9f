#!/usr/bin/env bash
# smoke.sh <oracle-trials>: a search trains its trials side by side, from rung to rung, and says how long that was
# predicted to take; a trial that goes on is not trained from the start. It judges no time.
set -euo pipefail

fail() {
  echo "smoke.sh: $1"
  cat "$out"
  exit 1
}

out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$1" gpt_tiny --sequence 32 --batch 2 --trials 4 --scheduler halving --rungs 2 --eta 2 --steps 6 --at-a-time 2 >"$out"
grep -qE '^search .* measured, .* predicted: [+-][0-9.]+ %$' "$out" || fail 'no time beside the prediction'
grep -qE '^ +1 +3 +4 +4 ' "$out" || fail 'not four trials to step 3'
grep -qE '^ +2 +6 +2 +2 ' "$out" || fail 'not two trials to step 6'

# Rates that are no range are refused.
status=0
"$1" gpt_tiny --sequence 32 --batch 2 --trials 2 --steps 2 --least-rate 1 --most-rate 0.5 >"$out" 2>&1 || status=$?
((status == 2)) || fail "rates that are no range: exit $status"
