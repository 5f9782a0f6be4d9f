#!/usr/bin/env bash
# flow.sh <root> <build folder> <folder of the emulated modules>: where a driver and the modules seem to be, programs
# train, time and test on the emulated GPU as on a real one, through the same doors, and a campaign measures it.
set -Eeuo pipefail
root=$1 build=$2 modules=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'echo "flow: line $LINENO failed"; cat "$scratch/said"' ERR
export ORACLE_MODULES=$modules LD_LIBRARY_PATH=$modules${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ORACLE_DATA=$root

"$build/bin/oracle-train" "$root/tests/validate/models/residual.json" --device gpu --batch 4 --steps 2 --check \
  --out "$scratch/run.json" >"$scratch/said" 2>&1
grep -q 'equals the serial run' "$scratch/said"
grep -q '"processor": "emulated GPU' "$scratch/run.json"
grep -q '^  chosen  [0-9]* algorithms, with up to 0.001 MB of workspace$' "$scratch/said"
grep -q '"operation": "cudnnConvolutionForward"' "$scratch/run.json"
grep -q '"operation": "cudnnBackendExecute"' "$scratch/run.json"
grep -q '"operation": "cublasLtMatmul"' "$scratch/run.json"
grep -q '"workspace_bytes": 1000' "$scratch/run.json"
# A batch norm's kernels compute the rectifier behind it, forward and backward.
(($(grep -o '"computes_up_to": "relu1"' "$scratch/run.json" | wc -l) == 2))

"$build/bin/oracle-train" "$root/tests/validate/models/residual.json" --device gpu --precision bf16 --batch 4 --steps 2 \
  --check --out "$scratch/bf16.json" >"$scratch/said" 2>&1
grep -q 'equals the serial run' "$scratch/said"
grep -q '"precision": "bf16"' "$scratch/bf16.json"
grep -q '"kernels": ".*, bf16"' "$scratch/bf16.json"

"$build/bin/oracle-train" "$root/tests/validate/models/residual.json" --device gpu --precision fp16 --batch 4 --steps 3 \
  --check --out "$scratch/fp16.json" >"$scratch/said" 2>&1
grep -q 'equals the serial run' "$scratch/said"
grep -q '^  scale   32768 of the loss at the end, 0 steps skipped; .* s of a step to agree$' "$scratch/said"
grep -q '"skipped_steps": 0' "$scratch/fp16.json"

# Replayed, its losses are the same, bit for bit, in programs as well.
residual=("$root/tests/validate/models/residual.json" --device gpu --batch 4 --steps 6)
losses() { sed -n '/"losses"/,/]/p' "$1"; }
for precision in fp32 bf16; do
  replayed=("${residual[@]}" --optimizer adam --precision "$precision")
  "$build/bin/oracle-train" "${replayed[@]}" --out "$scratch/as_is.json" >"$scratch/said" 2>&1
  "$build/bin/oracle-train" "${replayed[@]}" --graph --out "$scratch/graph.json" >"$scratch/said" 2>&1
  grep -q '^  graph   3 steps replayed; items and input are timed in those before$' "$scratch/said"
  grep -q '"replayed_steps": 3' "$scratch/graph.json"
  [[ $(losses "$scratch/graph.json") =~ [0-9] ]]
  [[ $(losses "$scratch/as_is.json") == "$(losses "$scratch/graph.json")" ]]
  "$build/bin/oracle" compare "$scratch/as_is.json" "$scratch/graph.json" >"$scratch/said" 2>&1
done
# What the check reads between steps puts the recording off until a step takes no memory again.
"$build/bin/oracle-train" "${residual[@]}" --graph --check >"$scratch/said" 2>&1
grep -q '^  graph   [23] steps replayed; ' "$scratch/said"
grep -q 'equals the serial run' "$scratch/said"
"$build/bin/oracle" validate "${residual[@]}" --cluster h200-node --strategy serial --graph \
  --out "$scratch/validated.json" >"$scratch/said" 2>&1
grep -q '"replayed_steps": 3' "$scratch/validated.json"

# refused <sentence> <word>...: a step that cannot be replayed.
refused() {
  local sentence=$1 status=0
  shift
  "$@" >"$scratch/said" 2>&1 || status=$?
  ((status == 2))
  grep -q -- "--graph: $sentence" "$scratch/said"
}
refused "a processor's steps are not recorded" "$build/bin/oracle-train" alexnet --graph
refused "a processor's steps are not recorded" "$build/bin/oracle" validate alexnet --strategy serial --graph
refused 'in fp16 the host looks at the gradients' "$build/bin/oracle-train" "${residual[@]}" --precision fp16 --graph
refused 'replays the step of one rank, and the strategy has 2' "$build/bin/oracle" validate "${residual[@]}" \
  --cluster h200-node --strategy data:2 --ranks-per-gpu 2 --mps never --graph
refused 'the host brings images within the step' "$build/bin/oracle-train" "${residual[@]}" --data images --graph
refused 'leaves none of the 6 steps to be replayed' "$build/bin/oracle-train" "${residual[@]}" --warmup 5 --graph

"$build/bin/oracle" compare "$scratch/fp16.json" "$scratch/fp16.json" >"$scratch/said" 2>&1

"$build/bin/oracle" validate "$root/tests/validate/models/residual.json" --device gpu --cluster h200-node \
  --strategy serial --batch 4 --steps 2 >"$scratch/said" 2>&1
grep -q '^step measured ' "$scratch/said"

for name in train_1_volume_serial train_1_volume_serial_bf16 train_1_attention_serial_fp16 train_1_text_serial; do
  "$root/tests/gpu_tests.sh" --build "$build" --only $name >"$scratch/said" 2>&1
  grep -q "^passed $name\$" "$scratch/said"
done

# Two ranks are more than the emulated GPU has: said in a sentence, kept as failed.
status=0
"$root/validate/campaign.sh" --build "$build" --scale small --parts ceilings,training,ranks_per_gpu \
  --out "$scratch/campaign" >"$scratch/said" 2>&1 || status=$?
((status == 1))
grep -q '^ceilings: 4 measured, 0 failed$' "$scratch/said"
grep -q '^training: 11 measured, 0 failed$' "$scratch/said"
grep -q '^ranks_per_gpu: 0 measured, [12] failed$' "$scratch/said"
grep -q 'is one rank.s, and 2 were started' "$scratch/campaign/ranks_per_gpu.json"
"$root/validate/campaign/collect.py" "$scratch/campaign" -o "$scratch/collected.json" >"$scratch/said" 2>&1
for precision in tf32 bf16 fp16; do
  grep -q "\"precision\": \"$precision\".*\"device\": \"emulated GPU" "$scratch/collected.json"
done
(($(grep -o '"replayed_steps": 1' "$scratch/collected.json" | wc -l) == 3))
