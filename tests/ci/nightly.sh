#!/usr/bin/env bash
# nightly.sh [seconds]: what takes too long for each change, run before a release: clang-tidy on all sources,
# each fuzz target for so many seconds (60) and, with casts of numbers checked, so many inputs, every check of
# undefined behaviour, and the coverage of the engine.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
failed=0
for check in "tidy.sh all" "fuzz.sh ${1-60}" "fuzz.sh 200000x" "sanitized.sh undefined" coverage.sh; do
  echo "== $check"
  # shellcheck disable=SC2086  # a check and its argument
  "$here"/$check || failed=1
done
exit "$failed"
