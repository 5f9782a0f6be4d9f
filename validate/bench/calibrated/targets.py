"""Which targets do results meet?

A row for each target: what, over how many, the figure, the target and a verdict. A target that nothing was measured
for is neither met nor missed. Two rows have no target: the step at the calibration's clock, and the layers without the
hosts of the test bed. They say how much of the error is due to the clock and to the test bed.
"""
import collections
import statistics

from errors import is_serial_or_data, layer_sizes, link_of, size, size_at_clock
from ranking import choices

SERIAL_DATA, OTHERS, EXACT, WORST, LAYERS = 0.05, 0.10, 0.03, 0.20, 0.10
COVERAGE = (0.85, 0.97)
RANKED, NEAR_BEST = 0.90, 0.05

# How the rows begin.
EXACT_STEP = "step, exact layer shapes, median"
OF_EXACT = "exact layer shapes: "
PLAIN_STEP = "step, one device and data parallel, median"
OTHER_STEP = "step, other strategies, median"
WORST_STEP = "step, worst"
ALL_LAYERS = "layers, median"
LAYERS_HERE = f"{ALL_LAYERS}, without the hosts"
INSIDE = "inside the 90 % interval"
RANKING = "strategy ranked first"

# `verdict`: "met", "missed", "not measured", or empty where there is no target
Target = collections.namedtuple("Target", "what over figure target verdict")


def verdict(holds):
    return "met" if holds else "missed"


def at_most(what, values, figure, limit):
    if not values:
        return Target(what, 0, "", f"at most {100 * limit:.0f} %", "not measured")
    found = figure(values)
    return Target(what, len(values), f"{100 * found:.1f} %", f"at most {100 * limit:.0f} %", verdict(found <= limit))


def medians(results):
    runs = results["runs"]
    plain = [size(run) for run in runs if is_serial_or_data(run)]
    others = [size(run) for run in runs if not is_serial_or_data(run)]
    exact = results["grid"] == "exact"
    parts = [
        at_most((OF_EXACT if exact else "") + PLAIN_STEP, plain, statistics.median, SERIAL_DATA),
        at_most((OF_EXACT if exact else "") + OTHER_STEP, others, statistics.median, OTHERS),
    ]
    whole = at_most(EXACT_STEP, [size(run) for run in runs], statistics.median, EXACT)
    return [whole, *parts] if exact else parts


def at_clock(runs):
    """Absent where no run says how fast its processor was. Where hosts share cores a probe sees their turns, too."""
    known = [size_at_clock(run) for run in runs if run.get("clock") is not None and not link_of(run)]
    if not known:
        return []
    return [Target("step, median, at the calibration's clock", len(known), f"{100 * statistics.median(known):.1f} %", "", "")]


def layers_here(runs):
    """Absent where no hosts share this machine's cores: there layers take turns with those of other hosts."""
    here = [run for run in runs if not link_of(run)]
    sizes = layer_sizes(here)
    if len(here) == len(runs) or not sizes:
        return []
    return [Target(LAYERS_HERE, len(sizes), f"{100 * statistics.median(sizes):.1f} %", "", "")]


def coverage(runs):
    low, high = COVERAGE
    target = f"{100 * low:.0f} to {100 * high:.0f} %"
    if not runs:
        return Target(INSIDE, 0, "", target, "not measured")
    part = sum(run["inside"] for run in runs) / len(runs)
    width = 100 * statistics.median(run["uncertainty"] for run in runs)
    return Target(f"{INSIDE}, ± {width:.0f} % in the median", len(runs), f"{100 * part:.1f} %", target, verdict(low <= part <= high))


def ranking(runs):
    what, target = f"{RANKING} within {100 * NEAR_BEST:.0f} % of the fastest", f"at least {100 * RANKED:.0f} %"
    made = choices(runs)
    if not made:
        return Target(what, 0, "", target, "not measured")
    part = sum(choice.loss <= NEAR_BEST for choice in made) / len(made)
    return Target(what, len(made), f"{100 * part:.1f} %", target, verdict(part >= RANKED))


def poor_choices(runs):
    return [choice for choice in choices(runs) if choice.loss > NEAR_BEST]


def failures(results):
    """Of what was to be run; absent where nothing failed."""
    failed = [one for one in results.get("left_out", []) if one["why"] == "failed"]
    over = len(results["runs"]) + len(failed)
    return [Target("runs that failed", over, str(len(failed)), "none", "missed")] if failed else []


def targets(results):
    runs = results["runs"]
    return [
        *medians(results),
        *at_clock(runs),
        at_most(WORST_STEP, [size(run) for run in runs], max, WORST),
        at_most(ALL_LAYERS, layer_sizes(runs), statistics.median, LAYERS),
        *layers_here(runs),
        coverage(runs),
        ranking(runs),
        *failures(results),
    ]


def all_met(rows):
    return all(row.verdict != "missed" for row in rows)
