# What the rules share: the tree under test and its files. Sourced; $1 is the root of the tree.
# shellcheck shell=bash
set -euo pipefail
cd "$1"

# Paths of the tree's own files, relative to its root: git's where the root is a repository's, else all
# but build folders.
tree_files() {
  if [[ $(git rev-parse --show-toplevel 2>/dev/null) == "$PWD" ]]; then
    git ls-files --cached --others --exclude-standard | while IFS= read -r file; do
      if [[ -f $file ]]; then printf '%s\n' "$file"; fi
    done
  else
    find . \( -path ./.git -o -path './build*' -o -path ./.cache \) -prune -o -type f -print | sed 's|^\./||'
  fi | LC_ALL=C sort
}

# Of those, the ones of our C++ code (CUDA's included).
code_files() { tree_files | grep -E '^(oracle|microbench|validate|tests)/.*\.(h|cpp|cu|cuh)$' || true; }

# Prints the violations on standard input; fails if there are any.
verdict() {
  local found
  found=$(cat)
  [[ -z $found ]] && return
  printf '%s\n' "$found"
  return 1
}
