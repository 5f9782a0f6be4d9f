#!/usr/bin/env python3
"""collect.py DIR [-o FILE]: what validate/campaign.sh left in DIR, as one file for data/results/campaigns.

Of a run stay its step and phases, each layer's passes and its memory; of a layer or a message measured alone, the median
and how far it spread; of what failed, its message. Exit code 2 where a file is none of a campaign, or of another machine
than the others.
"""

import argparse
import glob
import json
import os
import statistics
import sys

PART, COLLECTED = "oracle/campaign/1", "oracle/campaign-results/1"
PARTS = ("gpu_tests", "ceilings", "training", "pytorch", "ranks_per_gpu", "collectives")
MACHINE = ("hardware", "driver", "version")


class Refused(Exception):
    """A file that cannot be taken, with its place."""


def quantile(values, part):
    ordered = sorted(values)
    return ordered[round(part * (len(ordered) - 1))]


def steps_of(result):
    """Median, 10th and 90th percentile of the steps that were timed [s]."""
    steps = result["step_seconds"]
    replayed = result.get("replayed_steps", 0)
    timed = steps[len(steps) - replayed if replayed else result["warm_up"] :]
    return [statistics.median(timed), quantile(timed, 0.1), quantile(timed, 0.9)]


def run_of(result):
    phases, layers = {}, []
    for item in result["items"]:
        phases[item["phase"]] = phases.get(item["phase"], 0) + item["seconds"]
        what = item.get("pass") or f"{item['collective']} of {item['payload']}"
        layers.append([item["layer"], what, item["seconds"]])
    kept = ("model", "strategy", "ranks", "batch", "precision", "losses")
    return {
        **{name: result[name] for name in kept},
        "step_seconds": steps_of(result),
        **{name: result[name] for name in ("replayed_steps",) if name in result},
        "phase_seconds": phases,
        "layer_seconds": layers,
        "peak_memory_bytes": result["peak_memory_bytes"],
        "footprint_bytes": result["footprint_bytes"],
        "device": result["context"]["processor"],
        "kernels": result["context"]["kernels"],
        "communicator": result["context"]["communicator"],
        "sharing": result["context"].get("sharing", ""),
    }


def torch_of(result):
    left_out = ("schema", "step_seconds", "median_step_seconds", "steps", "warm_up")
    kept = {name: value for name, value in result.items() if name not in left_out}
    return {**kept, "step_seconds": steps_of(result)}


def samples_of(result):
    """Rows of oracle-bench and oracle-bench-links, but for each single value."""
    kept = {name: value for name, value in result.items() if name != "schema"}
    for rows in kept.values():
        if isinstance(rows, list):
            for row in rows:
                if isinstance(row, dict):
                    row.pop("values", None)
    return kept


KEPT = {"oracle/run/1": run_of, "oracle/torch/1": torch_of, "oracle/samples/1": samples_of}


def point_of(point, place):
    head = {name: point[name] for name in ("point", "date", "command", "status")}
    if point["status"] == "failed":
        return {**head, "exit": point.get("exit"), "message": point["message"]}
    result = point["result"]
    if isinstance(result, str):
        return head
    keep = KEPT.get(result.get("schema"))
    if keep is None:
        raise Refused(f"{place}: a result of the form {result.get('schema')!r} is not known")
    return {**head, "result": keep(result)}


def part_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            part = json.load(file)
        if part.get("schema") != PART or part.get("part") not in PARTS:
            raise Refused(f"{path}: it is no part of a campaign")
        points = [point_of(point, f"{path}: {point['point']}") for point in part["points"]]
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise Refused(f"{path}: {error}") from error
    except KeyError as error:
        raise Refused(f"{path}: it has no {error}") from error
    return part, points


def collected(folder):
    paths = [path for name in PARTS if os.path.exists(path := os.path.join(folder, f"{name}.json"))]
    if not paths:
        raise Refused(f"{folder}: it holds no part of a campaign; {', '.join(PARTS)} are looked for")
    others = set(glob.glob(os.path.join(folder, "*.json"))) - set(paths)
    if others:
        raise Refused(f"{min(others)}: it is no part of a campaign")
    parts, context, device = {}, None, None
    for path in paths:
        part, points = part_of(path)
        context, device = context or part["context"], device or part["device"]
        if any(part["context"].get(name) != context.get(name) for name in MACHINE) or part["device"] != device:
            raise Refused(f"{path}: it is of another machine, driver or version than {paths[0]}")
        parts[part["part"]] = {"complete": part["complete"], "points": points}
    return {"schema": COLLECTED, "device": device, "context": context, "parts": parts}


def text_of(result):
    """One line for each point."""
    head = {name: result[name] for name in result if name != "parts"}
    text = json.dumps(head, indent=1)[:-2] + ',\n "parts": {\n'
    parts = []
    for name, part in result["parts"].items():
        rows = ",\n   ".join(json.dumps(point) for point in part["points"])
        parts.append(f'  "{name}": {{"complete": {json.dumps(part["complete"])}, "points": [\n   {rows}\n  ]}}')
    return text + ",\n".join(parts) + "\n }\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("-o", "--out", help="the file (standard output)")
    given = parser.parse_args()
    try:
        text = text_of(collected(given.folder))
    except Refused as error:
        print(f"collect.py: {error}", file=sys.stderr)
        return 2
    if given.out:
        with open(given.out + ".part", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(given.out + ".part", given.out)
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
