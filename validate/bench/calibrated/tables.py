"""How do results look: every run as a line of text, and all of them as tables of a README?"""
import statistics

from bars import bars, poor_choices
from errors import error, link_of, percent, step, way_of
from ranking import sentence

ORDER = ("serial", "data", "height", "depth", "width", "filter", "channel", "tensor", "pipeline")


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


BAR_HEAD = ("what", "over", "figure", "bar", "verdict")


def bar_rows(results):
    return [(row.what, str(row.over), row.figure or "–", row.bar, row.verdict) for row in bars(results)]


def judgement(results):
    """The bars, the choices that lose more than they may, and what was not run."""
    lines = columns([BAR_HEAD] + bar_rows(results), 1)
    poor = poor_choices(results["runs"])
    left_out = left_out_sentences(results)
    if poor:
        lines += ["", "choices that lose too much"] + [f"  - {sentence(choice)}" for choice in poor]
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


def column_key(column):
    """Columns in the order in which they get more complicated, whatever the runs'."""
    way, link = column
    cuts = [cut.split(":")[0] for cut in way.split(",")]
    return (link != "", rate_of(link), len(cuts), [ORDER.index(cut) if cut in ORDER else len(ORDER) for cut in cuts])


def rate_of(link):
    """Of "200mbit": 200e6."""
    scale = {"k": 1e3, "m": 1e6, "g": 1e9}
    return float(link[:-4]) * scale[link[-4]] if link else 0


def cell_of(run):
    """What lies outside of its interval is bold."""
    if run is None:
        return "–"
    text = percent(error(step(run)))
    return text if run["inside"] else f"**{text}**"


def pivot(runs):
    """Networks by strategies, the signed error of the step in each cell."""
    cells = {(run["model"], run["input"], way_of(run), link_of(run)): run for run in runs}
    networks = sorted({key[:2] for key in cells})
    ways = sorted({key[2:] for key in cells}, key=column_key)
    head = ["network", *(f"{way} {link}".strip() for way, link in ways)]
    rows = [
        [f"{model} {size}".strip(), *(cell_of(cells.get((model, size, *way))) for way in ways)]
        for model, size in networks
    ]
    middle = [
        statistics.median(abs(error(step(run))) for key, run in cells.items() if key[2:] == way) for way in ways
    ]
    return markdown(head, rows + [["median, unsigned", *(f"{100 * number:.1f} %" for number in middle)]])


def measured_at(results):
    """To the minute: of two runs of a day one is newer."""
    return results["runs"][0]["date"][:16].replace("T", " ")


def heading(results):
    context = results["context"]
    return (
        f"`{results['command']}`, {context['processor'].split(',')[0]}, {context['kernels']}, "
        f"{context['communicator']}, {measured_at(results)}:"
    )


def readme_section(results):
    """One measuring run as a part of a README: its errors here and on the test bed, then its bars."""
    lines = [heading(results), ""]
    here = [run for run in results["runs"] if not link_of(run)]
    hosts = [run for run in results["runs"] if link_of(run)]
    for runs in filter(None, (here, hosts)):
        lines += [*pivot(runs), ""]
    lines += markdown(BAR_HEAD, bar_rows(results))
    notes = [sentence(choice) for choice in poor_choices(results["runs"])] + left_out_sentences(results)
    if notes:
        lines += ["", *(f"- {text}" for text in notes)]
    return lines


# Columns of the overview, and how their bars begin.
OVERVIEW = (
    ("exact", "step, of the very layers"),
    ("serial, data", "step, serial and data"),
    ("others", "step, other strategies"),
    ("worst", "step, worst"),
    ("layers", "layers, median"),
    ("here", "layers, median, without"),
    ("inside", "inside"),
    ("choice", "choice"),
)


def overview_row(results):
    """The figures of its bars; those missed are bold."""
    rows = bars(results)
    cells = []
    for _, begins in OVERVIEW:
        found = next((row for row in rows if row.what.startswith(begins) and row.figure), None)
        missed = found is not None and found.verdict == "missed"
        cells.append("–" if found is None else f"**{found.figure}**" if missed else found.figure)
    context = results["context"]
    processor = context["processor"].split(",")[0]
    return [measured_at(results), processor, results["grid"], context["commit"][:7], str(len(results["runs"])), *cells]


def overview(all_results):
    head = ("measured", "on", "grid", "commit", "runs", *(name for name, _ in OVERVIEW))
    return markdown(head, [overview_row(results) for results in all_results], 4)


def readme_tables(all_results):
    """The newest first."""
    newest = sorted(all_results, key=lambda results: results["runs"][0]["date"], reverse=True)
    parts = [overview(newest), *(readme_section(results) for results in newest)]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"
