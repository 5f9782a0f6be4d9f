"""What each function of PyTorch becomes: one row of TABLE for each group of functions.

To teach one more, add a row: `torch_operators.HANDLERS["swiglu"] = torch_operators.elementwise`. A handler
takes a Call and returns the Value of each tensor that the function made.
"""
import functools
import math

from torch_network import (SPACE, Constant, Refused, Value, axis, extent, has_samples, is_all, joined, renamed,
                           reshaped, shape_of)


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
        return [each for each in known if isinstance(each, Value)], [each for each in known if isinstance(each, Constant)]


def weights_of(*each):
    return [(name, elements, [constant]) for name, elements, constant in each if constant is not None]


def like(axes, sizes):
    """Axes of other sizes with the same meanings; the last of new ones is channels."""
    axes = [()] * (len(sizes) - len(axes)) + list(axes)[max(0, len(axes) - len(sizes)):]
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


# --- what only sees the same elements otherwise


def filled(call):
    return [Constant(tensor.shape, tensor.numel()) for tensor in tensors_in(call.out)]


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


# --- windows


def image(value, spatial, channelwise=False):
    """The value as batch, channels and positions; positions that are folded into the batch are one more."""
    axes = value.axes
    if len(axes) < 2 or not has_samples(axes[0]):
        raise Refused("reads a tensor whose first axis is not the samples; see --batch-axis")
    folded = extent(axes[0], samples=False)
    if channelwise and all(is_all(each, SPACE + "s") for each in axes[2:]) and folded == 1:
        return value.with_axes([axes[0], renamed(axes[1], "c"), *axes[2:]])
    letters = SPACE[3 - spatial:]
    first = axes[0]
    if folded > 1:
        if spatial == 3:
            raise Refused("reads samples that more positions are folded into; PyTorch's batch must stay one axis")
        first = renamed(first, SPACE[2 - spatial])
    return value.with_axes([first, renamed(axes[1], "c"), *(renamed(a, b) for a, b in zip(axes[2:], letters))])


def by_axis(value, spatial):
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return dict(zip(SPACE[3 - spatial:], values * spatial if len(values) == 1 else values))


def slid(value, sizes, features=None):
    """Axes of what a window makes of an image."""
    letters = SPACE[3 - (len(sizes) - 2):]
    channels = value.axes[1] if features is None else axis(("c", features))
    return [value.axes[0], channels, *(axis((letter, size)) for letter, size in zip(letters, sizes[2:]))]


def convolution(call, transposed=False):
    weight = call.get(1, "weight")
    spatial = len(weight.shape) - 2
    if len(call.get(0, "input").shape) != spatial + 2:
        raise Refused("reads a tensor without an axis of samples")
    value = image(call.value(), spatial)
    groups = call.get(6, "groups", 1)
    features = call.sizes()[1]
    attributes = {"features": features, "kernel": by_axis(list(weight.shape[2:]), spatial),
                  "stride": by_axis(call.get(3, "stride", 1), spatial)}
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
    weights = weights_of(("weight", math.prod(weight.shape), call.constant(1, "weight")),
                         ("bias", features, call.constant(2, "bias")))
    return call.net.add(kind, [value], slid(value, call.sizes(), features), attributes, weights)


def pool(call, mode):
    spatial = int(call.operator[-2])
    value = image(call.value(), spatial)
    kernel = call.get(1, "kernel_size")
    attributes = {"mode": mode, "kernel": by_axis(kernel, spatial),
                  "stride": by_axis(call.get(2, "stride") or kernel, spatial),
                  "pad": by_axis(call.get(3, "padding", 0), spatial)}
    if mode == "max":
        attributes["dilation"] = by_axis(call.get(4, "dilation", 1), spatial)
    if call.get(5 if mode == "max" else 4, "ceil_mode", False):
        attributes["ceil"] = True
    return call.net.add("pool", [value], slid(value, call.sizes()), attributes)


def adaptive_pool(call, mode):
    value = image(call.value(), int(call.operator[-2]))
    axes = slid(value, call.sizes())
    shape = shape_of(axes)
    output = {letter: shape[letter] for letter in SPACE if shape_of(value.axes)[letter] > 1}
    if not output:
        return value.with_axes(axes)
    return call.net.add("adaptive_pool", [value], axes, {"mode": mode, "output": output})


def resize(call):
    mode = call.get(3, "mode", "nearest")
    value = image(call.value(), len(call.sizes()) - 2)
    axes = slid(value, call.sizes())
    if mode == "area":
        return call.net.add("adaptive_pool", [value], axes, {"mode": "average", "output": shape_in_space(axes)})
    if "nearest" not in mode and "linear" not in mode:
        return elementwise(call)
    return call.net.add("resize", [value], axes, {"mode": "nearest" if "nearest" in mode else "linear"})


def shape_in_space(axes):
    return {letter: size for letter, size in shape_of(axes).items() if letter in SPACE}


# --- normalizations


def affine_weights(call, channels, weight, bias):
    return weights_of(("gamma", channels, call.constant(weight, "weight")), ("beta", channels, call.constant(bias, "bias")))


def channel_norm(call, kind):
    """Over the batch, or over groups of channels of a sample."""
    value = image(call.value(), len(call.sizes()) - 2, channelwise=True)
    channels = shape_of(value.axes)["c"]
    weights = affine_weights(call, channels, *((2, 3) if call.operator == "group_norm" else (3, 4)))
    attributes = {} if len(weights) == 2 else {"affine": False}
    if call.operator == "group_norm":
        attributes["groups"] = call.get(1, "num_groups")
    if weights and len(weights) < 2:
        raise Refused("has one of weight and bias; give it both or none")
    return call.net.add(kind, [value], value.axes, attributes, weights)


def rows(net, value, last=1):
    """The value as positions of channels, which the last axes are."""
    if net.reads_input(value):
        value = net.channels_last(value)
    axes = [renamed(each, "s") if is_all(each, "c") else each for each in value.axes[:-last]]
    tail = value.axes[-last:]
    if any(map(has_samples, tail)):
        raise Refused("sums or compares the samples of the batch; see --batch-axis")
    return value.with_axes(axes + [renamed(each, "c") for each in tail])


def position_norm(call, kind):
    value = rows(call.net, call.value(), len(call.get(1, "normalized_shape")))
    channels = shape_of(value.axes)["c"]
    weights = affine_weights(call, channels, 2, 3 if kind == "layer_norm" else 99)
    weights += [(name, channels, []) for name in ("gamma", "beta")[len(weights):1 + (kind == "layer_norm")]]
    return call.net.add(kind, [value], value.axes, {}, weights)


def local_response_norm(call):
    value = image(call.value(), len(call.sizes()) - 2)
    return call.net.add("local_response_norm", [value], value.axes, {"size": call.get(1, "size")})


def softmax(call):
    value = call.value()
    at = call.get(1, "dim", -1)
    at = at % len(value.axes) if at is not None else len(value.axes) - 1
    if has_samples(value.axes[at]):
        raise Refused("compares the samples of the batch")
    if is_all(value.axes[at], "c"):
        if any(is_all(each, "c") and extent(each) > 1 for each in value.axes[at + 1:]):
            return reduced(call, "elementwise", value, value.axes)
        groups = shape_of(value.axes)["c"] // extent(value.axes[at])
        return call.net.add("softmax", [value], value.axes, {"groups": groups} if groups > 1 else {})
    return call.net.add("softmax", [value], value.axes, {"over": "positions"})


# --- products


def linear(call):
    value = rows(call.net, call.value())
    weight = call.constant(1, "weight")
    return dense(call.net, value, call.sizes()[-1], weight, call.constant(2, "bias"))


def dense(net, value, features, weight, bias, name=None):
    shape = shape_of(value.axes)
    flat = all(shape[letter] == 1 for letter in SPACE)
    attributes = {"features": features, **({} if flat else {"kernel": {"w": 1}}), "bias": bias is not None}
    weights = weights_of(("weight", features * shape["c"], weight), ("bias", features, bias))
    axes = value.axes[:-1] + [axis(("c", features))]
    return net.add("dense" if flat else "convolution", [value], axes, attributes, weights, name)


def product(call, left, right, labels_left, labels_right, made, bias=None):
    """Labels as those of an Einsum: of both and the output a group, of both alone summed, else a row or column."""
    if isinstance(left, Constant):
        left, right, labels_left, labels_right = right, left, labels_right, labels_left
    weights = isinstance(right, Constant)
    sizes = dict(zip(labels_right, right.sizes if weights else right.sizes()))
    axes = dict(zip(labels_left, left.axes))
    others = dict(zip(labels_right, [axis(("s", size)) for size in right.sizes] if weights else right.axes))
    of_right = [label for label in labels_right if sizes[label] > 1 or has_samples(others[label])]
    if weights:  # those that are repeated for each sample are the same for all
        of_right = [label for label in of_right if not has_samples(axes.get(label, ()))]
    groups = summed = columns = 1
    for label in of_right:
        size = extent(others[label], samples=False)
        if label not in made and (has_samples(others[label]) or label not in axes):
            raise Refused("sums over the samples of the batch, or an axis of one operand alone")
        if label not in made:
            summed *= size
        elif label in axes and extent(axes[label]) > 1:
            groups *= size
        else:
            columns *= size
    for label, each in axes.items():
        alone = label not in made and label not in of_right and extent(each) > 1
        if alone or has_samples(each) and (label not in made or not weights and label not in of_right):
            raise Refused("multiplies samples with each other, or sums an axis of one operand alone")
    wanted = {label: renamed(each, "c") if label in of_right else renamed(each, "s") if is_all(each, "c") else each
              for label, each in axes.items()}
    value = left.with_axes(wanted.values())
    features = groups * columns
    axes_made = [wanted[label] if extent(wanted.get(label, ())) > 1 or has_samples(wanted.get(label, ()))
                 else axis(("c", sizes.get(label, 1))) for label in made]
    if not weights:
        turned = all(is_all(others[label], "c") != (label not in made) for label in of_right
                     if (label not in made or label not in axes) and extent(others[label], False) > 1)
        attributes = {"features": features, "groups": groups, **({"turned": True} if turned else {})}
        return call.net.add("matmul", [value, right], axes_made, attributes)
    flat = groups == 1 and all(shape_of(value.axes)[letter] == 1 for letter in SPACE)
    attributes = {"features": features, "bias": bias is not None}
    if not flat:
        attributes.update(kernel={"w": 1}, groups=groups)
    stored = weights_of(("weight", features * summed, right), ("bias", features, bias))
    return call.net.add("dense" if flat else "convolution", [value], axes_made, attributes, stored)


def operand(call, tensor):
    known = call.look(tensor)
    return known


def matmul(call, first=0):
    tensors = tensors_in([call.args, call.kwargs])
    left, right = call.look(tensors[first]), call.look(tensors[first + 1])
    if isinstance(left, Constant) and isinstance(right, Constant):
        left = call.as_value(tensors[first])
    ranks = [len(tensors[first + at].shape) for at in (0, 1)]
    batch = "abcdefgh"[:max(*ranks, 2) - 2]
    labels = [batch[len(batch) - max(rank - 2, 0):] for rank in ranks]
    labels_left, labels_right = labels[0] + "mk"[2 - min(ranks[0], 2):], labels[1] + "kn"[:min(ranks[1], 2)]
    made = batch + "m" * (ranks[0] > 1) + "n" * (ranks[1] > 1)
    if isinstance(left, Value) and call.net.reads_input(left):
        left = call.net.channels_last(left)
    bias = call.look(tensors[0]) if first else None
    whole = isinstance(bias, Constant) and len(bias.sizes) == 1 and isinstance(right, Constant)
    value = product(call, left, right, labels_left, labels_right, made, bias if whole else None)
    if first and not whole:
        return combined(call, [value, bias], "add")
    return value


def einsum(call):
    equation, *tensors = call.args
    tensors = tensors_in(tensors)
    if not isinstance(equation, str):
        raise Refused("is written with numbers; write it as a text such as 'bij,bjk->bik'")
    read, _, made = equation.replace(" ", "").partition("->")
    labels = read.split(",")
    if len(labels) != 2 or "." in equation or "->" not in equation or any(len(set(l)) < len(l) for l in labels):
        if len(labels) == 1 and len(set(made)) == len(made) == len(read):
            value = call.as_value(tensors[0])
            return value.with_axes([value.axes[read.index(label)] for label in made], call.net.place)
        raise Refused(f"'{equation}' is not a product of two tensors; write it as matmul")
    left, right = map(call.look, tensors)
    if isinstance(left, Constant) and isinstance(right, Constant):
        left = call.as_value(tensors[0])
    return product(call, left, right, *labels, made)


# --- attention


def attention(call, query, key, value, heads, causal, mask, kv_heads=None, name=None):
    """Fused; axes of each are (…, positions, channels), or (…, heads, positions, channels)."""
    keys = key.axes[-2]
    attributes = {"heads": heads, **({"kv_heads": kv_heads} if kv_heads not in (None, heads) else {}), "causal": bool(causal)}
    folded = shape_of(query.axes[:1])["s"] * math.prod(shape_in_space(query.axes[:1]).values())
    weights = []
    if folded > 1:
        if extent(query.axes[-2]) != extent(keys) or causal:
            raise Refused("attends in blocks of another length than its keys, or causally")
        attributes["within"] = extent(keys)
    if isinstance(mask, Constant) and mask.parts:
        table = sum(part[2] for part in mask.parts)
        attributes["relative"] = -(-table // heads)
        weights = [("bias", attributes["relative"] * heads, [mask])]
    axes = query.axes[:-1] + [renamed(axis(("c", extent(value.axes[-1]))), "c")]
    return call.net.add("attention", [query, key, value], axes, attributes, weights, name)


def scaled_dot_product_attention(call):
    operands = [call.value(at, name) for at, name in enumerate(("query", "key", "value"))]
    operands = [each.with_axes([*(renamed(a, "c") for a in each.axes[-3:-2] if not has_samples(a))]) if 0 else each
                for each in operands]
    shaped = []
    for each in operands:
        axes = [renamed(a, "s") if at != len(each.axes) - 3 and is_all(a, "c") else a for at, a in enumerate(each.axes)]
        axes[-1] = renamed(axes[-1], "c")
        if len(axes) > 3:
            axes[-3] = renamed(axes[-3], "c")
        shaped.append(each.with_axes(axes))
    query, key, value = shaped
    heads, kv_heads = (extent(query.axes[-3]), extent(key.axes[-3])) if len(query.axes) > 3 else (1, 1)
    mask = call.get(3, "attn_mask")
    mask = call.look(mask) if mask is not None else None
    if isinstance(mask, Value):
        return written_out(call, query, key, value, mask, call.get(4, "dropout_p", 0.0))
    return attention(call, query, key, value, heads, call.get(5, "is_causal", False), mask, kv_heads)


def written_out(call, query, key, value, mask, dropout_p, name=""):
    """Scores that reach memory: (…, queries, channels) times (…, keys, channels)."""
    net, batch = call.net, "abcdefgh"[:len(query.axes) - 2]
    scores = product(call, query, key, batch + "mk", batch + "nk", batch + "mn")
    if isinstance(mask, Value):
        scores = combined(call, [scores, mask], "add")
    groups = shape_of(scores.axes)["c"] // extent(scores.axes[-1])
    scores = net.add("softmax", [scores], scores.axes, {"groups": groups} if groups > 1 else {})
    if dropout_p:
        scores = net.add("dropout", [scores], scores.axes)
    return product(call, scores, value, batch + "mn", batch + "nk", batch + "mk")


MHA = ("query key value embed_dim_to_check num_heads in_proj_weight in_proj_bias bias_k bias_v add_zero_attn dropout_p"
       " out_proj_weight out_proj_bias training key_padding_mask need_weights attn_mask use_separate_proj_weight"
       " q_proj_weight k_proj_weight v_proj_weight static_k static_v average_attn_weights is_causal").split()


def multi_head_attention(call):
    given = {**dict(zip(MHA, call.args)), **call.kwargs}
    if given.get("bias_k") is not None or given.get("add_zero_attn"):
        raise Refused("adds keys to those it is given (add_bias_kv, add_zero_attn)")
    net, heads = call.net, given["num_heads"]
    inputs = [rows(net, call.as_value(given[name])) for name in ("query", "key", "value")]
    weight = None if given.get("use_separate_proj_weight") else call.look(given["in_proj_weight"])
    bias = call.look(given["in_proj_bias"]) if given["in_proj_bias"] is not None else None
    width = extent(inputs[0].axes[-1])
    if weight and all(each.layer is inputs[0].layer and each.axes == inputs[0].axes for each in inputs):
        whole = dense(net, inputs[0], 3 * width, weight, bias, net.place + ".in_proj")
        parts = [part(net, whole, -1, at * width, width, name=f"{net.place}.{letter}") for at, letter in enumerate("qkv")]
    else:
        parts = []
        for at, (each, letter) in enumerate(zip(inputs, "qkv")):
            own = share_of(weight, at, 3) if weight else call.look(given[f"{letter}_proj_weight"])
            parts.append(dense(net, each, width, own, share_of(bias, at, 3), f"{net.place}.{letter}"))
    # (positions, samples, heads · channels) to (samples, heads, positions, channels)
    split = [each.with_axes([each.axes[1], axis(("c", heads)), each.axes[0], axis(("c", width // heads))])
             for each in parts]
    mask = call.look(given["attn_mask"]) if given.get("attn_mask") is not None else None
    dropout_p = given["dropout_p"] if given.get("training", True) else 0
    if given.get("need_weights", True) or isinstance(mask, Value):
        made = written_out(call, *split, mask, dropout_p)
    else:
        made = attention(call, *split, heads, given.get("is_causal"), mask, name=net.place + ".attention")
    made = made.with_axes([made.axes[2], made.axes[0], axis(("c", width))])
    bias = call.look(given["out_proj_bias"]) if given["out_proj_bias"] is not None else None
    return [dense(net, made, width, call.look(given["out_proj_weight"]), bias, net.place + ".out_proj"), None]


def share_of(constant, at, count):
    """One of as many equal parts of a constant."""
    if constant is None:
        return None
    size = constant.elements // count
    parts = [(name, offset + at * size, size) for name, offset, _ in constant.parts]
    return Constant((constant.sizes[0] // count, *constant.sizes[1:]), size, parts)


# --- tables, recurrent layers


def embedding(call):
    numbers, table = call.value(), call.constant(1, "weight")
    axes = [renamed(each, "s") if is_all(each, "c") else each for each in numbers.axes]
    if call.net.reads_input(numbers):
        call.net.layers[0]["shape"] = shape_of(axes)
    features = table.sizes[1]
    weights = weights_of(("weight", math.prod(table.sizes), table))
    made = call.net.add("embedding", [numbers.with_axes(axes)], axes + [axis(("c", features))],
                        {"entries": table.sizes[0], "features": features}, weights)
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
        own = tensors[at * weights * directions:(at + 1) * weights * directions]
        grouped = [("weight", own[0::weights]), ("recurrence", own[1::weights])]
        if biased:
            grouped.append(("bias", [each for i, each in enumerate(own) if i % weights > 1]))
        attributes = {"cell": cell, "features": hidden, "directions": directions, "bias": bool(biased)}
        value = net.add("recurrent", [value], value.axes[:-1] + [axis(("c", directions * hidden))], attributes,
                        [(name, sum(math.prod(each.sizes) for each in of), of) for name, of in grouped],
                        f"{net.place}.{at}" if count > 1 else None)
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
    made = call.net.add("recurrent", [value, *state], value.axes[:-1] + [axis(("c", features))],
                        {"cell": call.operator.split("_")[0], "features": features, "bias": biased}, weights)
    return [made] * len(tensors_in(call.out))


# --- functions of elements


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
    aligned = [each.with_axes([axes[at] if extent(own) == sizes[at] else own
                               for at, own in enumerate(each.axes, len(sizes) - len(each.axes))]) for each in widest]
    return axes, aligned


def elementwise(call):
    values, constants = call.operands()
    axes, values = broadcast(values, call.sizes())
    made = reduced(call, "elementwise", values, axes, constants)
    return [made] * len(tensors_in(call.out))


def reduced(call, kind, inputs, axes, constants=()):
    """A layer of a general kind, with what is trained of its constants."""
    stored = [("", 0, [each]) for each in constants if each.parts]
    inputs = inputs if isinstance(inputs, list) else [inputs]
    return call.net.add(kind, inputs, axes, {"operator": call.operator}, stored)


def arithmetic(call, how):
    return combined(call, [call.look(each) for each in tensors_in([call.args, call.kwargs])], how)


def combined(call, operands, how):
    """A sum or a product of tensors, constants and numbers; `how` is "add" or "multiply"."""
    net = call.net
    values = [each for each in operands if isinstance(each, Value)]
    constants = [each for each in operands if isinstance(each, Constant)]
    sizes = call.sizes()
    axes, values = broadcast(values, sizes)
    if len(values) == 1:
        if values[0].sizes() != sizes and math.prod(values[0].sizes()) != math.prod(sizes):
            return reduced(call, "elementwise", values, axes, constants)
        trained = [each for each in constants if each.parts]
        return trained_arithmetic(net, values[0].with_axes(axes), trained[0], how) if trained else net.add(
            "activation", values, axes, {"function": "linear"})
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
    if rows_added and entries >= positions and net.parameters[table[0]] % channels == 0 and value.axes[-1] == axis(("c", channels)):
        return net.add("added_rows", [value], value.axes, {"entries": entries},
                       [("weight", entries * channels, [whole_of(net, table[0])])])
    elements = constant.elements
    if positions * channels % elements:
        elements = channels
    return net.add("affine", [value], value.axes, {"operation": "shift" if how == "add" else "scale", "elements": elements},
                   [("weight", elements, [constant])])


def whole_of(net, name):
    return Constant((net.parameters[name],), net.parameters[name], [(name, 0, net.parameters[name])])


def prelu(call):
    value = call.value()
    weight = call.constant(1, "weight")
    return trained_arithmetic(call.net, value, weight, "multiply")


# --- reductions, parts, joins


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
        made = call.net.add("adaptive_pool", [value], axes,
                            {"mode": mode, "output": {letter: 1 for letter in SPACE if shape[letter] > 1}})
    else:
        made = reduced(call, "reduction", value, axes)
    return [made] * len(tensors_in(call.out))


def part(net, value, at, start, length, drop=False, name=None):
    """Positions or channels from `start` on along an axis."""
    at %= len(value.axes)
    own = value.axes[at]
    axes = value.axes[:at] + ([] if drop else [axis((joined(own), length))]) + value.axes[at + 1:]
    if extent(own) == length:
        return value.with_axes(value.axes[:at] + value.axes[at + 1:] if drop else value.axes)
    if has_samples(own):
        raise Refused("takes some samples of the batch")
    value, letter = net.settle(value), joined(own)
    before = math.prod(size for each in value.axes[:at] for other, size in each if other == letter)
    after = math.prod(size for each in value.axes[at + 1:] for other, size in each if other == letter)
    attributes, kind = {}, "slice"
    if before > 1 or not is_all(own, letter) or letter == "s" and start:
        kind, attributes["operator"] = "movement", net.operator
    elif letter == "c" and start:
        attributes["begin_features"] = start * after
    elif start:
        attributes["begin"] = {letter: start * after}
    return net.add(kind, [value], axes, attributes, name=name)


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
    if any(is_tensor(each) or isinstance(each, (list, bool)) for each in index):
        return movement(call)
    if Ellipsis in index:
        here = index.index(Ellipsis)
        missing = len(value.axes) - sum(each is not None for each in index) + 1
        index[here:here + 1] = [slice(None)] * missing
    at = 0
    for each in index:
        if each is None:
            value = value.with_axes(value.axes[:at] + [()] + value.axes[at:])
        elif isinstance(each, slice):
            begin, end, step = each.indices(extent(value.axes[at]))
            if step != 1:
                axes = like(value.axes, [len(range(begin, end, step)) if i == at else size
                                         for i, size in enumerate(value.sizes())])
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
    known = [each.with_axes([renamed(own, letter) if i == at else axes[i] for i, own in enumerate(each.axes)])
             if isinstance(each, Value) else each for each in known]
    outer = any(other == letter for each in axes[:at] for other, _ in each)
    constants = [each for each in known if isinstance(each, Constant)]
    if letter == "c" and not outer and not constants:
        return call.net.add("concat", known, axes)
    shape = shape_of(axes)
    table = isinstance(known[0], Constant) and len(known) == 2 and known[0].parts
    if table and letter == "s" and shape["s"] == shape["s"] * shape["d"] * shape["h"] * shape["w"]:
        entries = known[0].sizes[at]
        if known[0].elements == entries * shape["c"]:
            return call.net.add("prepended_rows", [known[1]], axes, {"entries": entries},
                                [("weight", entries * shape["c"], [known[0]])])
    return reduced(call, "movement", [each for each in known if isinstance(each, Value)], axes, constants)


def movement(call):
    values, constants = call.operands()
    sizes = call.sizes()
    main = call.look(tensors_in([call.args, call.kwargs])[0])
    value = main if isinstance(main, Value) else max(values, key=lambda each: math.prod(each.sizes()))
    if len(sizes) == len(value.axes):
        axes = like(value.axes, sizes)
    elif len(sizes) > 1 and sizes[0] == extent(value.axes[0]) and has_samples(value.axes[0]):
        axes = [value.axes[0], *(axis(("c" if at == (1 if is_all(value.axes[1], "c") else len(sizes) - 1) else "s", size))
                                 for at, size in enumerate(sizes) if at)]
    else:
        axes = like(value.axes, sizes)
    others = [each for each in values if each is not value]
    made = reduced(call, "movement", [value, *others], axes, constants)
    return [made] * len(tensors_in(call.out))


def pad(call):
    return movement(call) if any(call.get(1, "pad")) else call.value()


def loss(call, kind):
    value = call.value()
    if call.look(value_tensor(call)) is None:
        raise Refused("has no scores")
    if call.operator in ("cross_entropy", "nll_loss"):
        axes = [each if at != (1 if len(value.axes) > 1 else 0) else renamed(each, "c") for at, each in enumerate(value.axes)]
        value = value.with_axes([renamed(each, "s") if at != 1 and is_all(each, "c") else each
                                 for at, each in enumerate(axes)])
        if call.operator == "nll_loss" and value.layer["kind"] == "softmax":
            value = Value(value.layer["inputs"][0], value.axes)
    return call.net.add(kind, [value], [], name="loss")


def value_tensor(call):
    return call.get(0, "input")


def to(handler, *args):
    return functools.partial(handler, **dict([args])) if args else handler


ACTIVATIONS = "relu relu6 leaky_relu sigmoid tanh silu hardswish hardsigmoid gelu elu selu softplus mish erf exp log sqrt abs"

# Functions and methods by their names without leading and trailing underscores; kind; handler; what to know.
TABLE = [
    ("conv1d conv2d conv3d", "convolution", convolution, ""),
    ("conv_transpose1d conv_transpose2d conv_transpose3d", "transposed_convolution",
     functools.partial(convolution, transposed=True), ""),
    ("linear", "dense", linear, "over positions in space a convolution of kernel 1"),
    ("matmul mm bmm mv", "matmul", matmul, "with weights dense"),
    ("addmm baddbmm", "matmul", functools.partial(matmul, first=1), "with weights dense"),
    ("einsum", "matmul", einsum, "of two tensors; of one that orders its axes again"),
    ("scaled_dot_product_attention", "attention", scaled_dot_product_attention, "a mask that samples bring: written out"),
    ("multi_head_attention_forward", "attention", multi_head_attention, "with need_weights written out"),
    ("embedding embedding_bag", "embedding", embedding, ""),
    ("lstm gru rnn_tanh rnn_relu", "recurrent", recurrent, "one for each layer; no proj_size, no packed sequences"),
    ("lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell", "recurrent", recurrent_cell, "of one token"),
    ("batch_norm", "batch_norm", functools.partial(channel_norm, kind="batch_norm"), ""),
    ("group_norm instance_norm", "group_norm", functools.partial(channel_norm, kind="group_norm"), ""),
    ("layer_norm", "layer_norm", functools.partial(position_norm, kind="layer_norm"), ""),
    ("rms_norm", "rms_norm", functools.partial(position_norm, kind="rms_norm"), ""),
    ("local_response_norm", "local_response_norm", local_response_norm, ""),
    ("max_pool1d max_pool2d max_pool3d", "pool", functools.partial(pool, mode="max"), ""),
    ("avg_pool1d avg_pool2d avg_pool3d", "pool", functools.partial(pool, mode="average"), ""),
    ("adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d", "adaptive_pool",
     functools.partial(adaptive_pool, mode="max"), ""),
    ("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d", "adaptive_pool",
     functools.partial(adaptive_pool, mode="average"), ""),
    ("interpolate upsample", "resize", resize, "nearest and linear; others elementwise"),
    ("softmax log_softmax", "softmax", softmax, "as the last layer it belongs to the loss"),
    *((name, "activation", functools.partial(activation, function=name), "") for name in ACTIVATIONS.split()),
    ("threshold logsigmoid neg reciprocal square rsqrt pow", "activation", functools.partial(activation, function="power"), ""),
    ("clamp clip clamp_min hardtanh", "activation", hard_limits, ""),
    ("prelu", "affine", prelu, ""),
    ("dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout", "dropout", dropout,
     "in training"),
    ("add iadd sub isub rsub subtract", "add", functools.partial(arithmetic, how="add"),
     "with a trained tensor added_rows or affine, of other shapes elementwise"),
    ("mul imul div idiv truediv rdiv rtruediv multiply divide true_divide", "multiply",
     functools.partial(arithmetic, how="multiply"), "with a trained tensor affine, of other shapes elementwise"),
    ("maximum minimum where masked_fill lerp addcmul addcdiv eq ne lt le gt ge logical_and logical_or logical_not and or"
     " bitwise_not isnan isinf sign floor ceil round trunc sin cos tan atan atan2 log2 log10 log1p expm1 erfc remainder"
     " fmod floor_divide rpow softsign tanhshrink softshrink hardshrink celu glu normalize cumsum cumprod tril triu"
     " nan_to_num bucketize one_hot cosine_similarity pairwise_distance", "elementwise", elementwise, ""),
    ("sum mean max min amax amin prod std var norm logsumexp argmax argmin any all median", "reduction", reduction,
     "over all positions in space adaptive_pool"),
    ("cat concat concatenate stack", "concat", concat, "along positions movement; trained rows first prepended_rows"),
    ("chunk split split_with_sizes tensor_split unbind", "slice", split, ""),
    ("select narrow", "slice", select, ""),
    ("getitem", "slice", item, "what is no range of positions or channels is movement"),
    ("pad constant_pad_nd", "movement", pad, ""),
    ("roll flip rot90 gather take_along_dim index_select repeat repeat_interleave tile expand expand_as broadcast_to"
     " pixel_shuffle pixel_unshuffle channel_shuffle unfold fold grid_sample setitem index_put index_add scatter"
     " scatter_add copy topk sort masked_scatter masked_select", "movement", movement, ""),
    ("view reshape flatten unflatten squeeze unsqueeze view_as reshape_as ravel", "reshape", view,
     "where the next layer reads another shape"),
    ("permute transpose swapaxes swapdims movedim moveaxis t T mT numpy_T", "nothing", permute, ""),
    ("new_empty new_full new_ones new_tensor new_zeros empty_like full_like ones_like rand_like randn_like zeros_like",
     "nothing", filled, "the same for all samples"),
    ("contiguous clone to type type_as float half double bfloat16 int long bool detach requires_grad cuda cpu alias"
     " checkpoint data real", "nothing", identity, ""),
    ("cross_entropy nll_loss", "softmax_loss", functools.partial(loss, kind="softmax_loss"), ""),
    ("mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div",
     "mean_squared_loss", functools.partial(loss, kind="mean_squared_loss"), "priced as a mean squared error"),
]
HANDLERS = {name: handler for names, _, handler, _ in TABLE for name in names.split()}
