#!/usr/bin/env python3
"""intervals.py ANSWER UNCERTAINTY_CPP: half-widths of oracle/cost/uncertainty.cpp are those that the runs of "set": "fit"
keep to, as `oracle accuracy --format json` answers. Reads no run that judges.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../validate/bench/calibrated"))
from accuracy import quantile  # noqa: E402

TOLERANCE = 0.011  # of constants with two digits
PACED_TOLERANCE = 0.02
FEW = 10  # runs, of which fewer say nothing of one in ten
WIDER = 1.25  # where nothing of the kind was measured


def half_width(runs):
    """What nine in ten keep to: |measured / predicted - 1|."""
    return quantile(sorted(abs(run["measured"]["value"] / run["predicted"]["value"] - 1) for run in runs), 0.9)


def unit_of(run):
    return "vector" if run["precision"] == "fp32" else "matrix"


def due_link_widths(collectives):
    """By kind of link, of long messages."""
    fitted = [
        row
        for row in collectives
        if row["set"] == "fit" and row["messages"] == "above 64 MiB" and row["runs"] >= FEW
    ]
    due = {("fabric", row["link"]): row["half_width"]["value"] for row in fitted}
    due["fabric", "default"] = WIDER * max(due.values())
    return due


def due_half_widths(runs):
    """By constant of uncertainty.cpp. `runs` are all of the set "fit"."""
    assert all(run["set"] == "fit" for run in runs)
    groups, classes = {}, {}
    for run in runs:
        classes.setdefault((run["kind"], run["generation"], run["precision"]), []).append(run)
        if run["kind"] == "one device":
            groups.setdefault((run["generation"], unit_of(run)), []).append(run)
    due = {key: half_width(some) for key, some in groups.items()}
    for unit in ("vector", "matrix"):
        due["unknown", unit] = WIDER * max(width for (_, of), width in due.items() if of == unit)
    due["unlike"] = WIDER * max(half_width(some) for some in classes.values() if len(some) >= FEW)
    return due


def stated_half_widths(text):
    stated = {"unlike": float(re.search(r"kUnlike = ([\d.]+)", text)[1])}
    unknown = re.search(r"kUnknownGeneration\{([\d.]+), ([\d.]+)\}", text)
    stated["unknown", "vector"], stated["unknown", "matrix"] = float(unknown[1]), float(unknown[2])
    for name, vector, matrix in re.findall(r"Generation::(\w+):\s+return \{([\w.]+), ([\w.]+)\}", text):
        for unit, value in (("vector", vector), ("matrix", matrix)):
            if not value.startswith("kUnknown"):
                stated[name, unit] = float(value)
    for name, width in re.findall(r"Fabric::(\w+):\s+return ([\d.]+);", text):
        stated["fabric", name] = float(width)
    stated["fabric", "default"] = float(re.search(r"of_fabric.*?default:\s+return ([\d.]+);", text, re.DOTALL)[1])
    return stated


def paced_problems(rows):
    """Of what a known run leaves of an interval (cluster/pace.h): nine in ten of "fit" lie inside, and none gets worse."""
    for row in rows:
        if row["set"] != "fit" or row["scale"] != "any":
            continue
        if abs(row["coverage"]["value"] - 0.9) > PACED_TOLERANCE:
            yield f"with one run known {100 * row['coverage']['value']:.0f} % lie in their intervals, not 90"
        if row["with"]["value"] >= row["without"]["value"]:
            yield "a known run makes the median error no smaller"


def main(answer_path, source_path):
    with open(answer_path, encoding="utf-8") as file:
        answer = json.load(file)
    runs = [run for run in answer["runs"] if run["set"] == "fit"]
    with open(source_path, encoding="utf-8") as file:
        stated = stated_half_widths(file.read())
    due = due_half_widths(runs) | due_link_widths(answer["collectives"])
    wrong = [key for key in due.keys() | stated.keys() if abs(due.get(key, 9) - stated.get(key, -9)) > TOLERANCE]
    for key in sorted(wrong, key=str):
        print(f"intervals.py: {key}: the runs ask for {due.get(key)}, {source_path} has {stated.get(key)}")
    paced = list(paced_problems(answer["with_one_run"]))
    for problem in paced:
        print(f"intervals.py: oracle/cluster/pace.cpp: {problem}")
    return 1 if wrong or paced else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
