"""kept_test.py ROOT ORACLE: the models of tests/data/torch and the table of functions, without PyTorch."""

import glob
import os
import subprocess
import sys
import unittest

from tree import figures, root, run_tests

# Parameters and MACs as PyTorch counts them: networks_test.py counts them again where it is installed.
FIGURES = {
    "computes": (3300, 19200),
    "lstm": (206212, 3113472),
    "odds": (3106, 1067342),
    "queries": (1285, 12240),
    "siamese": (3458, 640032),
    "swin_block": (118021, 24424128),
    "translation": (75380, 689152),
    "unet": (59477, 54919168),
}


README = "models/pytorch/README.md"


def table():
    """The lines of the table of functions."""
    script = os.path.join(root, "models/from_torch.py")
    asked = [sys.executable, "-B", script, "--operators"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()


class Kept(unittest.TestCase):
    def test_each_has_the_parameters_and_macs_of_pytorch(self):
        kept = glob.glob(os.path.join(root, "tests/data/torch/*.json"))
        self.assertEqual(sorted(os.path.basename(each)[:-5] for each in kept), sorted(FIGURES))
        for path in kept:
            report = figures(path)
            name = os.path.basename(path)[:-5]
            self.assertEqual((report["parameters"], report["multiply_adds"]), FIGURES[name], name)

    def test_the_readme_has_the_table(self):
        with open(os.path.join(root, README), encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[-len(table()) :], table(), "tests/torch/regenerate.py writes it again")


if __name__ == "__main__":
    run_tests()
