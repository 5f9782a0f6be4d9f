"""One call of a function of PyTorch, and what handlers of all kinds need."""
import math

from .axes import Refused, axis, extent, has_samples, is_all, renamed, shape_of
from .network import Constant, Value


def is_tensor(value):
    return hasattr(value, "is_meta") and hasattr(value, "shape")


def tensors_in(value):
    """Tensors of nested lists, tuples and dictionaries, in order."""
    if is_tensor(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    elif isinstance(value, slice):
        value = [value.start, value.stop, value.step]
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in tensors_in(each)]
    return []


class Call:
    """One call of a function: its arguments, and what it made."""

    def __init__(self, net, known, function, args, kwargs, out):
        self.net, self.known, self.function = net, known, function
        self.args, self.kwargs, self.out = args, kwargs, out
        self.operator = net.operator

    def get(self, at, name, fallback=None):
        if name in self.kwargs:
            return self.kwargs[name]
        return self.args[at] if at < len(self.args) else fallback

    def sizes(self):
        return list(tensors_in(self.out)[0].shape)

    def look(self, tensor):
        return self.known(tensor)

    def value(self, at=0, name="input"):
        """Of an argument that comes with the samples."""
        return self.as_value(self.get(at, name))

    def as_value(self, tensor):
        known = self.look(tensor)
        if isinstance(known, Value):
            return known
        axes = [axis(("n", size)) if size == self.net.batch else axis(("s", size)) for size in known.sizes]
        if axes and not has_samples(axes[-1]):
            axes[-1] = renamed(axes[-1], "c")
        return self.net.input(axes, self.net.place + ".values", known)

    def constant(self, at, name):
        tensor = self.get(at, name)
        if tensor is None:
            return None
        known = self.look(tensor)
        if isinstance(known, Value):
            raise Refused("has weights that are computed from its input")
        return known

    def operands(self):
        """Its tensors: those of samples, and those that are the same for all."""
        known = [self.look(tensor) for tensor in tensors_in([self.args, self.kwargs])]
        return [each for each in known if isinstance(each, Value)], [
            each for each in known if isinstance(each, Constant)
        ]


def weights_of(*each):
    return [(name, elements, [constant]) for name, elements, constant in each if constant is not None]


def like(axes, sizes):
    """Axes of other sizes with the same meanings; the last of new ones is channels."""
    axes = [()] * (len(sizes) - len(axes)) + list(axes)[max(0, len(axes) - len(sizes)) :]
    made = []
    for at, (each, size) in enumerate(zip(axes, sizes)):
        if extent(each) == size:
            made.append(each)
            continue
        samples = [factor for factor in each if factor[0] == "n"]
        others = [letter for letter, _ in each if letter != "n"]
        letter = others[0] if others else "c" if at == len(sizes) - 1 else "s"
        if samples and size % samples[0][1]:
            raise Refused("changes the number of samples")
        made.append(axis(*samples, (letter, size // (samples[0][1] if samples else 1))))
    if sum(map(has_samples, made)) != 1:
        raise Refused("mixes the samples of the batch, or loses them")
    return made


def broadcast(values, sizes):
    """The axes of a function of several tensors, and the tensors with these meanings."""
    widest = sorted(values, key=lambda each: -math.prod(shape_of(each.axes).values()))
    axes = like(widest[0].axes, [1] * (len(sizes) - len(widest[0].axes)) + widest[0].sizes())
    for at, size in enumerate(sizes):
        for each in widest:
            own = at - len(sizes) + len(each.axes)
            if extent(axes[at]) != size and own >= 0 and extent(each.axes[own]) == size:
                axes[at] = each.axes[own]
    if [extent(each) for each in axes] != sizes:
        axes = like(axes, sizes)
    for each in values:
        for at, own in enumerate(each.axes, len(sizes) - len(each.axes)):
            if has_samples(own) and not has_samples(axes[at]):
                raise Refused("has its samples at different axes")
    aligned = [
        each.with_axes(
            [
                axes[at] if extent(own) == sizes[at] else own
                for at, own in enumerate(each.axes, len(sizes) - len(each.axes))
            ]
        )
        for each in widest
    ]
    return axes, aligned


def reduced(call, kind, inputs, axes, constants=()):
    """A layer of a general kind, with what is trained of its constants."""
    stored = [("", 0, [each]) for each in constants if each.parts]
    inputs = inputs if isinstance(inputs, list) else [inputs]
    return call.net.add(kind, inputs, axes, {"operator": call.operator}, stored)


def rows(net, value, last=1):
    """The value as positions of channels, which the last axes are."""
    net.decide(value.axes[-1])
    axes = [renamed(each, "s") if is_all(each, "c") else each for each in value.axes[:-last]]
    tail = value.axes[-last:]
    if any(map(has_samples, tail)):
        raise Refused("sums or compares the samples of the batch; see --batch-axis")
    return value.with_axes(axes + [renamed(each, "c") for each in tail])
