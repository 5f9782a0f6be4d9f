"""Functions of each element, sums and products, reductions, losses."""
import math

from .axes import SPACE, Refused, axis, extent, has_samples, is_all, renamed, shape_of
from .call import broadcast, reduced, tensors_in
from .network import Constant, Value


def activation(call, function):
    value = call.value()
    return call.net.add("activation", [value], value.axes, {"function": function})


def hard_limits(call):
    low, high = call.get(1, "min"), call.get(2, "max")
    return activation(call, "relu" if low == 0 and high is None else "relu6")


def dropout(call):
    value = call.value()
    if not call.get(2, "training", True) or not call.get(1, "p", 0.5):
        return value
    return call.net.add("dropout", [value], value.axes)


def elementwise(call):
    values, constants = call.operands()
    axes, values = broadcast(values, call.sizes())
    made = reduced(call, "elementwise", values, axes, constants)
    return [made] * len(tensors_in(call.out))


def arithmetic(call, how):
    return combined(call, [call.look(each) for each in tensors_in([call.args, call.kwargs])], how, call.sizes())


def combined(call, operands, how, sizes):
    """A sum or a product of tensors, constants and numbers; `how` is "add" or "multiply"."""
    net = call.net
    values = [each for each in operands if isinstance(each, Value)]
    constants = [each for each in operands if isinstance(each, Constant)]
    axes, values = broadcast(values, sizes)
    if len(values) == 1:
        if values[0].sizes() != sizes and math.prod(values[0].sizes()) != math.prod(sizes):
            return reduced(call, "elementwise", values, axes, constants)
        trained = [each for each in constants if each.parts]
        return (
            trained_arithmetic(net, values[0].with_axes(axes), trained[0], how)
            if trained
            else net.add("activation", values, axes, {"function": "linear"})
        )
    shapes = [shape_of(each.axes) for each in values]
    whole = shape_of(axes)
    if how == "add" and all(shape == whole for shape in shapes):
        return net.add("add", values, axes)
    if how == "multiply" and len(values) == 2 and shapes[0] == whole:
        per_channel = {**dict.fromkeys("dhws", 1), "c": whole["c"]}
        if shapes[1] in (whole, per_channel, {**whole, "c": 1}):
            return net.add("multiply", values, axes)
    return reduced(call, "elementwise", values, axes, constants)


def trained_arithmetic(net, value, constant, how):
    """With a trained tensor: a table of positions, or one repeated to fit."""
    shape, channels = shape_of(value.axes), shape_of(value.axes)["c"]
    table = [name for name, *_ in constant.parts]
    entries = net.parameters[table[0]] // channels if len(table) == 1 else 0
    positions = math.prod(shape.values()) // channels
    rows_added = how == "add" and constant.elements == positions * channels and shape["s"] == positions > 1
    if (
        rows_added
        and entries >= positions
        and net.parameters[table[0]] % channels == 0
        and value.axes[-1] == axis(("c", channels))
    ):
        return net.add(
            "added_rows",
            [value],
            value.axes,
            {"entries": entries},
            [("weight", entries * channels, [whole_of(net, table[0])])],
        )
    elements = constant.elements
    if positions * channels % elements:
        elements = channels
    return net.add(
        "affine",
        [value],
        value.axes,
        {"operation": "shift" if how == "add" else "scale", "elements": elements},
        [("weight", elements, [constant])],
    )


def whole_of(net, name):
    return Constant((net.parameters[name],), net.parameters[name], [(name, 0, net.parameters[name])])


def prelu(call):
    value = call.value()
    weight = call.constant(1, "weight")
    return trained_arithmetic(call.net, value, weight, "multiply")


def reduction(call):
    values, constants = call.operands()
    if len(values) + len(constants) > 1:
        return elementwise(call)
    value = values[0]
    skip = call.operator == "norm"
    at = call.get(1 + skip, "dim", call.kwargs.get("axis"))
    at = list(range(len(value.axes))) if at is None or at == [] or at == () else at
    at = {each % len(value.axes) for each in (at if isinstance(at, (list, tuple)) else [at])}
    if any(has_samples(value.axes[each]) for each in at):
        raise Refused("sums over the samples of the batch; return what it reads, and name the loss with --loss")
    keep = len(call.sizes()) == len(value.axes)
    axes = [() if each in at else own for each, own in enumerate(value.axes) if each not in at or keep]
    gone = [value.axes[each] for each in at if extent(value.axes[each]) > 1]
    shape, left = shape_of(value.axes), shape_of(axes)
    mode = {"mean": "average", "amax": "max", "max": "max"}.get(call.operator)
    positions = all(is_all(each, SPACE) for each in gone) and all(left[letter] == 1 for letter in SPACE + "s")
    if not gone:
        made = value.with_axes(axes)
    elif mode and positions and shape["s"] == 1:
        made = call.net.add(
            "adaptive_pool",
            [value],
            axes,
            {"mode": mode, "output": {letter: 1 for letter in SPACE if shape[letter] > 1}},
        )
    else:
        made = reduced(call, "reduction", value, axes)
    return [made] * len(tensors_in(call.out))


def distance(call):
    """Of two tensors along one axis: a function of both, summed."""
    values, constants = call.operands()
    sizes = [max(each) for each in zip(*(each.sizes() for each in values), *(each.sizes for each in constants))]
    axes, values = broadcast(values, sizes)
    at = call.get(2, "dim", 1) % len(axes) if call.operator == "cosine_similarity" else len(axes) - 1
    whole = reduced(call, "elementwise", values, axes, constants)
    return reduced(call, "reduction", whole, axes[:at] + axes[at + 1 :])


def loss(call, kind):
    """Of scores and targets; targets that are computed with parameters, as a teacher's, are kept beside the scores."""
    value, *others = [call.as_value(call.get(at, name)) for at, name in enumerate(("input", "target"))]
    others = [each for each in others if call.net.is_trained(each.layer)]
    if others and not call.net.is_trained(value.layer):
        value, others = others[0], []
    if call.operator in ("cross_entropy", "nll_loss"):
        axes = [renamed(each, "s") if is_all(each, "c") else each for each in value.axes]
        value = value.with_axes([*axes[:1], renamed(axes[1], "c"), *axes[2:]])
        if call.operator == "nll_loss" and value.layer["kind"] == "softmax":
            value = Value(value.layer["inputs"][0], value.axes)
    if others:
        value = call.net.add("outputs", [value, *others], value.axes)
    return call.net.add(kind, [value], [], name="loss")
