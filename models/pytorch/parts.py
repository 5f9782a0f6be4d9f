"""Other views of the same elements, parts, joins, movements."""
import math

from .axes import Refused, axis, extent, has_samples, is_all, joined, renamed, reshaped, shape_of
from .call import is_tensor, like, reduced, tensors_in
from .network import Constant, Value


def filled(call):
    return [Constant(each.shape, each.numel(), empty="empty" in call.operator) for each in tensors_in(call.out)]


def identity(call):
    return call.value()


def view(call):
    value = call.value()
    return value.with_axes(reshaped(value.axes, call.sizes()), call.net.place)


def permute(call):
    """The order of axes follows from what becomes of axes of different sizes."""
    value = call.value()
    probe = call.net.probe(range(2, 2 + len(value.axes)))
    order = call.function(probe, *call.args[1:], **{k: v for k, v in call.kwargs.items() if k != "input"}).shape
    return value.with_axes([value.axes[size - 2] for size in order], call.net.place)


def part(net, value, at, start, length, drop=False):
    """Positions or channels from `start` on along an axis."""
    at %= len(value.axes)
    own = value.axes[at]
    axes = value.axes[:at] + ([] if drop else [axis((joined(own), length))]) + value.axes[at + 1 :]
    if extent(own) == length:
        return value.with_axes(value.axes[:at] + value.axes[at + 1 :] if drop else value.axes)
    if has_samples(own):
        raise Refused("takes some samples of the batch")
    value, letter = net.settle(value), joined(own)
    before = math.prod(size for each in value.axes[:at] for other, size in each if other == letter)
    after = math.prod(size for each in value.axes[at + 1 :] for other, size in each if other == letter)
    attributes, kind = {}, "slice"
    if before > 1 or not is_all(own, letter) or letter == "s" and start:
        kind, attributes["operator"] = "movement", net.operator
    elif letter == "c" and start:
        attributes["begin_features"] = start * after
    elif start:
        attributes["begin"] = {letter: start * after}
    return net.add(kind, [value], axes, attributes)


def split(call):
    value = call.value()
    outs = tensors_in(call.out)
    at = call.get(1, "dim", 0) if call.operator == "unbind" else call.get(2, "dim", 0)
    made, start = [], 0
    for out in outs:
        length = 1 if call.operator == "unbind" else out.shape[at]
        made.append(part(call.net, value, at, start, length, call.operator == "unbind"))
        start += length
    return made


def select(call):
    at, start = call.get(1, "dim"), call.get(2, "index" if call.operator == "select" else "start")
    value = call.value()
    start = start % extent(value.axes[at])
    return part(call.net, value, at, start, call.get(3, "length", 1), call.operator == "select")


def item(call):
    """x[...]: numbers, slices, None and ...; rows taken by another tensor are moved."""
    value, index = call.value(), call.args[1]
    index = list(index) if isinstance(index, tuple) else [index]
    if any(is_tensor(each) and str(each.dtype) in ("torch.bool", "torch.uint8") for each in index):
        raise Refused("takes as many rows as a mask says, which depends on values; multiply by the mask, or fill by it")
    if any(is_tensor(each) or isinstance(each, (list, bool)) for each in index):
        return movement(call)
    if Ellipsis in index:
        here = index.index(Ellipsis)
        missing = len(value.axes) - sum(each is not None for each in index) + 1
        index[here : here + 1] = [slice(None)] * missing
    at = 0
    for each in index:
        if each is None:
            value = value.with_axes(value.axes[:at] + [()] + value.axes[at:])
        elif isinstance(each, slice):
            begin, end, step = each.indices(extent(value.axes[at]))
            if step != 1:
                axes = like(
                    value.axes,
                    [len(range(begin, end, step)) if i == at else size for i, size in enumerate(value.sizes())],
                )
                value = reduced(call, "movement", value, axes)
            else:
                value = part(call.net, value, at, begin, max(0, end - begin))
        else:
            value = part(call.net, value, at, each % extent(value.axes[at]), 1, drop=True)
            continue
        at += 1
    return value


def concat(call):
    tensors = tensors_in(call.args[0] if call.args else call.kwargs.get("tensors"))
    known = [call.look(each) for each in tensors]
    values = [each for each in known if isinstance(each, Value)]
    at = call.get(1, "dim", call.kwargs.get("axis", 0)) % len(call.sizes())
    first = max(values, key=lambda each: extent(each.axes[at]))
    if call.operator == "stack":
        axes = first.axes[:at] + [axis(("c" if at == len(first.axes) else "s", len(tensors)))] + first.axes[at:]
        return reduced(call, "movement", values, axes, [each for each in known if isinstance(each, Constant)])
    if len(known) == 1:
        return first
    if has_samples(first.axes[at]):
        raise Refused("joins samples of the batch")
    letter = joined(first.axes[at])
    axes = [axis((letter, call.sizes()[at])) if i == at else each for i, each in enumerate(first.axes)]
    known = [
        each.with_axes([renamed(own, letter) if i == at else axes[i] for i, own in enumerate(each.axes)])
        if isinstance(each, Value)
        else each
        for each in known
    ]
    outer = any(other == letter for each in axes[:at] for other, _ in each)
    constants = [each for each in known if isinstance(each, Constant)]
    if letter == "c" and not outer and not constants:
        return call.net.add("concat", known, axes)
    shape = shape_of(axes)
    table = isinstance(known[0], Constant) and len(known) == 2 and known[0].parts
    if table and letter == "s" and shape["s"] == shape["s"] * shape["d"] * shape["h"] * shape["w"]:
        entries = known[0].sizes[at]
        if known[0].elements == entries * shape["c"]:
            return call.net.add(
                "prepended_rows", [known[1]], axes, {"entries": entries}, [("weight", entries * shape["c"], [known[0]])]
            )
    return reduced(call, "movement", [each for each in known if isinstance(each, Value)], axes, constants)


def movement(call):
    values, constants = call.operands()
    sizes = call.sizes()
    main = call.look(tensors_in([call.args, call.kwargs])[0])
    value = main if isinstance(main, Value) else max(values, key=lambda each: math.prod(each.sizes()))
    if len(sizes) == len(value.axes):
        axes = like(value.axes, sizes)
    elif len(sizes) > 1 and sizes[0] == extent(value.axes[0]) and has_samples(value.axes[0]):
        axes = [
            value.axes[0],
            *(
                axis(("c" if at == (1 if is_all(value.axes[1], "c") else len(sizes) - 1) else "s", size))
                for at, size in enumerate(sizes)
                if at
            ),
        ]
    else:
        axes = like(value.axes, sizes)
    others = [each for each in values if each is not value]
    made = reduced(call, "movement", [value, *others], axes, constants)
    return [made] * len(tensors_in(call.out))


def pad(call):
    return movement(call) if any(call.get(1, "pad")) else call.value()
