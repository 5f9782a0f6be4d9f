#!/usr/bin/env bash
# coverage.sh [folder] [least]: the tests run at least 90 % of the lines of oracle/. Builds in the folder
# (build-coverage) and prints a row for each folder of the engine, then the files that fall short; the lines
# themselves lie in folder/lines/index.html. A build of its own: too long for .ci/run.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

folder=${1-build-coverage} least=${2-90}
[[ $least =~ ^[0-9]+$ ]] || {
  echo "coverage.sh: \"$least\" is no share in percent; write one such as 90" >&2
  exit 2
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# quietly <command>...: prints what it printed where it fails.
quietly() {
  "$@" >"$log" 2>&1 || {
    cat "$log"
    return 1
  }
}

mkdir -p "$folder"
folder=$(readlink -f "$folder")
# Programs of the build itself count too, into a file that is thrown away.
LLVM_PROFILE_FILE=/dev/null quietly cmake --preset coverage -B "$folder"
LLVM_PROFILE_FILE=/dev/null quietly cmake --build "$folder"

counts=$folder/counts
rm -rf "$counts" "$folder/lines"
# One file for each program (%m); processes add to it in turn. What is linked with an archive of counters
# would need their library, and the rules look at the sources.
LLVM_PROFILE_FILE=$counts/%m.profraw quietly ctest --test-dir "$folder" --no-tests=error -j "$jobs" \
  --output-on-failure --exclude-regex '^rules/|^install/(find_package|pkg_config)'
llvm-profdata-14 merge -sparse -o "$counts/all" "$counts"/*.profraw
objects=("$folder/bin/oracle")
for program in "$folder"/tests/bin/*; do objects+=(-object "$program"); done
of_engine=(-instr-profile "$counts/all" "${objects[@]}" "$PWD/oracle")
llvm-cov-14 show -format=html -output-dir="$folder/lines" "${of_engine[@]}"
llvm-cov-14 export -format=lcov -summary-only "${of_engine[@]}" |
  /usr/bin/python3 tests/ci/coverage.py "$PWD" "$least"
