#!/usr/bin/env bash
# format.sh [--fix]: every C++ file is formatted as .clang-format says; --fix rewrites those that are not.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

if [[ ${1-} == --fix ]]; then
  code_files | xargs -r clang-format-14 -i
else
  unformatted=$(code_files | xargs -r clang-format-14 --dry-run 2>&1 | grep -oE '^[^:]+:[0-9]+' | sort -u -t: -k1,1) || true
  [[ -z $unformatted ]] || {
    printf '%s\n' "$unformatted" "mend with tests/ci/format.sh --fix"
    exit 1
  }
fi
