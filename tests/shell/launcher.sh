#!/usr/bin/env bash
# launcher.sh <root>: ./oracle.sh asks for what a question needs, and configures again once packages
# have changed. Programs of the system are stand-ins that write down how they were called.
set -euo pipefail
root=$(readlink -f "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/tree/oracle/cmake" "$scratch/bin"
cp "$root/oracle.sh" "$scratch/tree/"
cp "$root/oracle/cmake/packages.sh" "$scratch/tree/oracle/cmake/"

stand_in() {
  printf '#!/usr/bin/env bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$scratch" "${2-}" >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}
stand_in cmake "mkdir -p '$scratch/tree/build/bin' && touch '$scratch/tree/build/build.ninja'"
stand_in ninja "printf '#!/bin/sh\necho answered\n' >'$scratch/tree/build/bin/oracle' && chmod +x '$scratch/tree/build/bin/oracle'"
stand_in dpkg-query
stand_in apt-get
stand_in id 'echo 0'
PATH=$scratch/bin:$PATH

failed=0
# expect <what it is> <pattern> <calls>
expect() {
  if ! grep -qE "$2" <<<"$3"; then
    printf '%s: expected %s in\n%s\n' "$1" "$2" "$3"
    failed=1
  fi
}
# The calls of one run.
calls_of() {
  : >"$scratch/calls"
  (cd "$scratch/tree" && ./oracle.sh "$@") >"$scratch/out" 2>"$scratch/err"
  cat "$scratch/calls"
}

calls=$(calls_of list models)
expect "a question about the models here" '^apt-get install' "$calls"
if grep -q libonnx-dev <<<"$calls"; then
  echo "ONNX is installed for a question that needs none"
  failed=1
fi
expect "an ONNX file" '^apt-get install.* libonnx-dev' "$(calls_of plan net.onnx --gpus 4)"
expect "the answer" answered "$(cat "$scratch/out")"
if grep -q '^cmake' <<<"$(calls_of plan net.onnx --gpus 4)"; then
  echo "configured although nothing has changed"
  failed=1
fi
if [[ -f /var/lib/dpkg/status ]]; then
  touch -d 2000-01-01 "$scratch"/tree/build/.ready-*
  expect "packages that changed since" '^cmake' "$(calls_of plan net.onnx --gpus 4)"
fi
exit "$failed"
