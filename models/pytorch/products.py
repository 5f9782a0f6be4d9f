"""Matrix products with weights and of two tensors, and attention."""
from .axes import SPACE, Refused, axis, extent, has_samples, is_all, renamed, reshaped, shape_of
from .call import reduced, rows, tensors_in, weights_of
from .elements import combined
from .network import Constant, Value


def linear(call):
    value = rows(call.net, call.value())
    weight = call.constant(1, "weight")
    bias = call.constant(2, "bias")
    return in_parts(dense(call.net, value, call.sizes()[-1], weight, bias), weight, bias)


def in_parts(made, weight, bias):
    """Marks a product that may be one for each part of its features."""
    made.layer["in_parts"] = all(not each or len(each.parts) == 1 for each in (weight, bias))
    return made


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
    for label in labels_left:
        if label not in made:
            call.net.decide(axes[label])
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
    wanted = {
        label: renamed(each, "c") if label in of_right else renamed(each, "s") if is_all(each, "c") else each
        for label, each in axes.items()
    }
    value = left.with_axes(wanted.values())
    features = groups * columns
    axes_made = [
        wanted[label]
        if extent(wanted.get(label, ())) > 1 or has_samples(wanted.get(label, ()))
        else axis(("c", sizes.get(label, 1)))
        for label in made
    ]
    if not weights:
        turned = all(
            is_all(others[label], "c") != (label not in made)
            for label in of_right
            if (label not in made or label not in axes) and extent(others[label], False) > 1
        )
        attributes = {"features": features, "groups": groups, **({"turned": True} if turned else {})}
        return call.net.add("matmul", [value, right], axes_made, attributes)
    flat = groups == 1 and all(shape_of(value.axes)[letter] == 1 for letter in SPACE)
    attributes = {"features": features, "bias": bias is not None}
    if not flat:
        attributes.update(kernel={"w": 1}, groups=groups)
    stored = weights_of(("weight", features * summed, right), ("bias", features, bias))
    made = call.net.add("dense" if flat else "convolution", [value], axes_made, attributes, stored)
    return in_parts(made, right, bias) if groups == 1 else made


def matmul(call, first=0):
    tensors = tensors_in([call.args, call.kwargs])
    left, right = call.look(tensors[first]), call.look(tensors[first + 1])
    if isinstance(left, Constant) and isinstance(right, Constant):
        left = call.as_value(tensors[first])
    ranks = [len(tensors[first + at].shape) for at in (0, 1)]
    batch = "abcdefgh"[: max(*ranks, 2) - 2]
    labels = [batch[len(batch) - max(rank - 2, 0) :] for rank in ranks]
    labels_left, labels_right = labels[0] + "mk"[2 - min(ranks[0], 2) :], labels[1] + "kn"[: min(ranks[1], 2)]
    made = batch + "m" * (ranks[0] > 1) + "n" * (ranks[1] > 1)
    bias = call.look(tensors[0]) if first else None
    whole = isinstance(bias, Constant) and len(bias.sizes) == 1 and isinstance(right, Constant)
    value = product(call, left, right, labels_left, labels_right, made, bias if whole else None)
    if first and not whole:
        return combined(call, [value, bias], "add", call.sizes())
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


def attention(call, query, key, value, heads, causal, mask, kv_heads=None, name=None):
    """Fused; axes of each are (…, positions, channels), or (…, heads, positions, channels)."""
    attributes = {"heads": heads, "causal": bool(causal)}
    if kv_heads not in (None, heads):
        attributes["kv_heads"] = kv_heads
    keys, weights = extent(key.axes[-2]), []
    if any(not is_all(each, "c") and extent(each, samples=False) > 1 for each in query.axes[:-2]):  # windows
        if extent(query.axes[-2]) != keys or causal:
            raise Refused("attends in blocks of another length than its keys, or causally")
        attributes["within"] = keys
    if isinstance(mask, Constant) and mask.parts:
        table = sum(part[2] for part in mask.parts)
        attributes["relative"] = -(-table // heads)
        weights = [("bias", attributes["relative"] * heads, [mask])]
    axes = query.axes[:-1] + [axis(("c", extent(value.axes[-1])))]
    return call.net.add("attention", [query, key, value], axes, attributes, weights, name)


def scaled_dot_product_attention(call):
    shaped = []
    for each in (call.value(at, name) for at, name in enumerate(("query", "key", "value"))):
        axes = [renamed(a, "s") if is_all(a, "c") else a for a in each.axes[:-1]] + [renamed(each.axes[-1], "c")]
        if len(axes) > 3 or len(axes) == 3 and is_all(each.axes[0], "c"):
            axes[-3] = renamed(axes[-3], "c")  # heads
        shaped.append(each.with_axes(axes))
    query, key, value = shaped
    heads, kv_heads = (extent(each.axes[-3], False) if is_all(each.axes[-3], "c") else 1 for each in (query, key))
    mask = call.get(3, "attn_mask")
    mask = call.look(mask) if mask is not None else None
    if isinstance(mask, Value):
        return written_out(call, query, key, value, mask, call.get(4, "dropout_p", 0.0))[0]
    return attention(call, query, key, value, heads, call.get(5, "is_causal", False), mask, kv_heads)


def broadcastable(sizes, wanted):
    """(samples · heads, queries, keys) as (samples, heads, queries, keys)."""
    joint = len(sizes) == len(wanted) - 1 and sizes[0] == wanted[0] * wanted[1]
    return [*wanted[:2], *sizes[1:]] if joint else sizes


def written_out(call, query, key, value, mask, dropout_p):
    """Scores that reach memory: (…, queries, channels) times (…, keys, channels)."""
    net, batch = call.net, "abcdefgh"[: len(query.axes) - 2]
    scores = product(call, query, key, batch + "mk", batch + "nk", batch + "mn")
    if isinstance(mask, Value) and len(mask.axes) > 2:  # of samples and heads that are one axis
        mask = mask.with_axes(reshaped(mask.axes, broadcastable(mask.sizes(), scores.sizes())))
    if isinstance(mask, Value) or mask and mask.parts:
        scores = combined(call, [scores, mask], "add", scores.sizes())
    groups = shape_of(scores.axes)["c"] // extent(scores.axes[-1])
    scores = net.add("softmax", [scores], scores.axes, {"groups": groups} if groups > 1 else {})
    if dropout_p:
        scores = net.add("dropout", [scores], scores.axes)
    return product(call, scores, value, batch + "mn", batch + "nk", batch + "mk"), scores


MHA = (
    "query key value embed_dim_to_check num_heads in_proj_weight in_proj_bias bias_k bias_v add_zero_attn dropout_p"
    " out_proj_weight out_proj_bias training key_padding_mask need_weights attn_mask use_separate_proj_weight"
    " q_proj_weight k_proj_weight v_proj_weight static_k static_v average_attn_weights is_causal"
).split()


def multi_head_attention(call):
    given = {**dict(zip(MHA, call.args)), **call.kwargs}
    if given.get("bias_k") is not None or given.get("add_zero_attn"):
        raise Refused("adds keys to those it is given (add_bias_kv, add_zero_attn)")
    net, heads = call.net, given["num_heads"]
    inputs = [rows(net, call.as_value(given[name])) for name in ("query", "key", "value")]
    weight = None if given.get("use_separate_proj_weight") else call.look(given["in_proj_weight"])
    bias = call.look(given["in_proj_bias"]) if given["in_proj_bias"] is not None else None
    width = extent(inputs[0].axes[-1])
    parts = []
    for at, (each, letter) in enumerate(zip(inputs, "qkv")):
        own = weight.share(at, 1, 3) if weight else call.look(given[f"{letter}_proj_weight"])
        parts.append(dense(net, each, width, own, bias and bias.share(at, 1, 3), f"{net.place}.{letter}"))
    # (positions, samples, heads · channels) to (samples, heads, positions, channels)
    split = [
        each.with_axes([each.axes[1], axis(("c", heads)), each.axes[0], axis(("c", width // heads))]) for each in parts
    ]
    mask = call.look(given["attn_mask"]) if given.get("attn_mask") is not None else None
    dropout_p = given["dropout_p"] if given.get("training", True) else 0
    if given.get("need_weights", True) or isinstance(mask, Value):
        made, weights = written_out(call, *split, mask, dropout_p)
        if given.get("average_attn_weights", True):
            weights = reduced(call, "reduction", weights, weights.axes[:1] + weights.axes[2:])
    else:
        weights = None
        made = attention(call, *split, heads, given.get("is_causal"), mask, name=net.place + ".attention")
    made = made.with_axes([made.axes[2], made.axes[0], axis(("c", width))])
    bias = call.look(given["out_proj_bias"]) if given["out_proj_bias"] is not None else None
    made = dense(net, made, width, call.look(given["out_proj_weight"]), bias, net.place + ".out_proj")
    return [made, weights] if weights else made
