#!/usr/bin/env bash
# Builds the oracle where needed, then answers:
#
#   ./oracle.sh plan resnet50 --cluster abci --gpus 64    any words are the command's
#   ./oracle.sh validate resnet50 --strategy data:2       with the programs that train and measure, and
#   ./oracle.sh calibrate --quick -o here.json            their libraries
#   ./oracle.sh test [all] [ctest options]                builds and runs the fast tests, or the slow ones too
#
# What is missing of Debian's packages is installed (root) or named (exit 3). Standard output carries
# the answer alone. ORACLE_CMAKE_ARGS adds arguments to CMake's.
set -euo pipefail

root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=$root/build
# shellcheck source=oracle/cmake/packages.sh
source "$root/oracle/cmake/packages.sh"

# Progress of ninja on stderr: one line, or a counter on a terminal. The rest goes to the log.
show_progress() {
  local line announced=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if ! [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || ((BASH_REMATCH[2] <= 3)); then continue; fi
    if [[ -t 2 ]]; then
      printf '\roracle.sh: building %s of %s ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    elif [[ -z $announced ]]; then
      echo "oracle.sh: building ${BASH_REMATCH[2]} steps" >&2
    fi
    announced=yes
  done
  if [[ -n $announced && -t 2 ]]; then echo >&2; fi
}

# Ends with the log on stderr: packages may have gone since they were checked, so check them anew.
give_up() {
  rm -f "$build"/.ready-*
  grep -vE '^\[[0-9]+/[0-9]+\] ' "$1" >&2 || true
  echo "oracle.sh: $2 failed (above)" >&2
  exit 3
}

# configure <engine|onnx|train|test> <arguments>...: unless the stamp says that this tree was, with these arguments.
configure() {
  local stamp=$build/.ready-$1 log=$build/oracle.sh.log packages key
  read -ra packages <<<"$(packages_for "$1")"
  key="$root ${packages[*]} ${*:2} ${ORACLE_CMAKE_ARGS-}"
  # What was installed since may be a library that the build left out.
  if [[ -f $build/build.ninja && -r $stamp && $(<"$stamp") == "$key" &&
    ! /var/lib/dpkg/status -nt $stamp ]]; then return; fi
  ensure_packages "${packages[@]}" || exit
  echo "oracle.sh: configuring" >&2
  # A build folder that was copied or moved with its tree still points at the old one.
  if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
  fi
  # shellcheck disable=SC2086  # several arguments in one variable
  cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DORACLE_UNITY=ON "${@:2}" ${ORACLE_CMAKE_ARGS-} \
    >"$log" 2>&1 || give_up "$log" configuring
  printf '%s\n' "$key" >"$stamp"
}

compile() {
  local log=$build/oracle.sh.log
  NINJA_STATUS='[%f/%t] ' ninja -C "$build" "$@" 2>&1 | show_progress >"$log" ||
    give_up "$log" building
}

# prepare <engine|onnx|train|test> <targets> <arguments for CMake>...: one build at a time; the lock goes with
# the subshell, before any answer.
prepare() {
  local targets
  read -ra targets <<<"$2"
  mkdir -p "$build" || exit 3
  (
    if command -v flock >/dev/null; then flock 9; fi
    configure "$1" "${@:3}"
    compile "${targets[@]}"
  ) 9>"$build/.lock"
}

# run_tests [all] [ctest options]: the fast tier, or both, and what ran.
run_tests() {
  local status=0 target=tests_fast tier=fast log=$build/Testing/Temporary/LastTest.log
  if [[ ${1-} == all ]]; then
    target=all tier='fast|slow'
    shift
    echo "oracle.sh: the fast and the slow tests: about 20 minutes on two idle cores, building included" >&2
  else
    echo "oracle.sh: the fast tests: about 7 minutes on two idle cores, building included" >&2
  fi
  prepare test "$target" -DORACLE_TESTS=ON
  ctest --test-dir "$build" --output-on-failure --no-tests=error -j "$(nproc 2>/dev/null || echo 2)" \
    --label-regex "$tier" "$@" || status=$?
  awk -v tier="${tier/|/ and }" '/^\[==========\] [0-9]+ tests? .* ran\./ { cases += $2 }
    END { printf "%d cases of GoogleTest among them; tier: %s\n", cases, tier }' "$log"
  if [[ $tier == fast ]]; then
    echo "not run: ranks of 3 and 4, faults, installation, bundle, the emulated GPU (./oracle.sh test all)"
  fi
  return "$status"
}

if [[ ${1-} == test ]]; then
  run_tests "${@:2}"
  exit
fi
# A tree that this user may only read is answered from as it was built.
if [[ ${1-} == validate || ${1-} == compare || ${1-} == calibrate ]]; then
  if [[ ! -x $build/bin/oracle-train || ! -x $build/bin/oracle-bench-links || -w $build ]]; then
    prepare train 'oracle oracle-train oracle-bench oracle-bench-links oracle-bench-input'
  fi
elif [[ ! -x $build/bin/oracle || -w $build ]]; then
  if [[ " $* " == *".onnx "* ]]; then prepare onnx oracle; else prepare engine oracle; fi
fi
exec "$build/bin/oracle" "$@"
