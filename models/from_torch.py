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
import copy
import importlib
import json
import math
import os
import sys
import textwrap

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pytorch.axes import Otherwise, Refused, axis, is_all  # noqa: E402
from pytorch.call import Call, is_tensor, tensors_in  # noqa: E402
from pytorch.network import Constant, Network, Value, listed, written  # noqa: E402
from pytorch.table import HANDLERS, TABLE  # noqa: E402

try:
    import torch
    from torch.overrides import TorchFunctionMode
except ImportError:
    torch, TorchFunctionMode = None, object

BATCH = 61  # in place of the example's; a prime, which other sizes hardly are
FACTORIES = ("arange as_tensor empty eye full linspace logspace ones rand randint randn randperm scalar_tensor tensor"
             " tril_indices triu_indices zeros hann_window").split()


ITEM_OF = torch.Tensor.__getitem__ if torch else None


def item_of(tensor, index):
    """x[index]; PyTorch 1.13 does not show a TorchFunctionMode all of them."""
    if torch.overrides.has_torch_function_unary(tensor):
        return torch.overrides.handle_torch_function(item_of, (tensor,), tensor, index)
    return ITEM_OF(tensor, index)


item_of.__name__ = "__getitem__"


PRODUCTS = "linear matmul bmm multi_head_attention_forward scaled_dot_product_attention".split()


class OnMeta(TorchFunctionMode):
    """Makes tensors on the meta device, whatever device is named, and initializes none."""

    def __init__(self):
        super().__init__()
        self.moved = {}  # by id of a tensor: its copy, and the tensor, so that its id stays its own

    def __enter__(self):
        torch.Tensor.__getitem__ = item_of
        return super().__enter__()

    def __exit__(self, *error):
        del torch.Tensor.__getitem__
        return super().__exit__(*error)

    def meta(self, value):
        if is_tensor(value) and not value.is_meta:
            if id(value) not in self.moved:
                self.moved[id(value)] = (torch.empty_like(value, device="meta"), value)
            return self.moved[id(value)][0]
        if isinstance(value, torch.device):
            return "meta"
        if isinstance(value, (list, tuple)) and tensors_in(value):
            return type(value)(map(self.meta, value)) if type(value) in (list, tuple) else value
        return value

    def call(self, function, args, kwargs):
        name = getattr(function, "__name__", "")
        if getattr(function, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        if name in ("cuda", "cpu") or name == "to" and len(args) > 1 and isinstance(args[1], (str, torch.device)):
            return args[0]
        args = [self.meta(each) for each in args]
        kwargs = {key: self.meta(each) for key, each in kwargs.items()}
        if "device" in kwargs or name in FACTORIES:
            kwargs["device"] = "meta"
        return function(*args, **kwargs)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return self.call(function, args, kwargs or {})


class Recorder(OnMeta):
    """Turns each function that is called into layers of a Network."""

    def __init__(self, module, batch, channels_last):
        super().__init__()
        self.net = Recorded(batch, channels_last)
        self.known = {}  # by id of a tensor: what it is, and the tensor, so that its id stays its own
        self.module = module
        self.before = {}  # by id of a tensor: what it was before a part of it, named by its id, was written
        self.path = [""]
        for name, parameter in module.named_parameters():
            self.net.parameters[name] = parameter.numel()
            self.learn(parameter, Constant(parameter.shape, parameter.numel(), [(name, 0, parameter.numel())]))
        for each in module.modules():
            for tensor in tensors_of(each):
                self.learn(tensor, Constant(tensor.shape, tensor.numel()))
        for name, each in module.named_modules():
            each.register_forward_pre_hook(lambda _, __, name=name: self.path.append(name))
            each.register_forward_hook(self.leave)
        self.leaves = {name for name, each in module.named_modules() if not list(each.children())}

    def leave(self, *_):
        self.path.pop()

    def learn(self, tensor, what):
        self.known[id(tensor)] = (what, tensor)

    def look(self, tensor):
        if id(tensor) in self.known:
            if self.known[id(tensor)][0] is None:
                raise Refused("reads a tensor of which a part was written in place; write that part without")
            return self.known[id(tensor)][0]
        if not tensor.is_meta or any(tensor is moved for moved, _ in self.moved.values()):
            return Constant(tensor.shape, tensor.numel())
        raise Refused("reads a tensor that was made out of sight: by a torch.autograd.Function or TorchScript; "
                      "write that part as functions of torch")

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", str(function))
        name = (function.__self__.__name__ if name == "__get__" else name).strip("_")
        where = self.path[-1]
        self.net.operator = name
        whole = where in self.leaves or name == "multi_head_attention_forward"
        self.net.place = where if where and whole else f"{where}.{name}".strip(".")
        written = args[0] if args and is_tensor(args[0]) else None
        version = 0 if written is None else written._version
        try:
            out = self.call(function, args, kwargs)
        except NotImplementedError as error:
            out = self.on_processor(function, args, kwargs, error)
        self.record(function, args, kwargs, out, written if written is not None and written._version > version else None)
        return out

    def on_processor(self, function, args, kwargs, error):
        """What a function makes that the meta device of this PyTorch does not have: of one sample, of zeros."""
        def zeros(value):
            if not is_tensor(value):
                return value
            known = self.look(value)
            if isinstance(known, Value) and not (known.axes and known.axes[0] == (("n", value.shape[0]),)):
                raise Refused(f"{self.net.operator} cannot run without numbers: {str(error).split('. ')[0]}") from error
            return torch.zeros(value.shape[isinstance(known, Value):], dtype=value.dtype)[None] if isinstance(
                known, Value) else torch.zeros(value.shape, dtype=value.dtype)

        samples = any(isinstance(self.look(each), Value) for each in tensors_in(args))
        made = [torch.empty((self.net.batch,) + each.shape[1:] if samples else each.shape, dtype=each.dtype,
                            device="meta") for each in tensors_in(function(*map(zeros, args), **kwargs))]
        return made if len(made) > 1 else made[0]

    def record(self, function, args, kwargs, out, written):
        """`written` is the tensor that it wrote in place."""
        name, args = self.net.operator, [self.meta(each) for each in args]
        if name == "setitem":  # of x[...] += y what was written in place comes back to where it was
            out = args[0]
            before, by = self.before.pop(id(out), (None, None))
            if before and id(args[2]) == by:
                self.learn(out, before)
        made = tensors_in(out)
        if not made:
            return
        given = tensors_in([args, kwargs])
        try:
            known = [self.look(each) for each in given]
        except Refused as refused:
            raise Refused(f"{name} {refused}") from refused
        if any(isinstance(each, Constant) and each.empty and tensor is not written
               for each, tensor in zip(known, given)) and made[0]._base is not given[0]:
            raise Refused(f"{name} reads a tensor that nothing wrote: what fills it, such as a kernel of its own, is "
                          "out of sight")
        if not any(isinstance(each, Value) for each in known) and not self.repeats(name, known):
            return self.learn_constants(given, known, made, written)
        handler = HANDLERS.get(name)
        if handler is None:
            raise Refused(f"{name} is not in the table of models/pytorch/table.py; add a row for it, e.g. "
                          f'HANDLERS["{name}"] = elementwise')
        try:
            values = handler(Call(self.net, self.look, function, args, kwargs, out))
        except Refused as refused:
            raise Refused(f"{name} {refused}") from refused
        for tensor, value in zip(made, values if isinstance(values, list) else [values]):
            if isinstance(value, Value) and value.axes and value.sizes() != list(tensor.shape):
                raise Refused(f"{name} makes {list(tensor.shape)} and not {value.sizes()}: a defect of this script")
            self.learn(tensor, value)
        if written is not None:
            self.forget_views(written)

    def forget_views(self, written):
        """What sees the elements that are written in place is not what was learnt of it."""
        root = written if written._base is None else written._base
        for key, (known, tensor) in self.known.items():
            same = tensor is root or tensor._base is root and (
                written is root or tensor.storage_offset() == written.storage_offset())
            if same and tensor is not written and isinstance(known, Value):
                self.before[key] = (known, id(written))
                self.known[key] = (None, tensor)

    def repeats(self, name, known):
        """Whether a product of constants is computed for each sample: queries that are trained."""
        return name in PRODUCTS and any(each.parts and self.net.batch in each.sizes for each in known)

    def learn_constants(self, given, known, made, written):
        parts = dict.fromkeys(part for each in known for part in each.parts)
        if self.net.operator in PRODUCTS and parts:
            self.net.constant_macs += made[0].numel() * given[0].shape[-1]
        for tensor in made:
            base = tensor._base if tensor._base is not None else tensor
            of = self.known.get(id(base), (None,))[0]
            elements = math.prod(size for size, step in zip(tensor.shape, tensor.stride()) if step)
            own = parts
            if isinstance(of, Constant) and len(of.parts) == 1 and of.parts[0][1:] == (0, base.numel()):
                own = [(of.parts[0][0], tensor.storage_offset() - base.storage_offset(), elements)]
            empty = "empty" in self.net.operator or tensor is not written and any(each.empty for each in known)
            self.learn(tensor, Constant(tensor.shape, elements, own, empty))


class Recorded(Network):
    """A network under way, of whose input it is not decided yet which axis is its channels."""

    def __init__(self, batch, channels_last):
        super().__init__({})
        self.batch, self.channels_last, self.constant_macs = batch, channels_last, 0
        self.decided = False  # whether a layer has read the input with its channels where they were placed

    def probe(self, sizes):
        return torch.empty(tuple(sizes), device="meta")

    def place_input(self, tensor, name, batch_axis):
        letters = {1: "", 2: "c", 3: "cw", 4: "chw", 5: "cdhw"}.get(tensor.dim())
        if letters is None or batch_axis >= tensor.dim():
            raise Refused(f"an input of {tensor.dim()} axes is not known; give samples, channels and 0 to 3 positions")
        if not tensor.is_floating_point():
            letters = "s" * (tensor.dim() - 1)  # numbers of a text
        elif self.channels_last:
            letters = ("s" if tensor.dim() == 3 else letters[1:]) + letters[:1]
        letters = list(letters)
        letters.insert(batch_axis, "n")
        axes = [axis((letter, size)) for letter, size in zip(letters, tensor.shape)]
        value = self.input(axes, name)
        if len(self.layers) == 1:
            self.decided = len(axes) < 3 or not tensor.is_floating_point() or self.channels_last
        return value

    def decide(self, channels):
        """Called with what a layer takes for channels: the first that does shows where the input has them."""
        if not self.decided and not is_all(channels, "c"):
            raise Otherwise
        self.decided = True


def tensors_of(module):
    """Those of a module itself that are not trained."""
    return [each for each in [*module.buffers(recurse=False), *vars(module).values()] if is_tensor(each)]


def on_meta(module):
    """A copy without numbers; tensors that are shared stay so."""
    memo = {}
    for parameter in module.parameters():
        memo[id(parameter)] = torch.nn.Parameter(torch.empty_like(parameter, device="meta"),
                                                 requires_grad=parameter.requires_grad)
    for each in module.modules():
        for tensor in tensors_of(each):
            memo.setdefault(id(tensor), torch.empty_like(tensor, device="meta"))
    return copy.deepcopy(module, memo)


def record(module, inputs, batch, batch_axis, channels_last=False):
    """The network, and what the module returned. `inputs` is a list, or a dictionary of arguments by name."""
    recorder = Recorder(on_meta(module), batch, channels_last)
    samples = tensors_in(inputs)[0].shape[batch_axis]
    named = inputs.items() if isinstance(inputs, dict) else enumerate(inputs)
    given = {}
    for name, tensor in named:
        if is_tensor(tensor):
            sizes = [batch if at == batch_axis and size == samples else size for at, size in enumerate(tensor.shape)]
            tensor = torch.empty(sizes, dtype=tensor.dtype, device="meta")
            recorder.learn(tensor, recorder.net.place_input(tensor, f"input_{name}", batch_axis))
        given[name] = tensor
    try:
        with recorder:
            returned = recorder.module(**given) if isinstance(inputs, dict) else recorder.module(*given.values())
    except Otherwise:
        return record(module, inputs, batch, batch_axis, True)
    except Exception as error:
        place = recorder.path[-1] or type(module).__name__
        if isinstance(error, Refused):
            raise Refused(f"{place}: {error}") from error
        reason = f"{place}: {type(error).__name__}: {error}"
        if "meta" in reason:
            reason += ". It runs without numbers: what it does may depend on shapes and not on values"
        raise Refused(reason) from error
    return recorder, returned


def network_of(module, example, loss="softmax", output=None, batch_axis=0):
    """The layers of a module, with notes for people in `notes`. Throws Refused.

    `example` is a tensor, or a list or a dictionary of what the module is called with; only shapes and types are
    read. `output` is the index or the key of what it returns that is trained; by default the first tensor. `loss`
    stands behind it, unless the module computes its own.
    """
    if isinstance(module, (torch.nn.DataParallel, torch.nn.parallel.DistributedDataParallel)):
        module = module.module
    inputs = [example] if is_tensor(example) else dict(example) if isinstance(example, dict) else list(example)
    given = tensors_in(inputs)[0].shape[batch_axis]
    try:
        recorder, returned = record(module, inputs, BATCH, batch_axis)
    except Refused as refused:  # it may hold for the example's batch alone
        try:
            recorder, returned = record(module, inputs, given, batch_axis)
        except Refused:
            raise refused from None
    returned = returned if output is None else returned[output]
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
    return lines + [f"| {', '.join(names)} | {kind} | {known} |" for (kind, known), names in rows.items()]


def parsed(text):
    """The module of Python, what is called in it, and the arguments in brackets."""
    path, _, expression = text.partition(":")
    try:
        called = ast.parse(expression, mode="eval").body
        if not isinstance(called, ast.Call):
            return path, ast.unparse(called), [], {}
        return (path, ast.unparse(called.func), [ast.literal_eval(each) for each in called.args],
                {each.arg: ast.literal_eval(each.value) for each in called.keywords})
    except (SyntaxError, ValueError):
        raise Refused(f"{text} is not MODULE:CALLABLE, such as torchvision.models:resnet50 or "
                      "\"mynet:Net(width=64)\"") from None


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
    parser.add_argument("network", nargs="?", metavar="MODULE:CALLABLE",
                        help="what makes the network: torchvision.models:resnet50, \"mynet:Net(width=64)\"")
    parser.add_argument("--input", action="append", metavar="SHAPE",
                        help="1x3x224x224, or 1x128:int64 for numbers of a text; once for each input")
    parser.add_argument("-o", "--out", default="-", metavar="FILE", help="the model; by default printed")
    parser.add_argument("--loss", choices=("softmax", "mean_squared"), default="softmax",
                        help="what is put behind the output, where the network computes no loss; softmax")
    parser.add_argument("--output", metavar="KEY", help="which of several outputs is trained; the first")
    parser.add_argument("--batch-axis", type=int, default=0, metavar="N", help="the axis of samples; 0")
    parser.add_argument("--operators", action="store_true", help="print the functions that are known")
    given = parser.parse_args(arguments)
    if given.operators:
        print("\n".join(table_of_operators()))
        return 0
    if torch is None:
        return fail(3, "PyTorch is not installed; install it with pip install torch, or Debian's python3-torch")
    if not given.network or not given.input:
        parser.error("give a network and the shape of its input, such as torchvision.models:resnet50 "
                     "--input 1x3x224x224")
    try:
        module = built(given.network)
        output = int(given.output) if given.output and given.output.isdigit() else given.output
        network = network_of(module, [example_of(each) for each in given.input], given.loss, output, given.batch_axis)
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
