"""Convolutions, pools, resampling: what slides over positions in space."""
import math

from .axes import SPACE, Refused, axis, extent, has_samples, is_all, renamed, shape_of
from .call import weights_of
from .elements import elementwise


def image(net, value, spatial, channelwise=False):
    """The value as batch, channels and positions; positions that are folded into the batch are one more."""
    axes = value.axes
    if len(axes) < 2 or not has_samples(axes[0]):
        raise Refused("reads a tensor whose first axis is not the samples; see --batch-axis")
    net.decide(axes[1])
    folded = extent(axes[0], samples=False)
    if channelwise:
        positions = [renamed(each, "s") if is_all(each, "c") else each for each in [axes[0], *axes[2:]]]
        return value.with_axes([positions[0], renamed(axes[1], "c"), *positions[1:]])
    letters = SPACE[3 - spatial :]
    first = axes[0]
    if folded > 1:
        if spatial == 3:
            raise Refused("reads samples that more positions are folded into; PyTorch's batch must stay one axis")
        first = renamed(first, SPACE[2 - spatial])
    return value.with_axes([first, renamed(axes[1], "c"), *(renamed(a, b) for a, b in zip(axes[2:], letters))])


def by_axis(value, spatial):
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return dict(zip(SPACE[3 - spatial :], values * spatial if len(values) == 1 else values))


def slid(value, sizes, features=None):
    """Axes of what a window makes of an image."""
    letters = SPACE[3 - (len(sizes) - 2) :]
    channels = value.axes[1] if features is None else axis(("c", features))
    return [value.axes[0], channels, *(axis((letter, size)) for letter, size in zip(letters, sizes[2:]))]


def convolution(call, transposed=False):
    weight = call.get(1, "weight")
    spatial = len(weight.shape) - 2
    if len(call.get(0, "input").shape) != spatial + 2:
        raise Refused("reads a tensor without an axis of samples")
    value = image(call.net, call.value(), spatial)
    groups = call.get(6, "groups", 1)
    features = call.sizes()[1]
    attributes = {
        "features": features,
        "kernel": by_axis(list(weight.shape[2:]), spatial),
        "stride": by_axis(call.get(3, "stride", 1), spatial),
    }
    dilation = by_axis(call.get(7 if transposed else 5, "dilation", 1), spatial)
    pad = call.get(4, "padding", 0)
    if isinstance(pad, str):
        whole = {a: dilation[a] * (attributes["kernel"][a] - 1) if pad == "same" else 0 for a in dilation}
        attributes["pad_before"] = {a: size // 2 for a, size in whole.items()}
        attributes["pad_after"] = {a: size - size // 2 for a, size in whole.items()}
    else:
        attributes["pad"] = by_axis(pad, spatial)
    if transposed:
        attributes["output_pad"] = by_axis(call.get(5, "output_padding", 0), spatial)
    attributes.update(dilation=dilation, groups=groups, bias=call.get(2, "bias") is not None)
    kind = "transposed_convolution" if transposed else "convolution"
    weights = weights_of(
        ("weight", math.prod(weight.shape), call.constant(1, "weight")), ("bias", features, call.constant(2, "bias"))
    )
    return call.net.add(kind, [value], slid(value, call.sizes(), features), attributes, weights)


def pool(call, mode):
    spatial = int(call.operator[-2])
    value = image(call.net, call.value(), spatial)
    kernel = call.get(1, "kernel_size")
    attributes = {
        "mode": mode,
        "kernel": by_axis(kernel, spatial),
        "stride": by_axis(call.get(2, "stride") or kernel, spatial),
        "pad": by_axis(call.get(3, "padding", 0), spatial),
    }
    if mode == "max":
        attributes["dilation"] = by_axis(call.get(4, "dilation", 1), spatial)
    if call.get(5 if mode == "max" else 4, "ceil_mode", False):
        attributes["ceil"] = True
    return call.net.add("pool", [value], slid(value, call.sizes()), attributes)


def adaptive_pool(call, mode):
    value = image(call.net, call.value(), int(call.operator[-2]))
    return pooled_to(call, value, slid(value, call.sizes()), mode)


def pooled_to(call, value, axes, mode):
    """Pooled to these axes; where they are longer, PyTorch repeats what is there."""
    before, after = shape_of(value.axes), shape_of(axes)
    output = {letter: after[letter] for letter in SPACE if before[letter] > 1 or after[letter] > 1}
    if any(after[letter] > before[letter] for letter in output):
        return call.net.add("resize", [value], axes, {"mode": "nearest"})
    if not output:
        return value.with_axes(axes)
    return call.net.add("adaptive_pool", [value], axes, {"mode": mode, "output": output})


def resize(call):
    mode = call.get(3, "mode", "nearest")
    value = image(call.net, call.value(), len(call.sizes()) - 2)
    axes = slid(value, call.sizes())
    if mode == "area":
        return pooled_to(call, value, axes, "average")
    if "nearest" not in mode and "linear" not in mode:
        return elementwise(call)
    return call.net.add("resize", [value], axes, {"mode": "nearest" if "nearest" in mode else "linear"})
