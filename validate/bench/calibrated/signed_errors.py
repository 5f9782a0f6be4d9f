#!/usr/bin/env python3
"""Signed errors of predictions, from files of results (data/results).

  signed_errors.py table RESULTS...            the table of validate/bench/README.md
  signed_errors.py accuracy ANSWER RESULTS...  the table of README.md; ANSWER: of oracle accuracy --format json
  signed_errors.py list RESULTS                every run, as text
  signed_errors.py judge RESULTS               every target, with figure and verdict; exit code 1 where one is missed
"""
import json
import os
import sys

from accuracy import accuracy_table
from tables import full_list, judgement, readme_table
from targets import all_met, targets


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def named(paths):
    """Results with the machine that their file is named after; those with exact layer shapes last."""
    pairs = [(os.path.splitext(os.path.basename(path))[0].removesuffix("-exact"), load(path)) for path in paths]
    return sorted(pairs, key=lambda pair: (pair[0], pair[1]["grid"] == "exact"))


def main(words):
    if len(words) >= 2 and words[0] == "table":
        print(readme_table(named(words[1:])), end="")
    elif len(words) >= 3 and words[0] == "accuracy":
        print(accuracy_table(load(words[1]), named(words[2:])), end="")
    elif len(words) == 2 and words[0] == "list":
        print("\n".join(full_list(load(words[1]))))
    elif len(words) == 2 and words[0] == "judge":
        results = load(words[1])
        print("\n".join(judgement(results)))
        return 0 if all_met(targets(results)) else 1
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
