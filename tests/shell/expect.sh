# shellcheck shell=bash
# For scripts that source it: a folder $scratch, and what a command is to end with.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect <exit code> <text> <command>...: it ends so, and says what matches.
expect() {
  local status=0
  "${@:3}" >"$scratch/said" 2>&1 || status=$?
  if ((status != $1)) || ! grep -qE -- "$2" "$scratch/said"; then
    cat "$scratch/said"
    echo "${0##*/}: exit $status instead of $1, or not said: $2: ${*:3}"
    exit 1
  fi
}
