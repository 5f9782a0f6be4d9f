#!/usr/bin/env python3
"""regenerate.py ROOT: writes the models of tests/data/torch and the table of functions again; read the difference."""

import os

from tree import require_torch, root

require_torch()
from from_torch import network_of, text_of, written  # noqa: E402
from kept_test import FIGURES, README, table  # noqa: E402
from networks import NETWORKS  # noqa: E402


def kept_text(name):
    module, inputs = NETWORKS[name]()
    return text_of(written(network_of(module, inputs), name, f"{name} of tests/torch/networks.py"))


if __name__ == "__main__":
    for each in FIGURES:
        with open(os.path.join(root, "tests/data/torch", each + ".json"), "w", encoding="utf-8") as file:
            file.write(kept_text(each))
    readme = os.path.join(root, README)
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    with open(readme, "w", encoding="utf-8") as file:
        file.write(text[: text.index(table()[0])] + "\n".join(table()) + "\n")
