#!/usr/bin/env python3
"""Signed errors of predictions, from the comparisons that `oracle validate --format json` wrote.

  signed_errors.py collect GRID FOLDER    the comparisons of a folder, as one file of results (data/results)
  signed_errors.py table RESULTS...       as the table of a README
  signed_errors.py judge RESULTS          as text, with the bars; exit code 1 where one is missed

error = (predicted - measured) / measured. Layers below 50 us are kept and not judged: a clock and a call cost
as much. clock = the processor's speed during the run, over that during calibration, in the median of each.
"""
import glob
import json
import os
import statistics
import sys

KEPT = ("processor", "kernels", "communicator", "compiler", "build", "version", "commit", "threads")
MEDIAN_BAR, WORST_BAR, LAYER_BAR, LEAST_LAYER = 0.05, 0.20, 0.10, 50e-6


def error(pair):
    predicted, measured = pair
    return (predicted - measured) / measured if measured else None


def value(cell):
    return cell["value"] if cell else None


def clock_of(comparison, folder):
    """The processor's speed in the run over that in the calibration; None where a side does not say."""
    for name in (f"profile.{comparison['model']}.json", "profile.json"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            calibrated = load(path)["measured"].get("speed", "").split("; ")
            ran = comparison["context"].get("speed")
            return float(ran) / statistics.median(map(float, calibrated)) if ran and calibrated[0] else None
    return None


def run_of(comparison, folder):
    """What is kept of one comparison: step, parts, peak memory and each layer, [predicted, measured]."""
    pairs = {p["part"]: [value(p["predicted"]), value(p["measured"])] for p in comparison["parts"]}
    step = next(p for p in comparison["parts"] if p["part"] == "step")
    peak = comparison["peak_memory"][0]
    words = comparison["context"]["command"].split()
    sizes = [word.split("=")[1] for word in words if word.startswith("--input=")]
    return {
        "model": comparison["model"],
        "input": sizes[0] if sizes else "",
        "strategy": comparison["strategy"],
        "ranks": comparison["ranks"],
        "batch": comparison["batch"],
        "date": comparison["context"]["date"],
        "load": comparison["context"]["load"],
        "clock": clock_of(comparison, folder),
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


def collect(grid, folder):
    comparisons = []
    for path in sorted(glob.glob(os.path.join(folder, "*-*.json"))):
        with open(path, encoding="utf-8") as file:
            comparisons.append(json.load(file))
    if not comparisons:
        sys.exit(f"signed_errors.py: no comparison in {folder}")
    context = comparisons[0]["context"]
    results = {
        "schema": "oracle/results/1",
        "command": f"validate/bench/calibrated.sh --{grid}",
        "grid": grid,
        "context": {name: context[name] for name in KEPT},
        "runs": [run_of(comparison, folder) for comparison in comparisons],
    }
    head = {name: results[name] for name in results if name != "runs"}
    rows = ",\n  ".join(json.dumps(run) for run in results["runs"])
    return json.dumps(head, indent=1)[:-2] + f',\n "runs": [\n  {rows}\n ]\n}}\n'


def percent(number):
    return "" if number is None else f"{100 * number:+.1f} %"


def layer_errors(runs):
    """Of the layers that are long enough to be judged."""
    return [
        abs(error((predicted, measured)))
        for run in runs
        for _, predicted, measured in run["layers"]
        if measured > LEAST_LAYER
    ]


def summary(runs):
    sizes = [abs(error(run["parts"]["step"])) for run in runs]
    return {
        "median": statistics.median(sizes),
        "worst": max(sizes),
        "layers": statistics.median(layer_errors(runs)),
        "inside": sum(run["inside"] for run in runs),
    }


HEAD = ("network", "strategy", "batch", "measured", "predicted", "error", "clock", "forward", "backward", "update")


def row_of(run):
    step = run["parts"]["step"]
    parts = [percent(error(run["parts"][name])) for name in ("forward", "backward", "update")]
    return (
        f"{run['model']} {run['input']}".strip(),
        run["strategy"],
        str(run["batch"]),
        f"{1e3 * step[1]:.1f} ms",
        f"{1e3 * step[0]:.1f} ms ± {100 * run['uncertainty']:.0f} %",
        percent(error(step)),
        "" if run.get("clock") is None else f"{run['clock']:.2f}",
        *parts,
    )


def table(results):
    lines = []
    for result in results:
        runs, context = result["runs"], result["context"]
        total = summary(runs)
        lines.append(
            f"`{result['command']}`, {context['processor'].split(',')[0]}, {context['kernels']}, "
            f"{context['communicator']}, {runs[0]['date'][:10]}: median error {100 * total['median']:.1f} %, "
            f"worst {100 * total['worst']:.1f} %, {total['inside']} of {len(runs)} in the interval, "
            f"layers {100 * total['layers']:.1f} % in the median"
        )
        lines += ["", "| " + " | ".join(HEAD) + " |", "| --- | --- " + "| ---: " * (len(HEAD) - 2) + "|"]
        lines += ["| " + " | ".join(row_of(run)) + " |" for run in runs]
        lines.append("")
    return "\n".join(lines[:-1]) + "\n"


def judge(result):
    rows = [HEAD] + [row_of(run) for run in result["runs"]]
    width = [max(len(row[c]) for row in rows) for c in range(len(HEAD))]
    for row in rows:
        print("  ".join(cell.ljust(w) if c < 2 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, width))))
    total = summary(result["runs"])
    print(
        f"\nstep: median |error| {100 * total['median']:.1f} % (bar {100 * MEDIAN_BAR:.0f} %), "
        f"worst {100 * total['worst']:.1f} % (bar {100 * WORST_BAR:.0f} %), "
        f"{total['inside']} of {len(result['runs'])} inside the 90 % interval\n"
        f"layers over {1e6 * LEAST_LAYER:.0f} us: median |error| {100 * total['layers']:.1f} % "
        f"(bar {100 * LAYER_BAR:.0f} %)"
    )
    return total["median"] <= MEDIAN_BAR and total["worst"] <= WORST_BAR and total["layers"] <= LAYER_BAR


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(words):
    if len(words) == 3 and words[0] == "collect":
        print(collect(words[1], words[2]), end="")
    elif len(words) >= 2 and words[0] == "table":
        print(table([load(path) for path in words[1:]]), end="")
    elif len(words) == 2 and words[0] == "judge":
        return 0 if judge(load(words[1])) else 1
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
