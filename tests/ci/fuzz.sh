#!/usr/bin/env bash
# fuzz.sh [amount] [seed] [reader...]: each reader, or those named, takes libFuzzer's inputs without a
# finding. The amount is a number of seconds (5), or of inputs such as 10000000x; with a number of inputs
# the address sanitizer stays away and inputs stay short, which is ten times as fast. One seed (1), so that a
# check repeats; another seed explores. What it finds is kept in found/ of the build folder.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

amount=${1-5} seed=${2-1} wanted=" ${*:3} "
if [[ $amount =~ ^[1-9][0-9]*$ ]]; then
  preset=sanitized build=build-sanitized limit=(-max_total_time="$amount")
elif [[ $amount =~ ^[1-9][0-9]*x$ ]]; then
  preset=fuzz_fast build=build-fuzz-fast limit=(-runs="${amount%x}" -entropic=0 -reload=0)
else
  echo "fuzz.sh: \"$amount\" is no number of seconds or inputs; write one such as 60 or 10000000x" >&2
  exit 2
fi
build_preset "$preset"
export ORACLE_DATA=$PWD
export UBSAN_OPTIONS=print_stacktrace=1
found=$build/found
mkdir -p "$found"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# starts_from <folder> <longest> <file>...: the files, those of one name numbered, without those that a short
# input cannot hold.
starts_from() {
  mkdir "$1"
  local longest=()
  if [[ $preset != sanitized ]]; then longest=(-size "-$(($2 + 1))c"); fi
  find "${@:3}" "${longest[@]}" -exec cp --backup=numbered -t "$1" {} +
}

# target <name> <dictionary> <longest> [file...]: the kept corpus and the files are where it starts;
# an input counted has at most so many bytes.
target() {
  local name=$1 log=$scratch/$1.log status=0 length=() patience=30
  [[ $wanted == "  " || $wanted == *" $name "* ]] || return 0
  taken=$((taken + 1))
  starts_from "$scratch/$name" "$3" "tests/fuzz/corpus/$name"/* "${@:4}"
  if [[ $preset != sanitized ]]; then length=(-max_len="$3") patience=60; fi
  "$build/fuzz/bin/fuzz_$name" "$scratch/$name" -dict="tests/fuzz/$2.dict" -seed="$seed" "${limit[@]}" "${length[@]}" \
    -timeout="$patience" -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/$name-" \
    >"$log" 2>&1 || status=$?
  if ((status != 0)); then
    grep -vE '^#[0-9]+|^INFO' "$log" | tail -n 60
    echo "fuzz_$name: a finding, see above and $found"
    return 1
  fi
  echo "fuzz_$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, no finding"
}

failed=0 taken=0
target json json 1024 data/schema/*.json || failed=1
target model json 2048 models/*.json || failed=1
target device json 2048 data/devices/*.json || failed=1
target cluster json 2048 data/clusters/*.json || failed=1
target framework json 1024 data/frameworks/*.json || failed=1
target job text 4096 tests/data/jobs/*.log || failed=1
target published json 1024 data/published/*.json || failed=1
target budget json 1024 data/convergence/*.json data/datasets/*.json data/prices/*.json data/storage/*.json || failed=1
target strategy text 256 || failed=1
target quantity text 256 || failed=1
target host text 512 || failed=1
target arguments text 256 || failed=1
target onnx text 1024 tests/data/onnx/alexnet.onnx || failed=1
target samples json 1024 tests/data/torch-cpu/*.json || failed=1
target measurements text 1024 tests/data/measurements/* || failed=1
target trace json 2048 tests/data/traces/torch-*.json || failed=1
target topology text 1024 tests/data/nccl-topology/*.xml || failed=1
target allocation text 256 || failed=1
target images text 512 || failed=1
target tar text 6144 || failed=1
target checkpoint text 1024 || failed=1
target layer_case text 256 || failed=1
target calibration json 1024 tests/data/calibration/*.json || failed=1
target profile json 2048 tests/data/profiles/*.json || failed=1
if (($# > 2 && taken != $# - 2)); then
  echo "fuzz.sh: not every one of \"${*:3}\" is a reader; tests/fuzz/README.md lists them" >&2
  exit 2
fi
exit "$failed"
