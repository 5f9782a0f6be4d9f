"""How far off are predictions, in one table: uncalibrated by kind of run, calibrated by machine?

Uncalibrated ones are judged by runs that others published (`oracle accuracy --format json`), calibrated ones by the
files of data/results.
"""
import re
import statistics

from errors import error, is_serial_or_data, step
from tables import markdown


class Judged:
    """Signed errors of some runs, with the half-width of each interval and whether it holds the measured step."""

    def __init__(self, errors, widths, inside):
        self.errors, self.widths, self.inside = errors, widths, inside

    def row(self, prediction, judged_by):
        sizes = sorted(map(abs, self.errors))
        shares = statistics.median(sizes), quantile(sizes, 0.9), max(self.errors, key=abs)
        inside = sum(self.inside) / len(self.inside)
        return [prediction, judged_by, str(len(sizes)), *figures(*shares, statistics.median(self.widths), inside)]


def figures(median, p90, worst, width, inside):
    return [
        f"{100 * median:.1f} %",
        f"{100 * p90:.1f} %",
        f"{100 * worst:+.0f} %",
        f"± {100 * width:.0f} %",
        f"{100 * inside:.0f} %",
    ]


def quantile(values, share):
    """Of sorted values, linear between neighbours, as oracle/base/statistics.h has it."""
    place = share * (len(values) - 1)
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


KINDS = ("one GPU", "data parallel", "tensor and pipeline of transformers", "filter, channel or spatial")
OF_TRANSFORMERS = {"tensor", "tensor_sequence", "context", "ring", "ulysses", "expert", "pipeline"}


def kind_of(strategy):
    """Of a published run: one of KINDS."""
    mesh = re.sub(r"\b(offload|expert_load)=[^;]*", "", strategy)
    axes = set(re.findall(r"(\w+):\d", mesh))
    if not axes:
        return KINDS[0]
    if axes == {"data"}:
        return KINDS[1]
    return KINDS[2] if axes & OF_TRANSFORMERS else KINDS[3]


def published(runs):
    predicted = [run["predicted"]["value"] for run in runs]
    widths = [run["predicted"]["uncertainty"] for run in runs]
    measured = [run["measured"]["value"] for run in runs]
    inside = [abs(m - p) <= p * w for m, p, w in zip(measured, predicted, widths)]
    return Judged([error(pair) for pair in zip(predicted, measured)], widths, inside)


def calibrated(runs):
    return Judged([error(step(run)) for run in runs], [run["uncertainty"] for run in runs], [run["inside"] for run in runs])


def machine_rows(name, results):
    runs = results["runs"]
    if results["grid"] == "exact":
        return [calibrated(runs).row("calibrated, exact layer shapes", name)]
    plain = [run for run in runs if is_serial_or_data(run)]
    others = [run for run in runs if not is_serial_or_data(run)]
    return [
        calibrated(some).row(f"calibrated, {what}", name)
        for what, some in (("one device and data parallel", plain), ("other strategies", others))
        if some
    ]


def with_one_run(answer):
    """Of runs that judge, on any number of ranks, predicted with one step of the same network and device known."""
    shares = ("with", "p90", "worst", "half_width", "coverage")
    return [
        ["one run of the network known", "published runs", str(row["runs"]), *figures(*(row[key]["value"] for key in shares))]
        for row in answer.get("with_one_run", [])
        if row["set"] == "judge" and row["scale"] == "any"
    ]


def accuracy_table(answer, named_results):
    """`answer`: of `oracle accuracy --format json`; `named_results`: pairs of a machine's name and its results."""
    head = ("prediction", "judged by", "runs", "median error", "p90", "worst", "interval", "inside")
    rows = []
    for kind in KINDS:
        runs = [run for run in answer["runs"] if run["set"] == "judge" and kind_of(run["strategy"]) == kind]
        if runs:
            rows.append(published(runs).row(f"uncalibrated, {kind}", "published runs"))
    rows += with_one_run(answer)
    for name, results in named_results:
        rows += machine_rows(name, results)
    return "\n".join(markdown(head, rows, 2)) + "\n"
