#!/usr/bin/env bash
# self_test.sh: the README check runs the commands that it should, and fails where one does.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cat >"$tree/stub" <<'STUB'
#!/bin/sh
case $1 in --version) exit 0 ;; esac
echo "$@" >>"$STUB_LOG"
printf 'the answer\nits second line\nits third line\n'
case $1 in no) exit 1 ;; esac
STUB
chmod +x "$tree/stub"
export STUB_LOG=$tree/log

fail() {
  echo "$1"
  exit 1
}

cat >"$tree/README.md" <<'TEXT'
oracle outside a block
```console
$ ./oracle.sh plan net
the answer
…
its third line
$ oracle scale \
    net > curve.txt
$ oracle no           # exit 1
$ mpirun -n 4 oracle never
$ oracle plan net.onnx
not shown by a binary that reads none
```
```sh
./oracle.sh test
./oracle.sh estimate net
```
```json
oracle in another block
```
TEXT
"$here/check.sh" "$tree" "$tree/stub" "$tree/README.md" >/dev/null || fail "a good file does not pass"
[[ $(<"$STUB_LOG") == $'plan net\nscale net\nno\nestimate net' ]] || fail "ran: $(<"$STUB_LOG")"
[[ ! -e $tree/curve.txt ]] || fail "a command wrote into the tree"

printf '```sh\noracle no\n```\n' >"$tree/README.md"
if "$here/check.sh" "$tree" "$tree/stub" "$tree/README.md" >/dev/null; then
  fail "a failing command passes"
fi
printf '```sh\noracle yes  # exit 1\n```\n' >"$tree/README.md"
if "$here/check.sh" "$tree" "$tree/stub" "$tree/README.md" >/dev/null; then
  fail "a command that should exit 1 passes with 0"
fi

shown() {
  printf '```console\n$ oracle yes\n%s\n```\n' "$1" >"$tree/README.md"
  "$here/check.sh" "$tree" "$tree/stub" "$tree/README.md" >/dev/null
}
shown $'its second line\nits third line' || fail "shown lines that are printed do not pass"
if shown 'another answer'; then fail "a shown line that is not printed passes"; fi
if shown $'its second line\nthe answer'; then fail "shown lines in another order pass"; fi
