#!/usr/bin/env bash
# serial_step.sh [--program FILE] [--rounds N] [--only MODEL] [--scale small] [--out FILE]: how fast
# is the serial training step on one core, beside oneDNN alone on the same shapes and, where python3
# has torch, beside PyTorch? Prints a table for each network and writes FILE, a JSON array of the
# results. Exit code 1 where a bar is missed; --scale small takes tiny inputs and judges no time.
set -euo pipefail

folder=$(dirname "$(readlink -f "$0")")
program=$folder/../../build/bin/oracle-bench-step
rounds=5 only='' scale=full out=''

usage() {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}

while (($#)); do
  (($# > 1)) || usage
  case $1 in
    --program) program=$2 ;;
    --rounds) rounds=$2 ;;
    --only) only=$2 ;;
    --scale) scale=$2 ;;
    --out) out=$2 ;;
    *) usage ;;
  esac
  shift 2
done
[[ $scale == full || $scale == small ]] || usage
if [[ ! -x $program ]]; then
  echo "serial_step.sh: no program $program; build the target oracle-bench-step" >&2
  exit 3
fi
export ORACLE_DATA=${ORACLE_DATA:-$folder/../..} OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1

python=''
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import torch, torchvision' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[[ $python ]] || echo "serial_step.sh: python3 has no torch and torchvision; without PyTorch" >&2

work=$(mktemp -d)
child=''
trap '[[ -z $child ]] || kill "$child" 2>/dev/null; rm -rf "$work"' EXIT

results=() status=0

# network <model> <batch> <input> <bars>...
network() {
  local model=$1 batch=$2 input=$3
  shift 3
  [[ -z $only || $only == "$model" ]] || return 0
  local words=("$model" --batch "$batch" --input "$input" --rounds "$rounds"
    --out "$work/$model.json")
  [[ $scale == small ]] || words+=("$@")
  if [[ $python ]]; then
    mkfifo "$work/$model.ask" "$work/$model.answer"
    "$python" "$folder/torch_step.py" "$model" "$batch" "$input" "$work/$model.ask" \
      "$work/$model.answer" &
    child=$!
    words+=(--beside "$work/$model")
  fi
  local code=0
  "$program" "${words[@]}" || code=$?
  # A program that gave up may never have opened the pipes: the trap ends who waits for them.
  ((code <= 1)) || exit "$code"
  if [[ $child ]]; then
    wait "$child" || true
    child=''
  fi
  ((code == 0)) || status=1
  results+=("$work/$model.json")
}

if [[ $scale == small ]]; then
  network resnet50 2 3x32x32
  network vgg16 1 3x224x224
  network mobilenet_v2 2 3x32x32
  network cosmoflow 1 4x32x32x32
else
  network resnet50 8 3x224x224 --least-step-rate 0.65 --least-rate 0.65 --most-rest 0.35 \
    --least-speed 1
  network vgg16 4 3x224x224 --least-step-rate 0.65 --least-rate 0.65 --least-speed 1
  network mobilenet_v2 16 3x224x224 --least-speed 1
  network cosmoflow 1 4x128x128x128 --least-step-rate 0.65 --least-rate 0.65 --least-speed 1
fi

if ((${#results[@]} == 0)); then
  echo "serial_step.sh: no network called $only" >&2
  exit 2
fi
if [[ $out ]]; then
  {
    printf '[\n'
    for i in "${!results[@]}"; do
      ((i == 0)) || printf ',\n'
      cat "${results[i]}"
    done
    printf ']\n'
  } >"$work/all.json"
  mv "$work/all.json" "$out"
fi
exit "$status"
