"""Which runs does a calibrated machine have to predict?

Every network on one device, on two ranks of this machine along each mesh axis that its kind of network is trained along,
and those of images on four hosts of the test bed with two axes at once, at each rate of their links. All strategies of as
many ranks take the same batch, so that they can be ranked.
"""
import collections
import itertools
import re

HERE = ("serial", "data:2", "height:2", "filter:2", "channel:2", "tensor:2", "pipeline:2")
HOSTS = ("data:2,filter:2", "data:2,height:2")
# Of data-parallel ranks a row of `oracle list exchanges` each, and servers that do not wait.
OF_GRADIENTS = tuple(
    f"data:{{ranks}}; exchange={exchange}"
    for exchange in ("bf16", "int8", "onebit", "topk:1%", "gtopk:1%", "sketch:1%", "local:4", "servers:{ranks}",
                     "servers:1", "servers:{ranks}; staleness=any")
)
EXCHANGES_HERE = tuple(text.format(ranks=2) for text in OF_GRADIENTS)
EXCHANGES_HOSTS = tuple(text.format(ranks=4) for text in OF_GRADIENTS)
RATES = ("400mbit", "1gbit")
OF_STATE = ("serial", "serial; recompute=full", "data:2", "data:2; zero=1", "data:2; zero=2", "data:2; zero=3")
OF_TEXTS = (*OF_STATE, "tensor:2", "tensor_sequence:2", "context:2", "ring:2", "ulysses:2")

# Samples of a rank; inputs that keep a step on two cores to a few seconds, empty: the network's own.
Network = collections.namedtuple("Network", "batch_of_rank input here hosts", defaults=(HERE, HOSTS))
NETWORKS = {
    "resnet50": Network(4, "3x128x128", HERE + EXCHANGES_HERE, HOSTS + EXCHANGES_HOSTS),
    "vgg16": Network(2, "3x224x224"),
    "alexnet": Network(8, "3x224x224"),
    "mobilenet_v2": Network(8, "3x128x128"),
    "googlenet": Network(4, "3x128x128"),
    "cosmoflow": Network(1, "4x128x128x128"),
    "gpt_tiny": Network(4, "", OF_TEXTS, ()),
    "vit_tiny": Network(8, "", (*OF_STATE, "tensor:2"), ()),
    "moe_tiny": Network(4, "", (*OF_STATE, "tensor:2", "expert:2"), ()),
}
ALL_HERE = tuple(dict.fromkeys(strategy for network in NETWORKS.values() for strategy in network.here))
ALL_HOSTS = tuple(dict.fromkeys(strategy for network in NETWORKS.values() for strategy in network.hosts))

# `link`: the rate between hosts; empty on this machine alone.
Case = collections.namedtuple("Case", "model input batch strategy ranks link")


class Refused(Exception):
    """What was asked for is not understood."""


def ranks_of(strategy):
    """Of "data:2,filter:2": 4. Of "serial": 1."""
    ranks = 1
    for degree in re.findall(r":(\d+)", strategy.split(";")[0]):
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
    words = chosen("--strategies", strategies, [in_a_list(s) for s in ALL_HERE + ALL_HOSTS])
    wanted = [strategy for strategy in ALL_HERE + ALL_HOSTS if in_a_list(strategy) in words]
    found = []
    for link, model in itertools.product(["", *rates(links)], models):
        network = NETWORKS[model]
        for strategy in network.hosts if link else network.here:
            ranks = ranks_of(strategy)
            if strategy in wanted:
                found.append(Case(model, network.input, ranks * network.batch_of_rank, strategy, ranks, link))
    return found


def shapes_of(strategy):
    """The cuts that decide which shapes a rank computes: samples are as many on each, however many ranks there are."""
    axes = strategy.split(";")[0]
    cuts = [cut for cut in axes.split(",") if not cut.startswith("data:") and cut != "serial"]
    return ",".join(cuts) or "serial"


def measured_batch(case):
    """The batch with which shapes_of(case.strategy) are the pieces of that case."""
    return NETWORKS[case.model].batch_of_rank * ranks_of(shapes_of(case.strategy))


def file_word(strategy):
    return in_a_list(strategy).replace(":", "").replace("; ", "+").replace("=", "")


def name_of(case):
    """resnet50.data2+filter2.200mbit"""
    return ".".join(filter(None, (case.model, file_word(case.strategy), case.link)))
