#!/usr/bin/env python3
"""Signed errors of predictions, from files of results (data/results).

  signed_errors.py table RESULTS...   as the tables of a README
  signed_errors.py list RESULTS       every run, as text
  signed_errors.py judge RESULTS      every bar, with figure and verdict; exit code 1 where one is missed
"""
import json
import sys

from bars import all_kept, bars
from tables import full_list, judgement, readme_tables


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(words):
    if len(words) >= 2 and words[0] == "table":
        print(readme_tables([load(path) for path in words[1:]]), end="")
    elif len(words) == 2 and words[0] == "list":
        print("\n".join(full_list(load(words[1]))))
    elif len(words) == 2 and words[0] == "judge":
        results = load(words[1])
        print("\n".join(judgement(results)))
        return 0 if all_kept(bars(results)) else 1
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
