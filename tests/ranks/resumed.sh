#!/usr/bin/env bash
# resumed.sh <oracle-train> <models>: on four ranks, where the order of sums counts, a run that goes on from a checkpoint
# ends with the bytes of one that was never stopped; on two ranks and another strategy it has its losses within 1e-5.
set -euo pipefail
train=$1 models=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "resumed.sh: $1"
  cat "$scratch/said" 2>/dev/null
  exit 1
}

# train <ranks> <strategy> <steps> <argument>...
train() {
  mpirun --oversubscribe --bind-to none -np "$1" "$train" "$models/$model.json" --strategy "$2" --steps "$3" --batch 8 \
    --optimizer momentum --rate 0.01 "${@:4}" >"$scratch/said" 2>&1 || fail "$model, $2: exit $?"
}
losses() { sed -n '/"losses": \[/,/\]/p' "$1" | grep -oE -- '-?[0-9][0-9.e+-]*'; }

last=step-000000000012.safetensors
for model in residual uneven transformer; do
  for strategy in 'data:4' 'data:4; bucket=1 kB' 'data:2,filter:2' 'data:4; zero=2'; do
    rm -rf "$scratch/whole" "$scratch/half"
    train 4 "$strategy" 12 --checkpoint "$scratch/whole" --out "$scratch/whole.json"
    train 4 "$strategy" 5 --checkpoint "$scratch/half"
    train 4 "$strategy" 12 --resume "$scratch/half" --checkpoint "$scratch/half" --out "$scratch/half.json"
    cmp "$scratch/whole/$last" "$scratch/half/$last" || fail "$model, $strategy: the last checkpoint is another"
    # A batch norm of other replicas normalizes other samples.
    if [[ $model == residual ]]; then continue; fi
    rm "$scratch/half/$last"
    train 2 'data:2' 12 --resume "$scratch/half" --out "$scratch/two.json"
    paste <(losses "$scratch/whole.json" | tail -n 7) <(losses "$scratch/two.json") | awk -v model="$model" '
      NF != 2 || ($1 - $2) ^ 2 > (1e-5 * $1) ^ 2 { print model ": " $0; bad = 1 }
      END { exit bad || NR != 7 }' || fail "$model, $strategy: on two ranks losses are others"
  done
done
