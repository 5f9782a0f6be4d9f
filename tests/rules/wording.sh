#!/usr/bin/env bash
# wording.sh <root>: README files say what the field says. Each row: words that are not the field's, as an extended
# regular expression that matches no plain English, and what to write instead. Code blocks and `code` are not read.
# The glossary of oracle/README.md has at most 30 words.
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
left out \|error\| => cross-validation error
unasked => by default
9 in 10( below)? => p90
as often as not => half of the time
(very|its own very) (layers?|shapes?) => exact layer shapes
past (the |a |its )?caches? => larger than the last-level cache, from memory
cases untimed => shapes not measured
multiply-adds => MACs
layer communication => activation communication
whole numbers => integers
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
'

glossary() {
  [[ -f oracle/README.md ]] || return 0
  awk '/^## / { inside = /^## Glossary/ } inside && /^\| / && !/^\| (word|---) \|/ { words++ }
    END { if (words > 30) print "oracle/README.md: the glossary has " words " words; keep 30" }' oracle/README.md
}

{
  glossary
  tree_files | { grep -E '(^|/)README\.md$' || true; } | xargs -r -d '\n' awk -v table="$kWords" '
  BEGIN {
    n = split(table, rows, "\n")
    for (i = 1; i <= n; i++) {
      at = index(rows[i], " => ")
      if (!at) continue
      pattern[++count] = "(^|[^a-z_-])(" substr(rows[i], 1, at - 1) ")($|[^a-z_-])"
      instead[count] = substr(rows[i], at + 4)
    }
  }
  FNR == 1 { inside = 0 }
  /^ *```/ { inside = !inside; next }
  inside { next }
  {
    line = tolower($0)
    gsub(/`[^`]*`/, "``", line)
    for (i = 1; i <= count; i++)
      if (match(line, pattern[i])) {
        word = substr(line, RSTART, RLENGTH)
        gsub(/^[^a-z0-9]|[^a-z0-9|]$/, "", word)
        print FILENAME ":" FNR ": \"" word "\": write " instead[i]
      }
  }'
} | verdict
