"""networks_test.py ROOT ORACLE: whole networks, against two counts of PyTorch's own and the models of models/."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tree import figures, oracle, require_torch, root, run_tests

require_torch()
import torch  # noqa: E402
from from_torch import network_of, text_of, written  # noqa: E402
from networks import NETWORKS  # noqa: E402
from regenerate import kept_text  # noqa: E402
from pytorch.meta import OnMeta, on_meta  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

# Of a causal mask the engine counts the pairs that it leaves, PyTorch all: the figure is that of models/gpt2.json.
CAUSAL = ("gpt2",)
BUILT_IN = ("resnet18", "resnet50", "vgg16", "mobilenet_v2", "densenet121", "gpt2", "vit_b")


class Macs(TorchDispatchMode):
    """Counts products as PyTorch's own kernels are called, below the functions that the script sees."""

    def __init__(self):
        super().__init__()
        self.macs = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        name = function.__name__.split(".")[0]
        if name in ("mm", "bmm"):
            self.macs += out.numel() * args[0].shape[-1]
        elif name in ("addmm", "baddbmm"):
            self.macs += out.numel() * args[1].shape[-1]
        elif name == "convolution":
            values, weight, transposed = args[0], args[1], args[6]
            self.macs += (values if transposed else out).numel() * weight.numel() // weight.shape[0]
        return out


def counted(module, inputs):
    """MACs of a sample, of two that PyTorch runs: the small ones with numbers."""
    inputs = [torch.zeros(2, *each.shape[1:], dtype=each.dtype) for each in inputs]
    large = sum(each.numel() for each in module.parameters()) > 1000000
    with OnMeta() if large else torch.no_grad(), Macs() as count:
        (on_meta(module) if large else module)(*inputs)
    return count.macs // 2


def text_of_shape(shape):
    longer = [str(shape[letter]) for letter in "dhws" if shape[letter] > 1]
    return "x".join([str(shape["c"]), *longer])


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def write(self, name, module, inputs):
        """The report of the engine, and the layers as the script has them."""
        path = os.path.join(self.folder, name + ".json")
        network = network_of(module, inputs)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(written(network, name, "")))
        return figures(path), network.layers

    def test_parameters_macs_and_shapes_are_exact(self):
        for name, make in NETWORKS.items():
            with self.subTest(name):
                module, inputs = make()
                report, layers = self.write(name, module, inputs)
                self.assertEqual(report["parameters"], sum(each.numel() for each in module.parameters()))
                if name not in CAUSAL:
                    self.assertEqual(report["multiply_adds"], counted(module, inputs))
                made = {each["layer"]: each["output"] for each in report["layers"]}
                for layer in layers[:-1]:
                    self.assertEqual(made[layer["name"]], text_of_shape(layer["shape"]), layer["name"])

    def test_layers_are_those_of_the_models_of_this_project(self):
        def products(report):
            return [
                (each["output"], each["parameters"], each["forward_flops"]["value"])
                for each in report["layers"]
                if each["parameters"] or each["kind"] in ("convolution", "dense", "attention")
            ]

        for name in BUILT_IN:
            with self.subTest(name):
                report, _ = self.write(name, *NETWORKS[name]())
                own = figures(name)
                self.assertEqual(sorted(products(report)), sorted(products(own)))
                self.assertEqual(report["multiply_adds"], own["multiply_adds"])

    def test_weights_take_no_memory(self):
        path = os.path.join(self.folder, "large.json")
        network = "transformers_written_out:Gpt(12288, 96, 96, 51200, 2048)"
        script = os.path.join(root, "models/from_torch.py")
        code = (
            "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        written_by = [sys.executable, "-B", script, network, "--input", "1x2048:int64", "-o", path]
        here = os.path.dirname(os.path.abspath(__file__))
        done = subprocess.run(
            [sys.executable, "-c", code, *written_by], capture_output=True, text=True, check=True, cwd=here
        )
        self.assertLess(int(done.stdout), 1000000)  # kB, for 700 GB of weights
        for key in ("parameters", "multiply_adds"):
            self.assertEqual(figures(path)[key], figures("gpt3_175b")[key])

    def test_kept_models_are_what_is_written_today(self):
        folder = os.path.join(root, "tests/data/torch")
        for file_name in os.listdir(folder):
            with open(os.path.join(folder, file_name), encoding="utf-8") as file:
                self.assertEqual(file.read(), kept_text(file_name[:-5]), "tests/torch/regenerate.py writes it again")

    def test_networks_of_torchvision(self):
        try:
            import torchvision.models as models
        except ImportError:
            self.skipTest("torchvision is not installed")
        for name, options in (
            ("efficientnet_b0", {}),
            ("inception_v3", {"init_weights": False}),
            ("swin_t", {}),
            ("convnext_tiny", {}),
            ("maxvit_t", {}),
            ("shufflenet_v2_x1_0", {}),
            ("r3d_18", {}),
            ("fcn_resnet50", {"weights_backbone": None}),
        ):
            make = (
                getattr(models, name, None) or getattr(models.video, name, None) or getattr(models.segmentation, name)
            )
            with self.subTest(name):
                module = make(weights=None, **options)
                inputs = [
                    torch.empty(
                        1,
                        3,
                        *((16, 112, 112) if name == "r3d_18" else (299, 299) if name == "inception_v3" else (224, 224)),
                        device="meta",
                    )
                ]
                report, _ = self.write(name, module, inputs)
                self.assertEqual(report["parameters"], sum(each.numel() for each in module.parameters()))
                self.assertEqual(report["multiply_adds"], counted(module, inputs))

    def test_commands_of_the_readme_run(self):
        try:
            import torchvision  # noqa: F401
        except ImportError:
            self.skipTest("torchvision is not installed")
        text = ""
        for readme in ("models/README.md", "models/pytorch/README.md"):
            with open(os.path.join(root, readme), encoding="utf-8") as file:
                text += file.read()
        blocks = "".join(re.findall(r"```shell-session\n(.*?)```", text, re.S))
        commands = [line[2:] for line in blocks.splitlines() if line.startswith("$ ")]
        self.assertGreater(len(commands), 4)
        python = re.search(r"```python\n(.*?)```", text, re.S).group(1)
        os.symlink(os.path.join(root, "models"), os.path.join(self.folder, "models"))
        os.symlink(oracle, os.path.join(self.folder, "oracle"))
        environment = {
            **os.environ,
            "PATH": self.folder + ":" + os.environ["PATH"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.path.dirname(os.path.abspath(__file__)),
        }
        for command in commands + [f"{sys.executable} -c '{python}'"]:
            command = (
                command.replace("python3 ", sys.executable + " ", 1) if command.startswith("python3 ") else command
            )
            done = subprocess.run(
                command, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True, check=False
            )
            self.assertEqual(done.returncode, 0, command + "\n" + done.stdout + done.stderr)


if __name__ == "__main__":
    run_tests()
