#!/usr/bin/env bash
# sanitized.sh: clang++ builds everything without a warning, and the fast tests' programs pass under its
# address and undefined-behaviour sanitizers. CUDA is hidden, so that what needs none is seen to pass without.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

build_preset sanitized
# Scripts look at the sources and at answers, which the other build has shown.
test_preset sanitized --exclude-regex '^(rules|golden|readme)/'
