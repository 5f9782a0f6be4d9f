#!/usr/bin/env bash
# threads.sh: the tests of the search, the one part that runs threads, pass under the thread sanitizer.
# shellcheck source=tests/ci/setup.sh
source "$(dirname "$(readlink -f "$0")")/setup.sh"

build_preset threads
test_preset threads
