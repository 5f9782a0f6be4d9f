"""What each function of PyTorch becomes: one row of TABLE for each group of functions.

To teach one more, add a row: `HANDLERS["swiglu"] = elementwise`. A handler takes a Call and returns the Value of
each tensor that the function made.
"""
from functools import partial

from .elements import activation, arithmetic, distance, dropout, elementwise, hard_limits, loss, prelu, reduction
from .features import channel_norm, embedding, local_response_norm, position_norm, recurrent, recurrent_cell, softmax
from .parts import concat, filled, identity, item, movement, pad, permute, select, split, view
from .products import einsum, linear, matmul, multi_head_attention, scaled_dot_product_attention
from .windows import adaptive_pool, convolution, pool, resize

ACTIVATIONS = (
    "relu relu6 leaky_relu sigmoid tanh silu hardswish hardsigmoid gelu elu selu softplus mish erf exp log sqrt abs"
)

# Functions and methods by their names without leading and trailing underscores; kind; handler; what to know.
TABLE = [
    ("conv1d conv2d conv3d", "convolution", convolution, ""),
    (
        "conv_transpose1d conv_transpose2d conv_transpose3d",
        "transposed_convolution",
        partial(convolution, transposed=True),
        "",
    ),
    ("linear", "dense", linear, "over positions in space a convolution of kernel 1"),
    ("matmul mm bmm mv", "matmul", matmul, "with weights dense"),
    ("addmm baddbmm", "matmul", partial(matmul, first=1), "with weights dense"),
    ("einsum", "matmul", einsum, "of two tensors; of one that orders its axes again"),
    (
        "scaled_dot_product_attention",
        "attention",
        scaled_dot_product_attention,
        "a mask that samples bring: written out",
    ),
    ("multi_head_attention_forward", "attention", multi_head_attention, "with need_weights written out"),
    ("embedding embedding_bag", "embedding", embedding, ""),
    ("lstm gru rnn_tanh rnn_relu", "recurrent", recurrent, "one for each layer; no proj_size, no packed sequences"),
    ("lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell", "recurrent", recurrent_cell, "of one token"),
    ("batch_norm", "batch_norm", partial(channel_norm, kind="batch_norm"), ""),
    ("group_norm instance_norm", "group_norm", partial(channel_norm, kind="group_norm"), ""),
    ("layer_norm", "layer_norm", partial(position_norm, kind="layer_norm"), ""),
    ("rms_norm", "rms_norm", partial(position_norm, kind="rms_norm"), ""),
    ("local_response_norm", "local_response_norm", local_response_norm, ""),
    ("max_pool1d max_pool2d max_pool3d", "pool", partial(pool, mode="max"), ""),
    ("avg_pool1d avg_pool2d avg_pool3d", "pool", partial(pool, mode="average"), ""),
    (
        "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
        "adaptive_pool",
        partial(adaptive_pool, mode="max"),
        "",
    ),
    (
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d",
        "adaptive_pool",
        partial(adaptive_pool, mode="average"),
        "",
    ),
    ("interpolate upsample", "resize", resize, "nearest and linear; others elementwise"),
    ("softmax log_softmax", "softmax", softmax, "as the last layer it belongs to the loss"),
    *((name, "activation", partial(activation, function=name), "") for name in ACTIVATIONS.split()),
    ("reciprocal square rsqrt pow", "activation", partial(activation, function="power"), ""),
    ("neg", "activation", partial(activation, function="linear"), ""),
    ("logsigmoid log_sigmoid", "activation", partial(activation, function="softplus"), ""),
    ("threshold clamp clip clamp_min hardtanh", "activation", hard_limits, ""),
    ("prelu", "affine", prelu, ""),
    (
        "dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout",
        "dropout",
        dropout,
        "in training",
    ),
    (
        "add iadd sub isub rsub subtract",
        "add",
        partial(arithmetic, how="add"),
        "with a trained tensor added_rows or affine, of other shapes elementwise",
    ),
    (
        "mul imul div idiv truediv rdiv rtruediv multiply divide true_divide",
        "multiply",
        partial(arithmetic, how="multiply"),
        "with a trained tensor affine, of other shapes elementwise",
    ),
    (
        "maximum minimum where masked_fill lerp addcmul addcdiv eq ne lt le gt ge logical_and logical_or logical_not and or"
        " bitwise_not isnan isinf sign floor ceil round trunc sin cos tan atan atan2 log2 log10 log1p expm1 erfc remainder"
        " fmod floor_divide rpow softsign tanhshrink softshrink hardshrink celu glu normalize cumsum cumprod tril triu"
        " nan_to_num bucketize one_hot",
        "elementwise",
        elementwise,
        "",
    ),
    ("cosine_similarity pairwise_distance", "reduction", distance, "behind elementwise"),
    (
        "sum mean max min amax amin prod std var norm logsumexp argmax argmin any all median",
        "reduction",
        reduction,
        "over all positions in space adaptive_pool",
    ),
    ("cat concat concatenate stack", "concat", concat, "along positions movement; trained rows first prepended_rows"),
    ("chunk split split_with_sizes tensor_split unbind", "slice", split, ""),
    ("select narrow", "slice", select, ""),
    ("getitem", "slice", item, "what is no range of positions or channels is movement"),
    ("pad constant_pad_nd", "movement", pad, ""),
    (
        "roll flip rot90 gather take_along_dim index_select repeat repeat_interleave tile expand expand_as broadcast_to"
        " pixel_shuffle pixel_unshuffle channel_shuffle unfold fold grid_sample setitem index_put index_add scatter"
        " scatter_add copy topk sort masked_scatter",
        "movement",
        movement,
        "",
    ),
    (
        "view reshape flatten unflatten squeeze unsqueeze view_as reshape_as ravel",
        "reshape",
        view,
        "where the next layer reads another shape",
    ),
    ("permute transpose swapaxes swapdims movedim moveaxis t T mT", "nothing", permute, ""),
    (
        "new_empty new_full new_ones new_tensor new_zeros empty_like full_like ones_like rand_like randn_like zeros_like",
        "nothing",
        filled,
        "the same for all samples",
    ),
    (
        "contiguous clone to type type_as float half double bfloat16 int long bool data detach requires_grad cuda cpu",
        "nothing",
        identity,
        "",
    ),
    ("cross_entropy nll_loss", "softmax_loss", partial(loss, kind="softmax_loss"), ""),
    (
        "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits kl_div",
        "mean_squared_loss",
        partial(loss, kind="mean_squared_loss"),
        "priced as a mean squared error",
    ),
]

HANDLERS = {name: handler for names, _, handler, _ in TABLE for name in names.split()}
