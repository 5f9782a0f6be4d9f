#!/usr/bin/env bash
# wording.sh <root>: README files, and the messages, help and reports of the programs, say what the field says. Each
# row: words that are not the field's, as an extended regular expression that matches no plain English, and what to
# write instead. Of a README code blocks and `code` are not read, of a source only strings of several words. The glossary of oracle/README.md has at most 30 words.
# shellcheck source=tests/rules/tree.sh
source "$(dirname "$0")/tree.sh"

kWords='
foret(old|ell|ells|elling) => predicted, predicts
(is|are|was|were) told (short|long|by|from|off|to be|in) => predicted, underestimated, overestimated
told (short|long|too|anew)( |,|;|\.|$) => underestimated, overestimated
(keep|keeps|kept|hold|holds|held|miss|misses|missed) (a|the|every|each|all|no|its) bars? => meets or misses its target
bars? (is|are|was|were) (kept|held|missed) => target is met or missed
(within|past|over) the bars? => within or past the threshold
anew => again
nobody => no one, none
whoever => who, the rank that
rests? on => is based on
unasked => by default
as often as not => half of the time
(very|its own very) (layers?|shapes?) => exact layer shapes
past (the |a |its )?caches? => larger than the last-level cache, from memory
cases untimed => shapes not measured
multiply-adds => MACs
layer communication => activation communication
whole or not at all => atomically
the surroundings => the environment
our own defect => internal error
ways? to cut => mesh axis, strategy
left whole => replicated
serially and by => on one device and with
slow probes => probes below 90 %
by turns => in turn
beside => next to, compared with, in addition to
hangs on => depends on
is no (unit|command|option|number|text|list|object|string|choice|format|source|rate|pass) => is not a
whole numbers? => integer, integers
left out \|error\| => cross-validation error
9 in 10 => p90
cut (along|them|it|the|its|that axis) => shard
at (first|last)(,|$) => initial, final
'

glossary() {
  [[ -f oracle/README.md ]] || return 0
  awk '/^## / { inside = /^## Glossary/ } inside && /^\| / && !/^\| (word|---) \|/ { words++ }
    END { if (words > 30) print "oracle/README.md: the glossary has " words " words; keep 30" }' oracle/README.md
}

{
  glossary
  tree_files | { grep -E '(^|/)README\.md$|^(oracle|microbench|validate)/.*\.(cpp|h|cu)$' || true; } |
    xargs -r -d '\n' awk -v table="$kWords" '
  BEGIN {
    n = split(table, rows, "\n")
    for (i = 1; i <= n; i++) {
      at = index(rows[i], " => ")
      if (!at) continue
      pattern[++count] = "(^|[^a-z_-])(" substr(rows[i], 1, at - 1) ")($|[^a-z_-])"
      instead[count] = substr(rows[i], at + 4)
    }
  }
  # The strings of a line of code that have several words.
  function said(code,  text, string) {
    if (code ~ /^ *(\/\/|#include)/) return ""
    while (match(code, /"([^"\\]|\\.)*"/)) {
      string = substr(code, RSTART + 1, RLENGTH - 2)
      if (string ~ /[^ ] [^ ]/) text = text " " string " "
      code = substr(code, RSTART + RLENGTH)
    }
    return text
  }
  FNR == 1 { inside = 0; code = FILENAME !~ /\.md$/ }
  code { check(tolower(said($0))); next }
  /^ *```/ { inside = !inside; next }
  inside { next }
  {
    line = tolower($0)
    gsub(/`[^`]*`/, "``", line)
    check(line)
  }
  function check(line,  i, word) {
    for (i = 1; i <= count; i++)
      if (match(line, pattern[i])) {
        word = substr(line, RSTART, RLENGTH)
        gsub(/^[^a-z0-9]|[^a-z0-9|]$/, "", word)
        print FILENAME ":" FNR ": \"" word "\": write " instead[i]
      }
  }'
} | verdict
