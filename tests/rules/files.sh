#!/usr/bin/env bash
# files.sh <root>: names in snake_case, no file over 500 lines, #pragma once first in each header,
# a README.md in each top-level folder.
# shellcheck source=tests/rules/tree.sh
source "$(dirname "$0")/tree.sh"

{
  code_files | { grep -vE '^([a-z0-9_]+/)+[a-z0-9_]+\.(h|cpp|cu|cuh)$' || true; } |
    sed 's/$/: name not in snake_case/'

  tree_files | { grep -E '\.(h|cpp|cu|cuh|sh|cmake|txt|py)$' || true; } |
    xargs -r awk 'FNR == 501 { print FILENAME ": over 500 lines" }'

  code_files | { grep -E '\.(h|cuh)$' || true; } | xargs -r awk '
    FNR == 1 && $0 != "#pragma once" { print FILENAME ":1: does not begin with #pragma once" }'

  tree_files | { grep -oE '^[^./][^/]*/' || true; } | LC_ALL=C sort -u | while read -r folder; do
    [[ -f ${folder}README.md ]] || echo "$folder: has no README.md"
  done
} | verdict
