"""How do results look: every run as a line of text, and all of them as the table of a README?"""
from errors import error, link_of, percent, step
from ranking import sentence
from targets import (ALL_LAYERS, EXACT_STEP, INSIDE, LAYERS_HERE, OTHER_STEP, PLAIN_STEP, RANKING, WORST_STEP,
                     poor_choices, targets)


def seconds(number):
    return f"{1e3 * number:.1f} ms"


LIST_HEAD = ("network", "strategy", "link", "batch", "measured", "predicted", "error", "clock", "forward", "backward",
             "update")


def list_row(run):
    predicted, measured = step(run)
    return (
        f"{run['model']} {run['input']}".strip(),
        run["strategy"],
        link_of(run),
        str(run["batch"]),
        seconds(measured),
        f"{seconds(predicted)} ± {100 * run['uncertainty']:.0f} %",
        percent(error(step(run))),
        "" if run.get("clock") is None else f"{run['clock']:.2f}",
        *(percent(error(run["parts"][name])) if name in run["parts"] else "" for name in LIST_HEAD[-3:]),
    )


def columns(rows, text_columns):
    """In columns, the first of them to the left."""
    width = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(w) if c < text_columns else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, width)))
        .rstrip()
        for row in rows
    ]


def full_list(results):
    return columns([LIST_HEAD] + [list_row(run) for run in results["runs"]], 3)


TARGET_HEAD = ("what", "over", "figure", "target", "verdict")


def judgement(results):
    """The targets, the strategies ranked first that are too slow, and what was not run."""
    rows = [(row.what, str(row.over), row.figure or "–", row.target, row.verdict) for row in targets(results)]
    lines = columns([TARGET_HEAD] + rows, 1)
    poor = poor_choices(results["runs"])
    left_out = left_out_sentences(results)
    if poor:
        lines += ["", "ranked first and too slow"] + [f"  - {sentence(choice)}" for choice in poor]
    if left_out:
        lines += ["", "not run"] + [f"  - {text}" for text in left_out]
    return lines


def left_out_sentences(results):
    """Runs that were left out for one reason are one sentence."""
    reasons = {}
    for one in results.get("left_out", []):
        at = f" at {one['link']}" if one.get("link") else ""
        reasons.setdefault((one["why"], one["reason"]), []).append(f"{one['model']} {one['strategy']}{at}")
    return [f"{', '.join(which)}: {why}: {reason}" for (why, reason), which in reasons.items()]


def markdown(head, rows, text_columns=1):
    rule = ["---"] * text_columns + ["---:"] * (len(head) - text_columns)
    return ["| " + " | ".join(row) + " |" for row in (head, rule, *rows)]


def measured_on(results):
    return results["runs"][0]["date"][:10]


# Columns of the table of a README, and how their targets begin.
FIGURES = (
    ("exact shapes", EXACT_STEP),
    ("one device, data", PLAIN_STEP),
    ("other strategies", OTHER_STEP),
    ("worst", WORST_STEP),
    ("layers", ALL_LAYERS),
    ("layers, one host", LAYERS_HERE),
    ("in interval", INSIDE),
    ("ranked first", RANKING),
)


def found(rows, begins):
    return next((row for row in rows if row.what.startswith(begins)), None)


def figure_cell(row):
    """What misses its target is bold."""
    if row is None or not row.figure:
        return "–"
    return f"**{row.figure}**" if row.verdict == "missed" else row.figure


def machine_row(name, results):
    rows = targets(results)
    cells = (figure_cell(found(rows, begins)) for _, begins in FIGURES)
    return [name, results["grid"], measured_on(results), results["context"]["commit"][:7], str(len(results["runs"])), *cells]


def target_row(all_results):
    """What any of the results is judged by."""
    rows = [row for results in all_results for row in targets(results)]
    limits = ((found(rows, begins) or rows[0]._replace(target="")).target for _, begins in FIGURES)
    return ["target", "", "", "", "", *(limit.replace("at most", "≤").replace("at least", "≥") for limit in limits)]


def readme_table(named_results):
    """`named_results`: pairs of a machine's name and its results, in order."""
    head = ("machine", "calibrated by", "measured", "commit", "runs", *(name for name, _ in FIGURES))
    rows = [target_row([results for _, results in named_results]), *(machine_row(*pair) for pair in named_results)]
    return "\n".join(markdown(head, rows, 4)) + "\n"
