#!/usr/bin/env bash
# fuzz.sh [seconds] [seed]: each reader takes libFuzzer's inputs for that long (15 s) without a finding,
# from one seed (1), so that a check repeats; another seed explores. What it finds is kept in
# build-fuzz/found/.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

seconds=${1-15} seed=${2-1}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
  echo "fuzz.sh: \"$seconds\" is no number of seconds; write one such as 60" >&2
  exit 2
}
build_preset fuzz
export ORACLE_DATA=$PWD
export UBSAN_OPTIONS=print_stacktrace=1
found=build-fuzz/found
mkdir -p "$found"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# target <name> <dictionary> [file...]: the kept corpus and the files are where it starts.
target() {
  local name=$1 log=$scratch/$1.log status=0
  cp -r "tests/fuzz/corpus/$name" "$scratch/$name"
  if (($# > 2)); then cp "${@:3}" "$scratch/$name"; fi
  "build-fuzz/fuzz/bin/fuzz_$name" "$scratch/$name" -dict="tests/fuzz/$2.dict" -seed="$seed" -max_total_time="$seconds" \
    -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/$name-" \
    >"$log" 2>&1 || status=$?
  if ((status != 0)); then
    grep -vE '^#[0-9]+|^INFO' "$log" | tail -n 60
    echo "fuzz_$name: a finding, see above and $found"
    return 1
  fi
  echo "fuzz_$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions, no finding"
}

failed=0
target json json data/schema/*.json || failed=1
target model json models/*.json || failed=1
target device json data/devices/*.json || failed=1
target cluster json data/clusters/*.json || failed=1
target published json data/published/*.json || failed=1
target strategy text || failed=1
target quantity text || failed=1
exit "$failed"
