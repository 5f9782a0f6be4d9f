"""What machine are the hosts of the test bed, as far as prices go?

Each host is a network namespace with a link of its own; their processors and memory are those of this one machine. So
the description has one device, this machine's, which all hosts' ranks share, and a network in which each rank has a
rail of its own: one message moves at the link's rate, however many others move at the same time.
"""
import copy
import re

HOSTS = 4
# Two hops of a bridge; the profile's fits stand in its place where the links were measured.
LATENCY = "100 us"
SHARED = "a rank's share: the hosts are on one machine, whose processors and memory they share"


def rail_of(rate):
    """Of "200mbit" as `tc` writes it: (200.0, "Mbit/s")"""
    number, scale = re.fullmatch(r"(\d+)([kmg])bit", rate).groups()
    return float(number), {"k": "kbit/s", "m": "Mbit/s", "g": "Gbit/s"}[scale]


def description(machine, rate, hosts=HOSTS):
    """The cluster file (data/schema/cluster.schema.json) of `hosts` on the machine that a profile describes."""
    number, unit = rail_of(rate)
    all_rails = f"{hosts * number:g} {unit}"
    device = copy.deepcopy(machine["device"])
    return {
        "schema": "oracle/cluster/1",
        "name": f"{hosts} hosts of a test bed, {rate} each",
        "device": device,
        "ranks_per_device": hosts,
        "levels": [
            {
                "name": "network",
                "units": 1,
                "uplink": {"name": f"{rate} links", "bandwidth": all_rails, "rails": hosts, "latency": LATENCY},
            }
        ],
        "sources": [
            {
                "kind": "measured",
                "text": "as the test bed is made",
                "figures": ["network/units", "network/bandwidth", "network/rails"],
            },
            {"kind": "assumed", "text": "two hops through a bridge", "figures": ["network/latency"]},
        ],
        "assumptions": [SHARED],
    }
