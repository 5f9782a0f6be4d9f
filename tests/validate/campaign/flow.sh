#!/usr/bin/env bash
# flow.sh <root>: a campaign takes each point once, whatever ends it in between; keeps what fails; and is of one machine.
# With programs that measure nothing (stub.sh) and a clock that only goes on when it is asked.
set -Eeuo pipefail
here=$(dirname "$(readlink -f "$0")")
campaign=$1/validate/campaign.sh collect=$1/validate/campaign/collect.py
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'echo "flow: line $LINENO failed"' ERR
export STUB_LOG=$scratch/log STUB='' STUB_VERSION='oracle 1'
parts=ceilings,training,ranks_per_gpu,collectives all=5
mkdir -p "$scratch/build/bin" "$scratch/clock"
for program in oracle oracle-train oracle-bench oracle-bench-links mpirun; do
  ln -s "$here/stub.sh" "$scratch/build/bin/$program"
done
cat >"$scratch/clock/date" <<'CLOCK'
#!/bin/sh
# Of seconds, an hour more each time.
[ "$1" = +%s ] || exec /bin/date "$@"
echo $(($(cat "$STUB_LOG.clock" 2>/dev/null || echo 0) + 3600)) >"$STUB_LOG.clock.new"
mv "$STUB_LOG.clock.new" "$STUB_LOG.clock"
cat "$STUB_LOG.clock"
CLOCK
chmod +x "$scratch/clock/date"

fail() {
  printf '%s\n' "flow: $*" "$(cat "$scratch/said" 2>/dev/null)"
  exit 1
}

# run <exit code> <words>...: a campaign of processors.
run() {
  local status=0
  "$campaign" --build "$scratch/build" --device cpu --scale small --parts "$parts" "${@:2}" >"$scratch/said" 2>&1 || status=$?
  ((status == $1)) || fail "exit $status instead of $1: ${*:2}"
}

said() { grep -q -- "$1" "$scratch/said" || fail "does not say: $1"; }
calls() { wc -l <"$STUB_LOG"; }

# count <folder> <text>: of points.
count() { cat "$1"/*.json | grep -c -- "$2" || true; }

one_run() {
  : >"$STUB_LOG"
  run 0 --out "$scratch/one" --dry-run
  said "$all points"
  [[ $(calls) == 0 && ! -e $scratch/one ]] || fail 'a dry run does something'

  run 0 --out "$scratch/one"
  [[ $(calls) == "$all" ]] || fail "$(calls) calls instead of $all"
  [[ $(count "$scratch/one" '"status": "done"') == "$all" ]] || fail 'not every point is kept'
  [[ $(grep -lx ' "complete": true,' "$scratch"/one/*.json | wc -l) == 4 ]] || fail 'a part is not complete'
  run 0 --out "$scratch/one"
  [[ $(calls) == "$all" ]] || fail 'what is complete is measured again'
}

# Ten hours of a clock that goes on by one each time it is asked are over before the last part has its turn.
bounded_run() {
  : >"$STUB_LOG"
  PATH=$scratch/clock:$PATH run 0 --out "$scratch/bounded" --minutes 600
  said 'the time is over'
  [[ $(calls) == $((all - 1)) ]] || fail "$(calls) calls instead of $((all - 1))"
  [[ ! -e $scratch/bounded/collectives.json ]] || fail 'a part without a point has a file'
  PATH=$scratch/clock:$PATH run 0 --out "$scratch/bounded" --minutes 600
  [[ $(calls) == "$all" ]] || fail "$(calls) calls instead of $all"
  [[ $(count "$scratch/bounded" '"status": "done"') == "$all" ]] || fail 'not every point is kept'
  ! grep -q 'the time is over' "$scratch/said" || fail 'it comes to no end'
}

failures() {
  : >"$STUB_LOG"
  STUB='fail --batch 4' run 1 --out "$scratch/failed"
  said 'mobilenet_v2 batch 4 fp32 FAILED, exit 3'
  [[ $(count "$scratch/failed" '"status": "failed"') == 1 ]] || fail 'what failed is not kept'
  run 1 --out "$scratch/failed"
  [[ $(calls) == "$all" ]] || fail 'what failed is measured again'
  /usr/bin/python3 - "$scratch/failed/training.json" <<'PYTHON'
import json, sys
points = {point["point"]: point for point in json.load(open(sys.argv[1]))["points"]}
failed = points["mobilenet_v2 batch 4 fp32"]
assert failed["exit"] == 3 and "result" not in failed, failed
assert failed["message"] == 'a "quoted" line\nand a\tsecond one', failed["message"]
assert points["mobilenet_v2 batch 2 fp32"]["result"]["items"][0]["seconds"] == 0.25
PYTHON
}

# On a GPU: its tests are points too, back ends and precisions are the GPU's.
on_a_gpu() {
  local words
  : >"$STUB_LOG"
  mkdir -p "$scratch/build/generated" "$scratch/build/tests/bin"
  ln -s "$here/stub.sh" "$scratch/build/tests/bin/tests_microbench"
  printf '%s\n' 'kernels_gpu kernels gpu Suites/*:More.*' 'kernels_gpu-bf16 kernels gpu-bf16 Suites/*' \
    'train_2_residual_data:2 ranks 2 oracle-train residual.json --device gpu --strategy data:2 --precision bf16 --check' \
    >"$scratch/build/generated/gpu_tests.txt"
  mkdir -p "$scratch/gpu_bin"
  ln -s "$here/stub.sh" "$scratch/gpu_bin/nvidia-cuda-mps-control"
  ln -s "$here/stub.sh" "$scratch/gpu_bin/compute-sanitizer"
  STUB=gpu PATH=$scratch/gpu_bin:$PATH run 0 --out "$scratch/gpu" --device gpu --parts "gpu_tests,$parts,sanitizer"
  said 'gpu_tests: 3 measured, 0 failed'
  said 'sanitizer: 4 measured, 0 failed'
  [[ $(count "$scratch/gpu" '"status": "done"') == 25 ]] || fail 'not every point is kept'
  for words in 'tests_microbench --gtest_filter=Suites/\*:More.\*' 'oracle-train .*residual.json --device gpu .*--precision bf16 .*--check' \
    'oracle-bench --backend gpu-tf32 ' 'oracle-train mobilenet_v2 .*--device gpu --precision bf16 --batch 4 ' \
    'oracle-train mobilenet_v2 .*--device gpu --precision bf16 .*--steps 4 --warmup 1 --graph ' \
    'compute-sanitizer --tool racecheck --error-exitcode 1 .*tests_microbench --gtest_filter=Suites/\*:More.\* ' \
    'oracle-train .*--device gpu --ranks-per-gpu 2 --strategy data:2 ' 'oracle-bench-links --device gpu ' 'nvidia-cuda-mps-control -d' 'nvidia-cuda-mps-control quit'; do
    grep -q -- "^$words" "$STUB_LOG" || fail "nothing is called as $words: $(<"$STUB_LOG")"
  done
  grep -q '"point": "mobilenet_v2 data:2 mps".*CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50 ' "$scratch/gpu/ranks_per_gpu.json" ||
    fail 'no rank has its part of the GPU'
}

# A signal ends the point that is under way; those before it stay.
ended() {
  local status=0 pid
  : >"$STUB_LOG"
  mkfifo "$STUB_LOG.started" "$STUB_LOG.never"
  STUB='hang --batch 4' "$campaign" --build "$scratch/build" --device cpu --scale small --parts training \
    --out "$scratch/ended" >"$scratch/said" 2>&1 &
  local running=$!
  read -r pid <"$STUB_LOG.started"
  kill -TERM "$running"
  wait "$running" || status=$?
  [[ $status == 143 ]] || fail "exit $status instead of 143"
  ! kill -0 "$pid" 2>/dev/null || fail 'the point under way lives on'
  [[ $(count "$scratch/ended" '"status": "done"') == 1 ]] || fail 'the point before is lost'
  run 0 --out "$scratch/ended" --parts training
  [[ $(count "$scratch/ended" '"status": "done"') == 2 ]] || fail 'it does not go on'
}

refusals() {
  STUB_VERSION='oracle 2' run 2 --out "$scratch/one"
  said 'is of another machine, driver or version'
  run 2 --out "$scratch/none" --minutes soon
  said '"soon" is not an integer of minutes'
  run 2 --out "$scratch/none" --parts trainings
  said 'no part is called "trainings"'
  run 2 --out "$scratch/none" --colour
  run 3 --out "$scratch/none" --device gpu
  said 'there is no GPU driver on this machine'
  [[ ! $(ls "$scratch/none" 2>/dev/null) ]] || fail 'a file is left behind'
}

# What is compared most comes first, once.
order() {
  local all
  STUB=gpu run 0 --device gpu --scale full --parts training --out "$scratch/order" --dry-run
  sed -n 2p "$scratch/said" | grep -q '^  resnet50 batch 256 bf16 ' || fail 'another point comes first'
  all=$(grep -c '^  resnet50 batch 256 bf16 ' "$scratch/said")
  [[ $all == 1 ]] || fail "the first is measured $all times"
}

collection() {
  "$collect" "$scratch/failed" -o "$scratch/collected.json"
  grep -q '"layer_seconds": \[\["conv1", "forward", 0.25\]\]' "$scratch/collected.json" || fail 'no layers'
  grep -q '"step_seconds": \[0.5, 0.5, 0.5\]' "$scratch/collected.json" || fail 'a step of the warm-up counts'
  sed -i 's/"hardware": "/&another /' "$scratch/failed/ceilings.json"
  local status=0
  "$collect" "$scratch/failed" >"$scratch/said" 2>&1 || status=$?
  [[ $status == 2 ]] || fail "another machine's part is collected: exit $status"
  said 'another machine'
  echo '{}' >"$scratch/failed/ceilings.json"
  "$collect" "$scratch/failed" >"$scratch/said" 2>&1 || status=$?
  said 'ceilings.json: it is no part of a campaign'
}

one_run
bounded_run
failures
on_a_gpu
order
ended
refusals
collection
