"""Normalizations, softmax, tables, recurrent layers."""
import math

from .axes import Refused, axis, extent, has_samples, is_all, renamed, shape_of
from .call import is_tensor, reduced, rows, tensors_in, weights_of
from .network import Value
from .windows import image


def affine_weights(call, channels, weight, bias):
    return weights_of(
        ("gamma", channels, call.constant(weight, "weight")), ("beta", channels, call.constant(bias, "bias"))
    )


def channel_norm(call, kind):
    """Over the batch, or over groups of channels of a sample."""
    value = image(call.net, call.value(), len(call.sizes()) - 2, channelwise=True)
    channels = shape_of(value.axes)["c"]
    weights = affine_weights(call, channels, *((2, 3) if call.operator == "group_norm" else (3, 4)))
    attributes = {} if len(weights) == 2 else {"affine": False}
    if call.operator == "group_norm":
        attributes["groups"] = call.get(1, "num_groups")
    if weights and len(weights) < 2:
        raise Refused("has one of weight and bias; give it both or none")
    return call.net.add(kind, [value], value.axes, attributes, weights)


def position_norm(call, kind):
    value = rows(call.net, call.value(), len(call.get(1, "normalized_shape")))
    channels = shape_of(value.axes)["c"]
    weights = affine_weights(call, channels, 2, 3 if kind == "layer_norm" else 99)
    weights += [(name, channels, []) for name in ("gamma", "beta")[len(weights) : 1 + (kind == "layer_norm")]]
    return call.net.add(kind, [value], value.axes, {}, weights)


def local_response_norm(call):
    value = image(call.net, call.value(), len(call.sizes()) - 2)
    return call.net.add("local_response_norm", [value], value.axes, {"size": call.get(1, "size")})


def softmax(call):
    value = call.value()
    at = call.get(1, "dim", -1)
    at = at % len(value.axes) if at is not None else len(value.axes) - 1
    if has_samples(value.axes[at]):
        raise Refused("compares the samples of the batch")
    if is_all(value.axes[at], "c"):
        if any(is_all(each, "c") and extent(each) > 1 for each in value.axes[at + 1 :]):
            return reduced(call, "elementwise", value, value.axes)
        groups = shape_of(value.axes)["c"] // extent(value.axes[at])
        return call.net.add("softmax", [value], value.axes, {"groups": groups} if groups > 1 else {})
    return call.net.add("softmax", [value], value.axes, {"over": "positions"})


def embedding(call):
    numbers, table = call.value(), call.constant(1, "weight")
    axes = [renamed(each, "s") if is_all(each, "c") else each for each in numbers.axes]
    features = table.sizes[1]
    weights = weights_of(("weight", math.prod(table.sizes), table))
    made = call.net.add(
        "embedding",
        [numbers.with_axes(axes)],
        axes + [axis(("c", features))],
        {"entries": table.sizes[0], "features": features},
        weights,
    )
    if call.operator == "embedding":
        return made
    if len(axes) != 2:
        raise Refused("reads numbers and offsets; give it a table of numbers, a row for each sample")
    return reduced(call, "reduction", made, [axes[0], axis(("c", features))])


def recurrent(call):
    net, cell = call.net, call.operator.split("_")[0]
    if is_tensor(call.args[1]) and isinstance(call.args[3], (list, tuple)):
        raise Refused("reads packed sequences; give it padded ones")
    _, _, flat, biased, count, dropout_p, training, both, batch_first = call.args
    value = rows(net, call.value())
    if not has_samples(value.axes[0 if batch_first else 1]):
        raise Refused("takes the samples for tokens; see --batch-axis, or its batch_first")
    directions, finals = 1 + both, []
    weights, tensors = len(flat) // (count * directions), [call.look(each) for each in flat]
    if weights != (4 if biased else 2):
        raise Refused("has a projection of its state (proj_size); write it as a Linear behind it")
    hidden = tensors[1].sizes[1]
    for at in range(count):
        own = tensors[at * weights * directions : (at + 1) * weights * directions]
        grouped = [("weight", own[0::weights]), ("recurrence", own[1::weights])]
        if biased:
            grouped.append(("bias", [each for i, each in enumerate(own) if i % weights > 1]))
        attributes = {"cell": cell, "features": hidden, "directions": directions, "bias": bool(biased)}
        value = net.add(
            "recurrent",
            [value],
            value.axes[:-1] + [axis(("c", directions * hidden))],
            attributes,
            [(name, sum(math.prod(each.sizes) for each in of), of) for name, of in grouped],
            f"{net.place}.{at}" if count > 1 else None,
        )
        finals.append(value)
        if dropout_p and training and at + 1 < count:
            value = net.add("dropout", [value], value.axes)
    samples = next(each for each in value.axes if has_samples(each))
    state = [axis(("c", count * directions)), samples, axis(("c", hidden))]
    final = net.add("movement", finals, state, {"operator": "last_state"}, name=net.place + ".state")
    return [value] + [final] * (len(tensors_in(call.out)) - 1)


def recurrent_cell(call):
    value, features = rows(call.net, call.value()), call.sizes()[-1]
    state = [call.look(each) for each in tensors_in(call.get(1, "hx"))]
    state = [each for each in state if isinstance(each, Value)]
    biased = call.get(4, "b_ih") is not None
    given = [call.constant(at, name) for at, name in ((2, "w_ih"), (3, "w_hh"), (4, "b_ih"), (5, "b_hh"))]
    weights = [("weight", math.prod(given[0].sizes), given[:1]), ("recurrence", math.prod(given[1].sizes), given[1:2])]
    weights += [("bias", 2 * given[2].sizes[0], given[2:])] if biased else []
    made = call.net.add(
        "recurrent",
        [value, *state],
        value.axes[:-1] + [axis(("c", features))],
        {"cell": call.operator.split("_")[0], "features": features, "bias": biased},
        weights,
    )
    return [made] * len(tensors_in(call.out))
