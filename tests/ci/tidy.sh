#!/usr/bin/env bash
# tidy.sh [all | file.cpp...]: clang-tidy has nothing to say, as .clang-tidy asks, about the sources of the
# engine and of what measures and trains that differ from ORACLE_TIDY_BASE (the newest tag, or the three commits
# before), about all of them, or about those named.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

database=build-tidy
build_preset tidy

# Those of which the build knows how they are compiled; there may be none.
known() {
  while read -r file; do
    if [[ $file =~ ^(oracle|microbench|validate)/.*\.cpp$ ]] &&
      grep -qF "/$file\"" "$database/compile_commands.json"; then echo "$file"; fi
  done
}

changed() {
  local base=${ORACLE_TIDY_BASE-}
  [[ -n $base ]] || base=$(git describe --tags --abbrev=0 2>/dev/null) || base=HEAD~3
  # A shallow copy has no such commit.
  git diff --name-only --diff-filter=d "$base" 2>/dev/null || code_files
}

if [[ ${1-} == all ]]; then code_files | known; elif (($# > 0)); then printf '%s\n' "$@"; else changed | known; fi |
  xargs -r -n 1 -P "$jobs" clang-tidy-14 --quiet -p "$database" 2> >(
    grep -vE '^[0-9]+ warnings? generated|^Suppressed|^Use -header-filter' >&2 || true)
