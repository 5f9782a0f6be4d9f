#!/usr/bin/env python3
"""Writes a network of PyTorch as a model of this project (models/README.md).

    python3 models/from_torch.py torchvision.models:resnet50 --input 1x3x224x224 -o resnet50.json
    python3 models/from_torch.py "mynet:Net(width=64)" --input 8x128:int64 -o net.json

or from Python: `from from_torch import write_model; write_model(module, example, "net.json")`.

The module runs once on PyTorch's meta device: shapes are computed, numbers are not, and no weights are
held. Each function that it calls is looked up in the table of pytorch/table.py; one that is not there is
refused with its place in the module.
"""
import argparse
import ast
import importlib
import json
import os
import sys
import textwrap

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pytorch.axes import Refused  # noqa: E402
from pytorch.call import is_tensor, tensors_in  # noqa: E402
from pytorch.network import Value, listed, written  # noqa: E402
from pytorch.table import TABLE  # noqa: E402

try:
    import torch
    from pytorch.meta import OnMeta
    from pytorch.recorder import record
except ImportError:
    torch = None

BATCH = 61  # in place of the example's; a prime, which other sizes hardly are


def chosen(returned, key):
    """One of several outputs."""
    if is_tensor(returned):
        raise Refused(f"there is no output {key}: it returns one tensor")
    try:
        return returned[int(key)] if str(key).isdigit() else returned[key]
    except (IndexError, KeyError, TypeError):
        keys = returned if isinstance(returned, dict) else range(len(returned))
        raise Refused(f"there is no output {key}; there are: {listed([str(each) for each in keys], 20)}") from None


def network_of(module, example, loss="softmax", trained_output=None, batch_axis=0):
    """The layers of a module, with notes for people in `notes`. Throws Refused.

    `example` is a tensor, or a list or a dictionary of what the module is called with; only shapes and types are
    read. `trained_output` is the index or the key of what it returns that is trained; by default the first tensor.
    `loss` stands behind it, unless the module computes its own.
    """
    if isinstance(module, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)):
        module = module.module
    inputs = [example] if is_tensor(example) else dict(example) if isinstance(example, dict) else list(example)
    if not tensors_in(inputs) or tensors_in(inputs)[0].dim() <= batch_axis:
        raise Refused(f"the first input has no axis {batch_axis} of samples; give it one, or another --batch-axis")
    given = tensors_in(inputs)[0].shape[batch_axis]
    try:
        recorder, returned = record(module, inputs, BATCH, batch_axis)
    except Refused as refused:  # it may hold for the example's batch alone
        try:
            recorder, returned = record(module, inputs, given, batch_axis)
        except Refused:
            raise refused from None
    returned = returned if trained_output is None else chosen(returned, trained_output)
    outputs = [recorder.look(tensor) for tensor in tensors_in(returned)]
    outputs = [each for each in outputs if isinstance(each, Value)]
    if not outputs:
        raise Refused("it returns nothing that depends on its input")
    network = recorder.net
    network.place = "output"
    network.finish(outputs, loss)
    network.check_parameters()
    if network.constant_macs:
        network.notes.append(f"computed once for all samples and not priced: {network.constant_macs:,} MACs")
    frozen = [each for each, parameter in module.named_parameters() if not parameter.requires_grad]
    if frozen:
        network.notes.append("parameters that are not trained are written as trained: " + listed(frozen))
    return network


def text_of(model):
    """One layer a line."""
    head = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in model.items() if key != "layers"]
    layers = ",\n".join("    " + json.dumps(each) for each in model["layers"])
    return "{\n" + ",\n".join(head) + f',\n  "layers": [\n{layers}\n  ]\n}}\n'


def write_model(module, example, path, name=None, **options):
    """Writes the module to a file and returns notes for people; options are those of network_of()."""
    network, kind = network_of(module, example, **options), type(module).__name__
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_of(written(network, name or kind, f"{kind} of PyTorch")))
    return network.notes


def table_of_operators():
    rows = {}
    for names, kind, _, known in TABLE:
        rows.setdefault((kind, known), []).extend(names.split())
    lines = ["| functions and methods | kind | |", "| --- | --- | --- |"]
    return lines + [
        f"| {', '.join(names)} | {kind} | {known} |".replace("  ", " ") for (kind, known), names in rows.items()
    ]


def parsed(text):
    """The module of Python, what is called in it, and the arguments in brackets."""
    path, _, expression = text.partition(":")
    try:
        called = ast.parse(expression, mode="eval").body
        if not isinstance(called, ast.Call):
            return path, ast.unparse(called), [], {}
        return (
            path,
            ast.unparse(called.func),
            [ast.literal_eval(each) for each in called.args],
            {each.arg: ast.literal_eval(each.value) for each in called.keywords},
        )
    except (SyntaxError, ValueError):
        like = 'torchvision.models:resnet50 or "mynet:Net(width=64)"'
        raise Refused(f"{text} is not MODULE:CALLABLE, such as {like}") from None


def built(text):
    """What `module:callable` or `module:callable(key=value)` makes, without numbers where that can be."""
    path, called, positional, named = parsed(text)
    sys.path.insert(0, os.getcwd())
    found = importlib.import_module(path)
    for part in called.split("."):
        found = getattr(found, part)
    if isinstance(found, torch.nn.Module):
        return found
    try:
        with OnMeta():
            return found(*positional, **named)
    except Exception:  # what reads numbers as it is built is built with them
        return found(*positional, **named)


def example_of(text):
    """1x3x224x224, or 1x128:int64."""
    sizes, _, kind = text.partition(":")
    dtype = getattr(torch, kind or "float32", None)
    if not isinstance(dtype, torch.dtype) or not all(size.isdigit() and int(size) for size in sizes.split("x")):
        raise Refused(f"--input {text} is not a shape, such as 1x3x224x224, or 1x128:int64 for numbers of a text")
    return torch.empty([int(size) for size in sizes.split("x")], dtype=dtype, device="meta")


def fail(status, text):
    print(textwrap.fill("from_torch: " + text, 80, break_long_words=False), file=sys.stderr)
    return status


def main(arguments):
    parser = argparse.ArgumentParser(prog="from_torch.py", description=__doc__.split("\n")[0])
    parser.add_argument(
        "network",
        nargs="?",
        metavar="MODULE:CALLABLE",
        help='what makes the network: torchvision.models:resnet50, "mynet:Net(width=64)"',
    )
    parser.add_argument(
        "--input",
        action="append",
        metavar="SHAPE",
        help="1x3x224x224, or 1x128:int64 for numbers of a text; once for each input",
    )
    parser.add_argument("-o", "--out", default="-", metavar="FILE", help="the model; by default printed")
    parser.add_argument(
        "--loss",
        choices=("softmax", "mean_squared"),
        default="softmax",
        help="what is put behind the output, where the network computes no loss; softmax",
    )
    parser.add_argument("--trained-output", metavar="KEY", help="which of several outputs is trained; the first")
    parser.add_argument("--batch-axis", type=int, default=0, metavar="N", help="the axis of samples; 0")
    parser.add_argument("--operators", action="store_true", help="print the functions that are known")
    given = parser.parse_args(arguments)
    if given.operators:
        print("\n".join(table_of_operators()))
        return 0
    if torch is None:
        return fail(3, "PyTorch is not installed; install it with pip install torch, or Debian's python3-torch")
    if not given.network or not given.input:
        parser.error(
            "give a network and the shape of its input, such as torchvision.models:resnet50 --input 1x3x224x224"
        )
    try:
        module = built(given.network)
        inputs = [example_of(each) for each in given.input]
        network = network_of(module, inputs, given.loss, given.trained_output, given.batch_axis)
    except Refused as refused:
        return fail(2, str(refused))
    except Exception as error:  # of the network's own code, before it runs
        return fail(2, f"{given.network}: {type(error).__name__}: {error}")
    for note in network.notes:
        fail(0, note)
    text = text_of(written(network, parsed(given.network)[1].split(".")[-1], f"{given.network} of PyTorch"))
    if given.out == "-":
        print(text, end="")
        return 0
    try:
        with open(given.out, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        return fail(3, f"{given.out} cannot be written: {error.strerror}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
