#!/usr/bin/env bash
# validate.sh <oracle> <models>: oracle validate and oracle compare from end to end, on 1 and 2 ranks.
set -euo pipefail
export COLUMNS=160
oracle=$1 models=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "$1"
  exit 1
}

expect() { grep -qF -- "$1" "$2" || fail "does not say: $1"$'\n'"$(<"$2")"; }

"$oracle" validate "$models/residual.json" --strategy serial --batch 4 --steps 3 --by layer \
  >"$scratch/serial" || fail "one rank: exit $?"
expect 'step measured ' "$scratch/serial"
expect 'conv1' "$scratch/serial"
expect "no kernel was measured on this machine: oracle calibrate --quick --for" "$scratch/serial"
expect 'processes in the minute before the steps' "$scratch/serial"
ORACLE_WATCHED=1 "$oracle" validate "$models/residual.json" --strategy data:2 --batch 64 --steps 3000 \
  --noise-scale --rate-warmup 20 \
  >"$scratch/watched" 2>"$scratch/progress" || fail "watched: exit $?"
expect ' of 3,000 steps, ' "$scratch/progress"
expect ' s left' "$scratch/progress"
expect 'noise scale' "$scratch/watched"
expect ' in the first half of the steps, ' "$scratch/watched"

"$oracle" validate "$models/residual.json" --strategy data:2 --batch 4 --steps 3 --check \
  --out "$scratch/run.json" --format json >"$scratch/pair" || fail "two ranks: exit $?"
expect '"promises": "kept"' "$scratch/pair"
expect '"collective": "all_reduce"' "$scratch/pair"
expect 'equals the serial run' "$scratch/pair"

"$oracle" estimate "$models/residual.json" --cluster here --strategy data:2 --batch 4 --format json \
  -o "$scratch/prediction.json"
"$oracle" compare "$scratch/prediction.json" "$scratch/run.json" --by transfer >"$scratch/compared" ||
  fail "compare: exit $?"
expect 'weight gradient' "$scratch/compared"

# Another batch is no prediction of this run; a transfer that sent half of its bytes is a broken promise.
"$oracle" estimate "$models/residual.json" --cluster here --strategy data:2 --batch 8 --format json \
  -o "$scratch/other.json"
status=0
"$oracle" compare "$scratch/other.json" "$scratch/run.json" 2>"$scratch/refused" || status=$?
((status == 2)) || fail "another batch: exit $status"
expect 'batch: "8" was predicted and "4" run' "$scratch/refused"
sed -E 's/"sent_bytes": 5440/"sent_bytes": 2720/' "$scratch/run.json" >"$scratch/half.json"
status=0
"$oracle" compare "$scratch/prediction.json" "$scratch/half.json" >"$scratch/broken" || status=$?
((status == 1)) || fail "half the bytes: exit $status"
expect 'where the plan has 5.44 kB' "$scratch/broken"
