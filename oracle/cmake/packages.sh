# What the build needs of the system, and how to get it. Sourced by oracle.sh and tests/ci.
# shellcheck shell=bash

# Debian's names. Programs are looked for on PATH, since they may come from elsewhere.
declare -A program_of=([cmake]=cmake [g++]=g++ [ninja-build]=ninja)
engine_packages='cmake g++ ninja-build libboost-program-options-dev nlohmann-json3-dev libeigen3-dev'
# Prints what is needed to build the engine, with the reader of ONNX files besides, the programs that train besides, the tests of all, or to run
# the checks of tests/ci besides.
packages_for() {
  case $1 in
    engine) echo "$engine_packages" ;;
    onnx) echo "$engine_packages libonnx-dev libprotobuf-dev protobuf-compiler" ;;
    train) echo "$engine_packages libdnnl-dev libopenmpi-dev openmpi-bin libturbojpeg0-dev libpng-dev" ;;
    test) echo "$(packages_for train) libgtest-dev libgmock-dev libonnx-dev libonnx-testdata libprotobuf-dev protobuf-compiler libtinyxml2-dev iproute2" ;;
    check) echo "$(packages_for test) clang clang-format clang-tidy libclang-rt-14-dev llvm-14 shellcheck python3-jsonschema" ;;
  esac
}

# Prints the packages among its arguments that are missing, one per line.
missing_packages() {
  local package program installed
  # dpkg-query fails where it does not know one of them.
  installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  installed=$'\n'$installed$'\n'
  for package in "$@"; do
    program=${program_of[$package]-}
    if [[ -n $program ]] && command -v "$program" >/dev/null; then continue; fi
    [[ $installed == *$'\n'"installed $package"$'\n'* ]] || echo "$package"
  done
}

# Installs what is missing of its arguments; without root, prints the line that would, and returns 3.
# Where there is no apt, CMake is left to say what it does not find.
ensure_packages() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local missing log
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if [[ $(id -u) != 0 ]]; then
    echo "oracle.sh: missing: ${missing[*]}; install with" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    return 3
  fi
  echo "oracle.sh: installing ${missing[*]}" >&2
  log=$(mktemp)
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
    --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"; } </dev/null >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "oracle.sh: apt-get failed (above); mend the package sources, then run this again" >&2
    return 3
  fi
  rm -f "$log"
}
