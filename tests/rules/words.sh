#!/usr/bin/env bash
# words.sh <root>: no file speaks of one machine's paths, of work left over, or of how it was written.
# Each pattern is broken up so that this file does not match itself.
# shellcheck source=tests/rules/tree.sh
source "$(dirname "$0")/tree.sh"

patterns='(^|[^A-Za-z])(/(wo''rk|fa''rm)/|TO''DO|FIX''ME|XX''X)'
patterns+='|(this|last) sess''ion|work''place|sand''boxed? agent|sub''agent'
patterns+='|AI assi''stant|AI ag''ent|Chat''GPT|Co''pilot'

tree_files | { grep -vE '\.onnx$|^data/samples/|^LICENSE$' || true; } |
  { xargs -r -d '\n' grep -nHIE "$patterns" || true; } | cut -c1-160 | verdict
