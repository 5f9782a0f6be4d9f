#!/usr/bin/env bash
# gpu_tests.sh [--list] [--only NAME] [--under WORDS] [--build DIR]: the tests that need a GPU, without ctest: kernels
# against their references, and collectives and strategies on 1, 2 and 4 ranks, which share a GPU where there are fewer.
# From a bundle, or with the programs of a build folder; those of kernels under another program, compute-sanitizer say.
# Exit code 1 where one fails, 3 where there is no GPU.
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
root=$(dirname "$here")
list=$here/gpu_tests.txt bin=$root/../../bin tests=$root/../../bin
only='' listing='' under=()

usage() {
  sed -n '2,5s/^# //p' "$0" >&2
  exit 2
}

while (($#)); do
  case $1 in
    --list) listing=yes ;;
    --only | --under | --build)
      (($# > 1)) || usage
      case $1 in
        --only) only=$2 ;;
        --under) read -ra under <<<"$2" ;;
        --build)
          build=$(readlink -f "$2")
          list=$build/generated/gpu_tests.txt bin=$build/bin tests=$build/tests/bin
          ;;
      esac
      shift
      ;;
    *) usage ;;
  esac
  shift
done
if [[ ! -r $list ]]; then
  echo "gpu_tests.sh: $list is not there; name a build folder with tests by --build" >&2
  exit 3
fi
if [[ $listing ]]; then
  cut -d' ' -f1 "$list"
  exit
fi
export ORACLE_DATA=${ORACLE_DATA:-$root} ORACLE_EXPECT_GPU=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun=$bin/mpirun
[[ -x $mpirun ]] || mpirun=mpirun

# Of a program that is asked for a GPU where there is none, the sentence.
if ! said=$("$bin/oracle-train" "$here/validate/models/residual.json" --device gpu --batch 2 --steps 1 2>&1); then
  printf '%s\n' "$said" >&2
  exit 3
fi

# one kernels <back end> <suites>, or one ranks <N> <program> <word>...
one() {
  if [[ $1 == kernels ]]; then
    ORACLE_TEST_BACKEND=$2 "${under[@]}" "$tests/tests_microbench" --gtest_filter="$3" --gtest_brief=1
    return
  fi
  local program=$bin/$3
  [[ -x $program ]] || program=$tests/$3
  cd "$here/validate/models" && "$here/ranks/gpu.sh" "$mpirun" "$2" "$program" "${@:4}"
}

passed=0 failed=0
while read -r name words; do
  if [[ -n $only && $only != "$name" ]]; then continue; fi
  read -ra words <<<"$words"
  if said=$(one "${words[@]}" </dev/null 2>&1); then
    passed=$((passed + 1))
    echo "passed $name"
  else
    failed=$((failed + 1))
    printf '%s\nfailed %s\n' "$said" "$name"
  fi
done <"$list"
if ((passed + failed == 0)); then
  echo "gpu_tests.sh: no test called $only; --list says which there are" >&2
  exit 2
fi
echo "$passed passed, $failed failed"
((failed == 0))
