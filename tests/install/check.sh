#!/usr/bin/env bash
# check.sh <step> <build folder> <compiler>: the finished build, installed below a temporary prefix, serves
# its users. Steps: program find_package pkg_config manual completion training debian.
set -Eeuo pipefail
here=$(dirname "$(readlink -f "$0")")
step=$1 build=$2 compiler=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'echo "install/$step: line $LINENO failed"' ERR
prefix=$scratch/prefix
unset ORACLE_DATA
export XDG_DATA_DIRS=$scratch/none

fail() {
  printf '%s\n' "install/$step: $*"
  exit 1
}

# expect <what> <printed> <expected>
expect() { [[ $2 == "$3" ]] || fail "$1: printed \"$2\", expected \"$3\""; }

installed() { find "$prefix" -path "*/$1" -print -quit; }

# What the program says of the example's question, in seconds.
same_step() {
  local seconds
  seconds=$("$prefix/bin/oracle" estimate resnet50 --cluster abci --strategy data:64 --batch 2048 \
    --framework oracle-train --format json | awk '/"step_time"/ { inside = 1 } inside && /"value"/ { gsub(/,/, ""); print $2; exit }')
  awk -v a="$seconds" -v b="$1" 'BEGIN { exit !(a > 0 && a + 0 == b + 0) }' ||
    fail "the example printed $1, oracle estimate $seconds"
}

# The program answers from a folder that is not its own, with the installed data: the build's are hidden.
program() {
  (cd / && "$prefix/bin/oracle" list models --format csv) >"$scratch/models"
  local program
  for program in oracle-bench oracle-bench-input oracle-bench-links oracle-train; do
    [[ ! -x $build/bin/$program || -x $prefix/bin/$program ]] || fail "$program is not installed"
  done
  for program in "$build"/lib/oracle-*.so; do
    [[ ! -e $program || -e $prefix/lib/oracle/$(basename "$program") ]] || fail "$program is not installed"
  done
  expect models "$(tail -n +2 "$scratch/models" | wc -l)" \
    "$(find "$here/../../models" -name '*.json' | wc -l)"
  mv "$prefix/share/oracle" "$scratch/moved"
  local status=0
  (cd / && "$prefix/bin/oracle" list models) >/dev/null 2>"$scratch/errors" || status=$?
  expect 'exit without data' "$status" 3
  XDG_DATA_DIRS=$scratch/none:$scratch/share
  mkdir -p "$scratch/share"
  mv "$scratch/moved" "$scratch/share/oracle"
  (cd / && "$prefix/bin/oracle" list models --format csv) | cmp - "$scratch/models"
}

find_package() {
  cmake -S "$here/example" -B "$scratch/example" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/example" >>"$scratch/log" 2>&1 || fail "$(<"$scratch/log")"
  local data
  data=$(sed -n 's/^-- data: //p' "$scratch/log")
  expect data "$(readlink -f "$data")" "$(readlink -f "$prefix/share/oracle")"
  same_step "$(ORACLE_DATA=$data "$scratch/example/example")"
  if grep -rqF "$build" "$prefix"/lib*/cmake "$prefix"/lib*/*/cmake 2>/dev/null; then
    fail 'the package names the build folder'
  fi
}

pkg_config() {
  command -v pkg-config >/dev/null || return 0
  mv "$prefix" "$scratch/elsewhere"
  prefix=$scratch/elsewhere
  PKG_CONFIG_PATH=$(dirname "$(installed pkgconfig/oracle.pc)")
  export PKG_CONFIG_PATH
  local flags
  read -ra flags <<<"$(pkg-config --cflags --libs oracle)"
  "$compiler" "$here/example/main.cpp" -o "$scratch/example" "${flags[@]}"
  same_step "$(ORACLE_DATA=$(pkg-config --variable=datadir oracle) "$scratch/example")"
}

manual() {
  local page=$prefix/share/man/man1/oracle.1 command
  for command in plan estimate scale list show accuracy; do
    grep -q "^\.SS .*oracle $command" "$page" || fail "the page has no section of $command"
  done
  command -v man >/dev/null || return 0
  MANWIDTH=100 LC_ALL=C.UTF-8 man --warnings -l "$page" >"$scratch/page" 2>"$scratch/errors"
  expect 'complaints of man' "$(<"$scratch/errors")" ''
  grep -q -- '--cluster NAME' "$scratch/page" || fail 'the page does not show --cluster NAME'
}

# complete <words>...: what bash offers for the last of them.
complete_with_bash() {
  PATH=$prefix/bin:$PATH bash -c 'source "$1"; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _oracle; echo "${COMPREPLY[*]}"' \
    bash "$prefix/share/bash-completion/completions/oracle" "$@"
}

completion() {
  expect 'oracle pl' "$(complete_with_bash oracle pl)" plan
  expect 'a model' "$(complete_with_bash oracle plan resnet5)" resnet50
  expect 'a cluster' "$(complete_with_bash oracle plan resnet50 --cluster abc)" abci
  expect 'after =' "$(complete_with_bash oracle plan --cluster = abc)" abci
  expect 'a model behind options' "$(complete_with_bash oracle estimate --cluster = abci resnet5)" resnet50
  expect 'an option' "$(complete_with_bash oracle estimate vgg16 --strat)" --strategy
  expect 'a choice' "$(complete_with_bash oracle plan resnet50 --format j)" json
  expect 'a kind' "$(complete_with_bash oracle show cl)" cluster
  expect 'its name' "$(complete_with_bash oracle show cluster abc)" abci
  expect 'a number' "$(complete_with_bash oracle plan resnet50 --gpus '')" ''
  command -v zsh >/dev/null || return 0
  zsh -f "$here/complete.zsh" "$prefix" >"$scratch/zsh" 2>&1 || fail "$(<"$scratch/zsh")"
}

# What trains is there, finds its data, and is found by the command that hands over to it.
training() {
  [[ -x $build/bin/oracle-train ]] || return 0
  local model=$here/../validate/models/residual.json
  (cd / && mpirun --oversubscribe --bind-to none -np 2 "$prefix/bin/oracle-train" "$model" --strategy data:2 \
    --batch 4 --steps 2) >"$scratch/said" 2>&1 || fail "oracle-train: $(<"$scratch/said")"
  grep -q 'residual, data:2, batch 4, 2 steps on 2 ranks' "$scratch/said" || fail "$(<"$scratch/said")"
  (cd / && "$prefix/bin/oracle" validate "$model" --strategy data:2 --batch 4 --steps 2) >"$scratch/said" 2>&1 ||
    fail "oracle validate: $(<"$scratch/said")"
  grep -q '^step measured ' "$scratch/said" || fail "oracle validate: $(<"$scratch/said")"
  # Alone, the command says what it lacks.
  rm "$prefix/bin/oracle-train"
  local status=0
  "$prefix/bin/oracle" validate "$model" --strategy serial 2>"$scratch/errors" || status=$?
  expect 'exit without oracle-train' "$status" 3
}

debian() {
  command -v dpkg-deb >/dev/null || return 0
  cpack --config "$build/CPackConfig.cmake" -G DEB -B "$scratch/deb" >"$scratch/log" 2>&1 ||
    fail "$(<"$scratch/log")"
  local package file
  package=$(find "$scratch/deb" -maxdepth 1 -name 'oracle-dnn_*.deb')
  dpkg-deb --contents "$package" | awk '{ print $6 }' >"$scratch/contents"
  for file in bin/oracle share/man/man1/oracle.1 share/bash-completion/completions/oracle \
    share/zsh/vendor-completions/_oracle share/oracle/models/resnet50.json \
    share/oracle/data/clusters/abci.json include/oracle/evaluate/evaluation.h; do
    grep -qxF "./usr/$file" "$scratch/contents" || fail "the package lacks usr/$file"
  done
  for file in oracle-train oracle-bench oracle-bench-input oracle-bench-links; do
    [[ ! -x $build/bin/$file ]] || grep -qxF "./usr/bin/$file" "$scratch/contents" || fail "it lacks $file"
  done
  grep -qE 'usr/lib/.*oracleConfig\.cmake$' "$scratch/contents" || fail 'no oracleConfig.cmake'
  ! grep -qE 'usr/include/oracle/(cli|cmake)|\.cpp$|oracle-[a-z-]*\.so$|tests_' "$scratch/contents" ||
    fail 'holds too much'
  if command -v dpkg-shlibdeps >/dev/null; then
    [[ $(dpkg-deb --field "$package" Depends) == *libc6* ]] || fail 'states no libraries'
  fi
  dpkg-deb --extract "$package" "$scratch/root"
  expect version "$("$scratch/root/usr/bin/oracle" --version)" "$("$build/bin/oracle" --version)"
  "$scratch/root/usr/bin/oracle" list clusters >/dev/null
  if [[ -x $build/bin/oracle-train ]]; then
    "$scratch/root/usr/bin/oracle" validate "$here/../validate/models/residual.json" --strategy serial \
      --batch 2 --steps 2 >"$scratch/said" 2>&1 || fail "oracle validate: $(<"$scratch/said")"
  fi
}

cmake --install "$build" --prefix "$prefix" >"$scratch/install" 2>&1 || fail "$(<"$scratch/install")"
"$step"
