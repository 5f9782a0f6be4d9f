#!/usr/bin/env bash
# headers.sh <root> <compiler> [flags...]: every header compiles alone. A header whose own .cpp includes
# it first is proved by the build; the others are compiled here. Those of back ends (cpu/, mpi/, ...) need
# their libraries and are left to the build.
# shellcheck source=tests/rules/tree.sh
source "$(dirname "$0")/tree.sh"
compiler=("${@:2}")

check() {
  local header=$1 own=${1%.h}.cpp
  if [[ -f $own && $(grep -m1 '^#include' "$own") == "#include \"$header\"" ]]; then return; fi
  "${compiler[@]}" -std=c++20 -I. -fsyntax-only -x c++ -include "$header" /dev/null 2>&1 |
    sed "s|^|$header alone: |"
}

code_files | { grep -E '\.h$' || true; } | { grep -vE '^microbench/.*/(cpu|gpu|mpi|nccl)/' || true; } | {
  jobs=$(nproc 2>/dev/null || echo 2)
  while IFS= read -r header; do
    while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
    check "$header" &
  done
  wait
} | verdict
