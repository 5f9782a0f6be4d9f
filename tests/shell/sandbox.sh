# Runs commands of the README files and goldens as a reader would, writing nothing into the tree. Sourced.
# shellcheck shell=bash
set -euo pipefail

# enter_sandbox <root> <binary>: a temporary folder that looks like the root of the tree becomes the
# current one; `oracle` and ./oracle.sh are the binary.
enter_sandbox() {
  sandbox=$(mktemp -d)
  trap 'rm -rf "$sandbox"' EXIT
  mkdir "$sandbox/bin" "$sandbox/tree"
  ln -s "$1"/* "$sandbox/tree/"
  rm -f "$sandbox/tree/oracle.sh"
  ln -s "$2" "$sandbox/bin/oracle"
  ln -s "$2" "$sandbox/tree/oracle.sh"
  PATH=$sandbox/bin:$PATH
  export ORACLE_DATA=$1 NO_COLOR=1 COLUMNS=100
  cd "$sandbox/tree"
}

# The exit status that a line announces by a comment "# exit N" at its end, else 0.
expected_exit() {
  if [[ $1 =~ \#\ exit\ ([0-9]+)$ ]]; then echo "${BASH_REMATCH[1]}"; else echo 0; fi
}

# What the command prints, without the commit and the revision that an answer in JSON carries.
run_line() {
  bash -o pipefail -c "$1" </dev/null | sed -E 's/^( *"(commit|data_revision)": )"[^"]*"/\1"…"/'
}
