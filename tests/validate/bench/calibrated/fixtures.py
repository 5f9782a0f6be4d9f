"""The results that tests judge."""
import copy
import json
import os

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))


def load(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return json.load(file)


SMALL = load("tests", "data", "results", "small.json")


def with_runs(runs, **members):
    return {**copy.deepcopy(SMALL), "runs": runs, **members}


def run(predicted, measured, **members):
    """A run like the first, with another step."""
    made = copy.deepcopy(SMALL["runs"][0])
    made["parts"]["step"] = [predicted, measured]
    return {**made, **members}
