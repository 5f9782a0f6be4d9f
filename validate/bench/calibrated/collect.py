"""What do the files of a measuring run amount to as one file of results (data/schema/results.schema.json)?"""
import json

from cases import Refused
from profiles import Failed
from speed import clock_of

KEPT = ("processor", "kernels", "communicator", "compiler", "build", "version", "commit", "threads")


def value(cell):
    return cell["value"] if cell else None


def run_of(record, profile):
    """What is kept of one run: step, parts, peak memory and each layer, [predicted, measured]."""
    case, comparison = record["case"], record["comparison"]
    pairs = {p["part"]: [value(p["predicted"]), value(p["measured"])] for p in comparison["parts"]}
    step = next(p for p in comparison["parts"] if p["part"] == "step")
    peak = comparison["peak_memory"][0]
    return {
        "model": case["model"],
        "input": case["input"],
        "strategy": comparison["strategy"],
        "ranks": case["ranks"],
        **({"link": case["link"]} if case["link"] else {}),
        "batch": case["batch"],
        "date": comparison["context"]["date"],
        "load": comparison["context"]["load"],
        "clock": clock_of(comparison, profile),
        "tries": record["tries"],
        "uncertainty": step["predicted"]["uncertainty"],
        "inside": comparison["inside_interval"] == "yes",
        "spread": [value(comparison["step_p10"]), value(comparison["step_p90"])],
        "parts": {name: pair for name, pair in pairs.items() if pair[0] is not None},
        "peak_memory": [value(peak["predicted"]), value(peak["measured"])],
        "layers": [
            [layer["layer"], value(layer["predicted"]), value(layer["measured"])]
            for layer in comparison["layers"]
            if layer["predicted"] and layer["measured"]
        ],
    }


def context_of(records):
    """Throws Refused where runs are not of one machine and one state of the programs."""
    contexts = [{name: record["comparison"]["context"][name] for name in KEPT} for record in records]
    for name in KEPT:
        found = sorted({context[name] for context in contexts})
        if len(found) > 1:
            raise Refused(f"runs differ in {name}: {', '.join(found)}; begin in another folder")
    return contexts[0]


def results_of(command, grid, records, profile_named):
    """`records`: of each case in order, as run.py keeps them; `profile_named`: the profile of that name."""
    ran = [record for record in records if "comparison" in record]
    if not ran:
        raise Failed("not one run was measured")
    found = {
        "schema": "oracle/results/1",
        "command": command,
        "grid": grid,
        "context": context_of(ran),
        "left_out": [{**record["case"], **record["left_out"]} for record in records if "left_out" in record],
        "runs": [run_of(record, profile_named(record["profile"])) for record in ran],
    }
    return found if found["left_out"] else {name: part for name, part in found.items() if name != "left_out"}


def as_text(results):
    """A line for each run."""
    head = {name: part for name, part in results.items() if name != "runs"}
    rows = ",\n  ".join(json.dumps(run) for run in results["runs"])
    return json.dumps(head, indent=1)[:-2] + f',\n "runs": [\n  {rows}\n ]\n}}\n'
