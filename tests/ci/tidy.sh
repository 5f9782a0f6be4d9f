#!/usr/bin/env bash
# tidy.sh [file.cpp...]: clang-tidy has nothing to say about the engine's and the measuring programs'
# sources, as .clang-tidy asks. Needs the build folder of sanitized.sh, for its compiler commands.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

database=build-sanitized
[[ -f $database/compile_commands.json ]] || cmake --preset sanitized >/dev/null
if (($# > 0)); then printf '%s\n' "$@"; else
  code_files | grep -E '^(oracle|microbench|validate)/.*\.cpp$' | while read -r file; do
    if grep -qF "/$file\"" "$database/compile_commands.json"; then echo "$file"; fi
  done
fi | xargs -r -n 1 -P "$jobs" clang-tidy-14 --quiet -p "$database" 2> >(
  grep -vE '^[0-9]+ warnings? generated|^Suppressed|^Use -header-filter' >&2 || true)
