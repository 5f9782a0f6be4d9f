"""How far are predictions off, run by run and layer by layer?

error = (predicted - measured) / measured. Layers below 50 us are kept and not judged: a clock and a call cost as much.
"""

LEAST_LAYER = 50e-6


def error(pair):
    predicted, measured = pair
    return (predicted - measured) / measured if measured else None


def step(run):
    """Predicted and measured [s]."""
    return run["parts"]["step"]


def size(run):
    return abs(error(step(run)))


def size_at_clock(run):
    """The same had the processor computed as fast as in the calibration, and waited as long. The run says its clock."""
    predicted, measured = step(run)
    computing = sum(run["parts"][name][1] for name in ("forward", "backward", "update"))
    return abs(error((predicted, measured + (run["clock"] - 1) * computing)))


def link_of(run):
    return run.get("link", "")


# Options that cases ask for.
ASKED = ("zero", "recompute", "exchange", "staleness")


def axes_of(run):
    return run["strategy"].split(";")[0].strip()


def way_of(run):
    """The strategy without the options that it was given by itself: "pipeline:2; micro_batches=4" is "pipeline:2"."""
    options = [option.strip() for option in run["strategy"].split(";")[1:]]
    return "; ".join([axes_of(run), *(option for option in options if option.split("=")[0] in ASKED)])


def is_serial_or_data(run):
    """Neither axes but `data` nor state in shards nor another exchange than an all-reduce."""
    plain = all(cut == "serial" or cut.startswith("data:") for cut in axes_of(run).split(","))
    return plain and not any(f"{option}=" in run["strategy"] for option in ("zero", "exchange"))


def layer_sizes(runs):
    """Of the layers that are long enough to be judged."""
    return [
        abs(error((predicted, measured)))
        for run in runs
        for _, predicted, measured in run["layers"]
        if measured > LEAST_LAYER
    ]


def percent(number):
    return "" if number is None else f"{100 * number:+.1f} %"
