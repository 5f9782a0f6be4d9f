#!/usr/bin/env bash
# planned.sh <oracle> <oracle-train> <models>: what oracle estimate or oracle plan answered in JSON is what
# oracle-train runs; what no longer suits is refused, with place and remedy.
set -euo pipefail
oracle=$1 train=$2 models=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "planned.sh: $1"
  cat "$scratch/err" 2>/dev/null
  exit 1
}

ranks() { mpirun --oversubscribe --bind-to none -np "$@" 2>"$scratch/err"; }
expect() { grep -qF -- "$1" "$2" || fail "does not say: $1"; }

# refused <message> <ranks> <words of oracle-train>...
refused() {
  local status=0
  ranks "$2" "$train" "${@:3}" >/dev/null || status=$?
  ((status == 2)) || fail "exit $status instead of 2"
  expect "$1" "$scratch/err"
}

cp "$models/residual.json" "$scratch/net.json"
estimate=("$oracle" estimate "$scratch/net.json" --cluster xeon-ethernet --batch 8)
"${estimate[@]}" --strategy data:2,height:2 --optimizer sgd --format json -o "$scratch/plan.json"
ranks 4 "$train" --plan "$scratch/plan.json" --steps 3 --check --out "$scratch/run.json" >"$scratch/said" ||
  fail "four ranks: exit $?"
expect 'residual, data:2,height:2, batch 8, 3 steps on 4 ranks' "$scratch/said"
expect 'every item sends what the plan says' "$scratch/said"
expect 'equals the serial run' "$scratch/said"
expect '"optimizer": "sgd"' "$scratch/run.json"
# The comparison refuses what is not the run of the prediction.
"$oracle" compare "$scratch/plan.json" "$scratch/run.json" >/dev/null || fail "compare: exit $?"

refused 'plan.json: it has 4 ranks, and 2 were started; start as many: mpirun -np 4' 2 --plan "$scratch/plan.json"
refused "--batch: is the plan's" 4 --plan "$scratch/plan.json" --batch 4

# The best that a search found.
"$oracle" plan "$scratch/net.json" --cluster xeon-ethernet --gpus 2 --batch 8 --format json -o "$scratch/best.json"
ranks 2 "$train" --plan "$scratch/best.json" --steps 2 >"$scratch/said" || fail "a search: exit $?"
expect 'batch 8, 2 steps on 2 ranks' "$scratch/said"

# What GPUs compute in one kernel and processors do not.
"$oracle" estimate "$scratch/net.json" --cluster cloud-10gbe --batch 8 --strategy data:2 --format json -o "$scratch/gpus.json"
refused 'norm1: the back end "cpu" has no kernel that computes relu1 as well; add "; fusion=off"' 2 \
  --plan "$scratch/gpus.json"
"$oracle" estimate "$scratch/net.json" --cluster cloud-10gbe --batch 8 --strategy 'data:2; fusion=off' --format json \
  -o "$scratch/gpus.json"
ranks 2 "$train" --plan "$scratch/gpus.json" --steps 2 --check >"$scratch/said" || fail "planned for GPUs: exit $?"
expect 'equals the serial run' "$scratch/said"

# A network that has changed since is another plan.
sed -i 's/"features": 8/"features": 16/' "$scratch/net.json"
refused 'network or cluster have changed since: estimate again' 4 --plan "$scratch/plan.json"
