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


class Kept(unittest.TestCase):
    def test_each_has_the_parameters_and_macs_of_pytorch(self):
        kept = glob.glob(os.path.join(root, "tests/data/torch/*.json"))
        self.assertEqual(sorted(os.path.basename(each)[:-5] for each in kept), sorted(FIGURES))
        for path in kept:
            report = figures(path)
            name = os.path.basename(path)[:-5]
            self.assertEqual((report["parameters"], report["multiply_adds"]), FIGURES[name], name)

    def test_the_readme_has_the_table(self):
        script = os.path.join(root, "models/from_torch.py")
        table = subprocess.run([sys.executable, "-B", script, "--operators"], capture_output=True, text=True, check=True)
        with open(os.path.join(root, "models/pytorch/README.md"), encoding="utf-8") as file:
            self.assertIn("\n" + table.stdout, file.read(),
                          "put what python3 models/from_torch.py --operators prints into models/pytorch/README.md")


if __name__ == "__main__":
    run_tests()
