#!/usr/bin/env bash
# self_test.sh <compiler>: each rule passes on a small good tree and fails, naming the place, on bad ones.
set -euo pipefail
rules=$(dirname "$(readlink -f "$0")")
compiler=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failed=0

# A tree that keeps every rule.
good_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/oracle/{base,graph,cli} "$tree/microbench/links"
  touch "$tree/oracle/README.md" "$tree/microbench/README.md"
  printf 'A bar chart beats `anew`.\n```\nanew\n```\n' >"$tree/microbench/links/README.md"
  printf '#pragma once\ninline int one() { return 1; }\n' >"$tree/oracle/base/one.h"
  printf '#include <string>\n#include "oracle/base/one.h"\n' >"$tree/oracle/base/one.cpp"
  printf '#pragma once\n#include "oracle/base/one.h"\n' >"$tree/oracle/graph/two.h"
  printf '#include <nlohmann/json.hpp>\n#include "oracle/build_info.h"\n' >"$tree/oracle/cli/main.cpp"
  printf '#include "oracle/cli/run.h"\n#include "microbench/comm/patience.h"\n' >"$tree/microbench/links/main.cpp"
  # One of this name for all, and one that only its file sees.
  printf 'namespace oracle {\nstruct Block {\n};\n}  // namespace oracle\n' >"$tree/oracle/base/block.cpp"
  printf 'namespace oracle {\nnamespace {\nstruct Block {\n};\n}  // namespace\n}  // namespace oracle\n' \
    >"$tree/oracle/graph/block.cpp"
}

run_rule() {
  if [[ $1 == headers ]]; then
    "$rules/$1.sh" "$tree" "$compiler"
  else
    "$rules/$1.sh" "$tree"
  fi
}

# bad <rule> <expected violation> <file> <text>: with this file in the good tree, the rule must object.
bad() {
  local output
  good_tree
  mkdir -p "$(dirname "$tree/$3")"
  printf '%b' "$4" >"$tree/$3"
  if output=$(run_rule "$1"); then
    echo "$1: let pass: $2"
    failed=1
  elif [[ $output != *"$2"* ]]; then
    echo "$1: expected '$2', printed: $output"
    failed=1
  fi
}

good_tree
for rule in includes files words wording names headers; do
  run_rule "$rule" || { echo "$rule: objects to the good tree" && failed=1; }
done

bad includes 'base/up.h:1: oracle/base may not include oracle/graph/two.h' \
  oracle/base/up.h '#include "oracle/graph/two.h"\n'
bad includes 'may not include oracle/build_info.h' oracle/base/info.cpp '#include "oracle/build_info.h"\n'
bad includes 'is no path from the root' oracle/base/near.cpp '#include "one.h"\n'
bad includes 'third-party library in a header' oracle/base/json.h '#include <nlohmann/json.hpp>\n'
bad includes 'microbench may not include oracle/cli/run.h' microbench/comm/a.cpp '#include "oracle/cli/run.h"\n'
bad includes 'is in no row' oracle/other/file.h '#pragma once\n'
bad files 'name not in snake_case' oracle/base/BadName.h '#pragma once\n'
bad files 'long.cpp: over 500 lines' oracle/base/long.cpp "$(printf '\\n%.0s' {1..501})"
bad files 'does not begin with #pragma once' oracle/base/bare.h 'int x;\n'
bad files 'models/: has no README.md' models/net.json '{}\n'
bad words 'note.cpp:2' oracle/base/note.cpp "\n// TO""DO later\n"
bad words 'path.md:1' oracle/path.md "see /wo""rk/here\n"
bad wording 'models/README.md:2: "foretold": write predicted, predicts' models/README.md 'A step.\nIt is foretold.\n'
bad wording 'write p90' oracle/search/README.md 'Errors, 9 in 10 below.\n'
bad wording 'one.cpp:3: "anew": write again' oracle/graph/one.cpp '// Made anew.\nint a;\nconst char* b = "it is made anew";\n'
bad wording 'write the environment' oracle/README.md '```\nanew\n```\nThe surroundings failed.\n'
bad wording 'the glossary has 31 words' oracle/README.md "## Glossary\n| word | is |\n| --- | --- |\n$(printf '| a | b |\\n%.0s' {1..31})"
bad names 'base/block.cpp:2: oracle::Block stands at oracle/graph/two.h:3 too' oracle/graph/two.h \
  '#pragma once\nnamespace oracle {\nstruct Block {\n};\n}  // namespace oracle\n'
bad headers 'needs.h alone:' oracle/base/needs.h '#pragma once\ninline std::string s;\n'
# one.cpp does not prove one.h, since it includes <string> before it.
bad headers 'one.h alone:' oracle/base/one.h '#pragma once\ninline std::string s;\n'

exit "$failed"
