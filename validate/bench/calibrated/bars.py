"""Which promises do results keep?

A row for each bar: what, over how many, the figure, the bar and a verdict. A bar that nothing was measured for is
neither held nor missed. Nor are the step at the calibration's clock and the layers without the hosts of the test bed,
which tell how much of the errors is the machine's and the test bed's.
"""
import collections
import statistics

from errors import is_serial_or_data, layer_sizes, link_of, size, size_at_clock
from ranking import choices

SERIAL_DATA, OTHERS, EXACT, WORST, LAYERS = 0.05, 0.10, 0.03, 0.20, 0.10
COVERAGE = (0.85, 0.97)
RANKED, NEAR_BEST = 0.90, 0.05

# `verdict`: "held", "missed", "not measured", or empty where there is no bar
Bar = collections.namedtuple("Bar", "what over figure bar verdict")


def verdict(holds):
    return "held" if holds else "missed"


def at_most(what, values, figure, bar):
    if not values:
        return Bar(what, 0, "", f"at most {100 * bar:.0f} %", "not measured")
    found = figure(values)
    return Bar(what, len(values), f"{100 * found:.1f} %", f"at most {100 * bar:.0f} %", verdict(found <= bar))


def medians(results):
    runs = results["runs"]
    if results["grid"] == "exact":
        return [at_most("step, of the very layers, median", [size(run) for run in runs], statistics.median, EXACT)]
    plain = [size(run) for run in runs if is_serial_or_data(run)]
    others = [size(run) for run in runs if not is_serial_or_data(run)]
    return [
        at_most("step, serial and data, median", plain, statistics.median, SERIAL_DATA),
        at_most("step, other strategies, median", others, statistics.median, OTHERS),
    ]


def at_clock(runs):
    """Absent where no run says how fast its processor was. Where hosts share cores a probe sees their turns, too."""
    known = [size_at_clock(run) for run in runs if run.get("clock") is not None and not link_of(run)]
    if not known:
        return []
    return [Bar("step, median, at the calibration's clock", len(known), f"{100 * statistics.median(known):.1f} %", "", "")]


def layers_here(runs):
    """Absent where no hosts share this machine's cores: there layers take turns with those of other hosts."""
    here = [run for run in runs if not link_of(run)]
    sizes = layer_sizes(here)
    if len(here) == len(runs) or not sizes:
        return []
    return [Bar("layers, median, without the hosts", len(sizes), f"{100 * statistics.median(sizes):.1f} %", "", "")]


def coverage(runs):
    low, high = COVERAGE
    bar = f"{100 * low:.0f} to {100 * high:.0f} %"
    if not runs:
        return Bar("inside the 90 % interval", 0, "", bar, "not measured")
    part = sum(run["inside"] for run in runs) / len(runs)
    width = 100 * statistics.median(run["uncertainty"] for run in runs)
    return Bar(f"inside the 90 % interval, ± {width:.0f} % in the median", len(runs), f"{100 * part:.1f} %", bar, verdict(low <= part <= high))


def ranking(runs):
    what, bar = f"choice within {100 * NEAR_BEST:.0f} % of the best", f"at least {100 * RANKED:.0f} %"
    made = choices(runs)
    if not made:
        return Bar(what, 0, "", bar, "not measured")
    part = sum(choice.loss <= NEAR_BEST for choice in made) / len(made)
    return Bar(what, len(made), f"{100 * part:.1f} %", bar, verdict(part >= RANKED))


def poor_choices(runs):
    return [choice for choice in choices(runs) if choice.loss > NEAR_BEST]


def failures(results):
    """Of what was to be run; absent where nothing failed."""
    failed = [one for one in results.get("left_out", []) if one["why"] == "failed"]
    over = len(results["runs"]) + len(failed)
    return [Bar("runs that failed", over, str(len(failed)), "none", "missed")] if failed else []


def bars(results):
    runs = results["runs"]
    return [
        *medians(results),
        *at_clock(runs),
        at_most("step, worst", [size(run) for run in runs], max, WORST),
        at_most("layers, median", layer_sizes(runs), statistics.median, LAYERS),
        *layers_here(runs),
        coverage(runs),
        ranking(runs),
        *failures(results),
    ]


def all_kept(rows):
    return all(row.verdict != "missed" for row in rows)
