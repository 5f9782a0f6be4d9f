"""Which runs does a calibrated machine have to predict?

Every network on one device, on two ranks of this machine along each mesh axis, and on four hosts of the test bed with
two axes at once, at each rate of their links. All strategies of as many ranks take the same batch, so that they can be
ranked.
"""
import collections
import itertools
import re

# Samples of a rank; inputs that keep a step on two cores to a few seconds.
Network = collections.namedtuple("Network", "batch_of_rank input")
NETWORKS = {
    "resnet50": Network(4, "3x128x128"),
    "vgg16": Network(2, "3x224x224"),
    "alexnet": Network(8, "3x224x224"),
    "mobilenet_v2": Network(8, "3x128x128"),
    "googlenet": Network(4, "3x128x128"),
    "cosmoflow": Network(1, "4x128x128x128"),
}
HERE = ("serial", "data:2", "height:2", "filter:2", "channel:2", "tensor:2", "pipeline:2")
HOSTS = ("data:2,filter:2", "data:2,height:2")
RATES = ("400mbit", "1gbit")

# `link`: the rate between hosts; empty on this machine alone.
Case = collections.namedtuple("Case", "model input batch strategy ranks link")


class Refused(Exception):
    """What was asked for is not understood."""


def ranks_of(strategy):
    """Of "data:2,filter:2": 4. Of "serial": 1."""
    ranks = 1
    for degree in re.findall(r":(\d+)", strategy):
        ranks *= int(degree)
    return ranks


def chosen(kind, text, known):
    """The words of a list with commas, each of which is one of `known`; all of those where nothing is said."""
    if text is None:
        return list(known)
    words = text.split(",")
    for word in words:
        if word not in known:
            raise Refused(f'{kind}: "{word}" is none; known are {", ".join(known)}')
    return [word for word in known if word in words]


def in_a_list(strategy):
    """A strategy as a word of a list with commas: data:2+filter:2."""
    return strategy.replace(",", "+")


def rates(text):
    """Of links, as `tc` writes them."""
    found = list(RATES) if text is None else text.split(",")
    for rate in found:
        if not re.fullmatch(r"[1-9]\d*[kmg]bit", rate):
            raise Refused(f'--rates: "{rate}" is none; write such as 200mbit,1gbit')
    return found


def cases(networks=None, strategies=None, links=None):
    """All runs, those of one place after the other. Throws Refused."""
    models = chosen("--networks", networks, NETWORKS)
    words = chosen("--strategies", strategies, [in_a_list(s) for s in HERE + HOSTS])
    wanted = [strategy for strategy in HERE + HOSTS if in_a_list(strategy) in words]
    places = [("", HERE)] + [(rate, HOSTS) for rate in rates(links)]
    found = []
    for (link, known), model in itertools.product(places, models):
        network = NETWORKS[model]
        for strategy in known:
            ranks = ranks_of(strategy)
            if strategy in wanted:
                found.append(Case(model, network.input, ranks * network.batch_of_rank, strategy, ranks, link))
    return found


def shapes_of(strategy):
    """The cuts that decide which shapes a rank computes: samples are as many on each, however many ranks there are."""
    cuts = [cut for cut in strategy.split(",") if not cut.startswith("data:") and cut != "serial"]
    return ",".join(cuts) or "serial"


def measured_batch(case):
    """The batch with which shapes_of(case.strategy) are the pieces of that case."""
    return NETWORKS[case.model].batch_of_rank * ranks_of(shapes_of(case.strategy))


def file_word(strategy):
    return in_a_list(strategy).replace(":", "")


def name_of(case):
    """resnet50.data2+filter2.200mbit"""
    return ".".join(filter(None, (case.model, file_word(case.strategy), case.link)))
