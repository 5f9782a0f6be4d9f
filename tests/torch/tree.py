"""Where the tests find things: `root` and `oracle` are their arguments."""

import json
import os
import subprocess
import sys
import unittest

root, oracle = (sys.argv + ["", ""])[1:3]
sys.path.insert(0, os.path.join(root, "models"))
SKIPPED = 77


def require_torch():
    """Ends with ctest's word for a test that cannot run here."""
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: PyTorch is not installed (Debian's python3-torch)")
        sys.exit(SKIPPED)


def figures(path):
    """What the engine makes of a model: the whole report."""
    answer = subprocess.run(
        [oracle, "show", "model", path, "--format", "report"], capture_output=True, text=True, check=False
    )
    if answer.returncode:
        raise AssertionError(answer.stderr)
    return json.loads(answer.stdout)


def run_tests():
    unittest.main(argv=sys.argv[:1])
