#!/usr/bin/env python3
"""classes.py ANSWER: the text of data/accuracy.json, from what `oracle accuracy --format json` answers.

By kind of strategy, generation and precision, of the runs that judge; "any" stands for all together. Those that are
predicted with one run known stand by their scale.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../validate/bench/calibrated"))
from accuracy import quantile  # noqa: E402


def row_of(key, runs):
    errors = sorted(abs(run["error"]["value"]) for run in runs)
    inside = [
        abs(run["measured"]["value"] - run["predicted"]["value"])
        <= run["predicted"]["value"] * run["predicted"]["uncertainty"]
        for run in runs
    ]
    kind, generation, precision = key
    return {
        "kind": kind,
        "generation": generation,
        "precision": precision,
        "runs": len(runs),
        "median": round(quantile(errors, 0.5), 3),
        "coverage": round(sum(inside) / len(inside), 3),
    }


def classes(answer):
    groups = {}
    for run in answer["runs"]:
        if run["set"] != "judge":
            continue
        kind, generation, precision = run["kind"], run["generation"], run["precision"]
        for key in ((kind, generation, precision), (kind, "any", precision), (kind, "any", "any")):
            groups.setdefault(key, []).append(run)
    return [row_of(key, groups[key]) for key in sorted(groups)] + with_one_run(answer)


def with_one_run(answer):
    return [
        {
            "kind": f"one run known, {row['scale']}",
            "generation": "any",
            "precision": "any",
            "runs": row["runs"],
            "median": round(row["with"]["value"], 3),
            "coverage": round(row["coverage"]["value"], 3),
        }
        for row in answer.get("with_one_run", [])
        if row["set"] == "judge" and row["scale"] != "any"
    ]


def text(answer):
    rows = ",\n".join("    " + json.dumps(row) for row in classes(answer))
    return '{\n  "schema": "oracle/accuracy-classes/1",\n  "classes": [\n' + rows + "\n  ]\n}\n"


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(text(json.load(file)), end="")
