"""random_test.py ROOT ORACLE: random chains of functions, whose shapes, parameters and MACs are PyTorch's."""

import math
import os
import random
import tempfile
import unittest

from tree import figures, require_torch, run_tests

require_torch()
import transformers_written_out  # noqa: E402, F401  PyTorch 1.13 gets scaled_dot_product_attention there
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from from_torch import network_of, text_of, written  # noqa: E402
from networks_test import Macs, text_of_shape  # noqa: E402
from pytorch.meta import OnMeta, on_meta  # noqa: E402
from torch import nn  # noqa: E402

CHAINS = 120
INPUTS = ((2, 4, 7, 9), (2, 8, 8, 8), (2, 2, 4, 5, 6), (2, 6, 8), (2, 9, 4), (2, 12))


class Trained(nn.Module):
    """A function of a trained tensor and what it reads."""

    def __init__(self, function, *sizes):
        super().__init__()
        self.function, self.weight = function, nn.Parameter(torch.zeros(sizes, device="meta"))

    def forward(self, x):
        return self.function(x, self.weight)


class Plain(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Attention(nn.MultiheadAttention):
    def forward(self, x):
        return super().forward(x, x, x, need_weights=self.num_heads % 2 == 0)[0]


class Recurrent(nn.Module):
    def __init__(self, cell, *arguments, **options):
        super().__init__()
        self.cell = cell(*arguments, batch_first=True, **options)

    def forward(self, x):
        return self.cell(x)[0]


def windowed(draw, channels, axes):
    """A convolution, or one transposed, of as many axes."""
    kinds = (nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
    groups = draw.choice([1, 1, draw.choice([each for each in range(1, channels + 1) if channels % each == 0])])
    kernel, stride, pad = ([draw.choice(each) for _ in range(axes)] for each in ((1, 2, 3), (1, 1, 2), (0, 1)))
    options = {"groups": groups, "dilation": draw.choice([1, 1, 2]), "bias": draw.random() < 0.5}
    return kinds[draw.choice([0, 3]) + axes - 1](channels, groups * draw.choice([1, 2]), kernel, stride, pad, **options)


def proposals(draw, sizes):
    """Modules that read a tensor of these sizes, by name."""
    last, rank, axis = sizes[-1], len(sizes), draw.randrange(1, len(sizes))
    order = draw.sample(range(1, rank), rank - 1)
    length = draw.randrange(1, sizes[axis] + 1)
    begin = draw.randrange(sizes[axis] - length + 1)
    divisor = draw.choice([each for each in range(1, math.prod(sizes[1:]) + 1) if math.prod(sizes[1:]) % each == 0])
    heads = draw.choice([each for each in range(1, last + 1) if last % each == 0])
    plain = {
        "activation": F.gelu,
        "softmax": lambda x: x.softmax(axis),
        "permute": lambda x: x.permute(0, *order),
        "reshape": lambda x: x.reshape(x.shape[0], divisor, -1),
        "residual": lambda x: x + torch.tanh(x),
        "gate": lambda x: x * x.mean(axis, keepdim=True),
        "mean": lambda x: x.mean(axis),
        "narrow": lambda x: x.narrow(axis, begin, length),
        "join": lambda x: torch.cat([x, x], axis),
        "stack": lambda x: torch.stack([x, x], axis),
        "pad": lambda x: F.pad(x, (1, 2)),
        "in place": lambda x: F.relu(x * 2, inplace=True),
    }
    modules = {name: lambda function=function: Plain(function) for name, function in plain.items()}
    modules["linear"] = lambda: nn.Linear(last, draw.choice([4, 5, 8]), bias=draw.random() < 0.5)
    modules["layer norm"] = lambda: nn.LayerNorm(sizes[axis:])
    modules["shift"] = lambda: Trained(torch.add, *sizes[axis:])
    modules["scale"] = lambda: Trained(torch.mul, *sizes[1:2], *[1] * (rank - 2))
    if rank > 2:
        modules["group norm"] = lambda: nn.GroupNorm(1, sizes[1])
        modules["products"] = lambda: Plain(lambda x: (x @ x.transpose(-1, -2)) @ x)
    if 3 <= rank <= 5:
        modules["window"] = lambda: windowed(draw, sizes[1], rank - 2)
        modules["batch norm"] = lambda: (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[rank - 3](sizes[1])
    if rank in (3, 4):
        modules["fused"] = lambda: Plain(lambda x: F.scaled_dot_product_attention(x, x, x))
    if rank == 4:
        modules["pool"] = lambda: nn.MaxPool2d(2, draw.choice([1, 2, 3]), 1, ceil_mode=draw.random() < 0.5)
        modules["resize"] = lambda: nn.Upsample(scale_factor=2)
    if rank == 3:
        modules["einsum"] = lambda: Trained(lambda x, weight: torch.einsum("bij,ijk->bik", x, weight), *sizes[1:], 3)
        modules["attention"] = lambda: Attention(last, heads, batch_first=True)
        cell = draw.choice([nn.LSTM, nn.GRU, nn.RNN])
        modules["recurrent"] = lambda: Recurrent(cell, last, 3, draw.choice([1, 2]), bidirectional=draw.random() < 0.5)
    return modules


def chain(seed):
    """A sequence of modules, and what it reads."""
    draw = random.Random(seed)
    example = value = torch.empty(draw.choice(INPUTS), device="meta")
    made, names = [], []
    while len(made) < 6:
        modules = proposals(draw, value.shape)
        name = draw.choice(sorted(modules))
        try:
            module = modules[name]().to("meta")
            value_made = module(value)
        except (RuntimeError, ValueError):  # a window wider than what it reads
            continue
        # PyTorch's Einsum over axes of 1 calls no product.
        too_few_axes = value_made.dim() < 2 or name == "einsum" and 1 in value.shape
        if too_few_axes or not 0 < value_made.numel() < 1e6:
            continue
        value = value_made
        made.append(module)
        names.append(name)
    return nn.Sequential(*made), example, names


class Chains(unittest.TestCase):
    def test_shapes_parameters_and_macs_are_exact(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "net.json")
        for seed in range(CHAINS):
            module, example, names = chain(seed)
            with self.subTest(seed=seed, names=names):
                network = network_of(module, example)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text_of(written(network, "chain", "")))
                report = figures(path)
                with OnMeta(), Macs() as count:
                    on_meta(module)(example)
                self.assertEqual(report["parameters"], sum(each.numel() for each in module.parameters()))
                self.assertEqual(2 * report["multiply_adds"], count.macs)
                made = {each["layer"]: each["output"] for each in report["layers"]}
                for layer in network.layers[:-1]:
                    self.assertEqual(made[layer["name"]], text_of_shape(layer["shape"]), layer["name"])


if __name__ == "__main__":
    run_tests()
