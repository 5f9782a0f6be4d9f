#!/usr/bin/env bash
# names.sh <root>: no two types of one name in one namespace of the programs' code, wherever they stand:
# linked into one program they would be one to the linker.
# shellcheck source=tests/rules/tree.sh
source "$(dirname "$0")/tree.sh"

# As clang-format writes it, what a namespace holds begins at the margin.
types() {
  awk '
    FNR == 1 { depth = 0 }
    /^namespace .*\{$/ { space[++depth] = $2; next }
    /^\}  \/\/ namespace/ { --depth; next }
    /^(template <.*> )?(struct|class|enum class) [A-Za-z_][A-Za-z_0-9]*( final)?( :.*)? \{/ {
      name = $0
      sub(/^(template <.*> )?(struct|class|enum class) /, "", name)
      sub(/[^A-Za-z_0-9].*/, "", name)
      where = ""
      for (i = 1; i <= depth; ++i) {
        if (space[i] == "{") next
        where = where space[i] "::"
      }
      print where name, FILENAME ":" FNR
    }' "$@"
}

mapfile -t files < <(code_files | grep -v '^tests/' || true)
if ((${#files[@]} == 0)); then exit 0; fi
types "${files[@]}" | LC_ALL=C sort | awk '
  $1 == last { print place ": " $1 " stands at " $2 " too; rename one, or put it where only its file sees it" }
  { last = $1; place = $2 }' | verdict
