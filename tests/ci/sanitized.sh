#!/usr/bin/env bash
# sanitized.sh: clang++ builds everything without a warning, and the tests pass under its address and
# undefined-behaviour sanitizers. CUDA is hidden, so that what needs none is seen to build and pass without.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

build_preset sanitized
# The rules look at the sources, not at this build.
test_preset sanitized --exclude-regex '^rules/'
