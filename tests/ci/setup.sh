# What the checks share: the tools they need, and the C++ files they look at. Sourced from the root.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
# shellcheck source=oracle/cmake/packages.sh
source oracle/cmake/packages.sh
# shellcheck source=tests/rules/tree.sh
source tests/rules/tree.sh .

read -ra needed <<<"$(packages_for check)"
ensure_packages "${needed[@]}" || exit
jobs=$(nproc 2>/dev/null || echo 2)

# build_preset <name>: configures and builds quietly; where that fails, prints why.
build_preset() {
  local log status=0
  log=$(mktemp)
  { cmake --preset "$1" >"$log" && cmake --build --preset "$1" >"$log"; } 2>&1 || status=$?
  if ((status != 0)); then grep -vE '^\[[0-9]+/[0-9]+\] ' "$log" || true; fi
  rm -f "$log"
  return "$status"
}

# test_preset <name> [ctest options]: prints what fails and the summary.
test_preset() {
  ctest --preset "$1" --no-tests=error -j "$jobs" "${@:2}" |
    { grep -vE '^ *[0-9]+/[0-9]+ Test.* Passed|^ *Start +[0-9]+:' || true; }
}
