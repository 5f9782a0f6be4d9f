"""Runs a module and turns each function that it calls into layers of a network."""

import math

import torch

from .axes import Otherwise, Refused, axis, is_all
from .call import Call, is_tensor, tensors_in
from .meta import OnMeta, on_meta, tensors_of
from .network import LOSSES, Constant, Network, Value
from .table import HANDLERS

PRODUCTS = "linear matmul bmm multi_head_attention_forward scaled_dot_product_attention".split()


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
            known = self.known[id(tensor)][0]
            if known is None:
                raise Refused("reads a tensor of which a part was written in place; write that part without")
            return known
        if not tensor.is_meta or any(tensor is moved for moved, _ in self.moved.values()):
            return Constant(tensor.shape, tensor.numel())
        raise Refused(
            "reads a tensor that was made out of sight: by a torch.autograd.Function or TorchScript; "
            "write that part as functions of torch"
        )

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
        wrote = written is not None and written._version > version
        self.record(function, args, kwargs, out, written if wrote else None)
        return out

    def on_processor(self, function, args, kwargs, error):
        """What a function makes that the meta device of this PyTorch does not have: of one sample, of zeros."""

        def zeros(value):
            if not is_tensor(value):
                return value
            known = self.look(value)
            if isinstance(known, Value) and not (known.axes and known.axes[0] == (("n", value.shape[0]),)):
                raise Refused(f"{self.net.operator} cannot run without numbers: {str(error).split('. ')[0]}") from error
            return torch.zeros((1, *value.shape[1:]) if isinstance(known, Value) else value.shape, dtype=value.dtype)

        samples = any(isinstance(self.look(each), Value) for each in tensors_in(args))
        made = [
            torch.empty((self.net.batch,) + each.shape[1:] if samples else each.shape, dtype=each.dtype, device="meta")
            for each in tensors_in(function(*map(zeros, args), **kwargs))
        ]
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
        unwritten = [
            tensor
            for each, tensor in zip(known, given)
            if isinstance(each, Constant) and each.empty and tensor is not written
        ]
        if unwritten and made[0]._base is not given[0]:
            raise Refused(
                f"{name} reads a tensor that nothing wrote: what fills it, such as a kernel of its own, is "
                "out of sight"
            )
        if not any(isinstance(each, Value) for each in known) and not self.repeats(name, known):
            return self.learn_constants(given, known, made, written)
        if any(isinstance(each, Value) and each.layer["kind"] in LOSSES for each in known):
            raise Refused(f"{name} reads a loss: return one loss, or scores and no loss")
        handler = HANDLERS.get(name)
        if handler is None:
            raise Refused(
                f"{name} is not in the table of models/pytorch/table.py; add a row for it, e.g. "
                f'HANDLERS["{name}"] = elementwise'
            )
        try:
            values = handler(Call(self.net, self.look, function, args, kwargs, out))
        except (Refused, Otherwise) as refused:
            raise refused if isinstance(refused, Otherwise) else Refused(f"{name} {refused}") from refused
        except Exception as error:
            raise Refused(f"{name}: {error!r}: a defect of models/pytorch, please report it") from error
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
            same = (
                tensor is root
                or tensor._base is root
                and (written is root or tensor.storage_offset() == written.storage_offset())
            )
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
