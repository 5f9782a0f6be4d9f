#!/usr/bin/env bash
# regenerate.sh <binary> [file.golden...]: rewrites what the commands of the goldens print (all of them
# if none is named). Read the difference before committing it: every changed number needs a reason.
# shellcheck source=tests/shell/sandbox.sh
source "$(dirname "$(readlink -f "$0")")/../shell/sandbox.sh"
here=$(dirname "$(readlink -f "$0")")
if [[ $# == 0 ]]; then
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
fi
mapfile -t goldens < <(if (($# > 1)); then readlink -f "${@:2}"; else ls "$here"/*.golden; fi)

enter_sandbox "$(readlink -f "$here/../..")" "$(readlink -f "$1")"
for golden in "${goldens[@]}"; do
  line=$(head -n 1 "$golden")
  line=${line#'$ '}
  status=0
  run_line "$line" >"$sandbox/printed" || status=$?
  if ((status != $(expected_exit "$line"))); then
    echo "$golden: exit $status, expected $(expected_exit "$line"); left as it was" >&2
    exit 1
  fi
  printf '$ %s\n' "$line" | cat - "$sandbox/printed" >"$sandbox/golden"
  cp "$sandbox/golden" "$golden"
done
