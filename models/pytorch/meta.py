"""Modules without numbers, on PyTorch's meta device."""

import copy

import torch
from torch.overrides import TorchFunctionMode

from .call import is_tensor, tensors_in

FACTORIES = (
    "arange as_tensor empty eye full linspace logspace ones rand randint randn randperm scalar_tensor tensor"
    " tril_indices triu_indices zeros hann_window"
).split()
ITEM_OF, SET_ITEM = torch.Tensor.__getitem__, torch.Tensor.__setitem__


def set_item(tensor, index, value):
    """x[index] = value, likewise."""
    if torch.overrides.has_torch_function((tensor, value)):
        return torch.overrides.handle_torch_function(set_item, (tensor, value), tensor, index, value)
    return SET_ITEM(tensor, index, value)


def item_of(tensor, index):
    """x[index]; PyTorch 1.13 does not show a TorchFunctionMode all of them."""
    if torch.overrides.has_torch_function_unary(tensor):
        return torch.overrides.handle_torch_function(item_of, (tensor,), tensor, index)
    return ITEM_OF(tensor, index)


item_of.__name__, set_item.__name__ = "__getitem__", "__setitem__"


class OnMeta(TorchFunctionMode):
    """Makes tensors on the meta device, whatever device is named, and initializes none."""

    def __init__(self):
        super().__init__()
        self.moved = {}  # by id of a tensor: its copy, and the tensor, so that its id stays its own

    def __enter__(self):
        self.replaced = {each.__name__: vars(torch.Tensor).get(each.__name__) for each in (item_of, set_item)}
        torch.Tensor.__getitem__, torch.Tensor.__setitem__ = item_of, set_item
        return super().__enter__()

    def __exit__(self, *error):
        for name, before in self.replaced.items():
            delattr(torch.Tensor, name) if before is None else setattr(torch.Tensor, name, before)
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


def tensors_of(module):
    """Those of a module itself that are not trained."""
    return [each for each in [*module.buffers(recurse=False), *vars(module).values()] if is_tensor(each)]


def on_meta(module):
    """A copy without numbers; tensors that are shared stay so."""
    memo = {}
    for parameter in module.parameters():
        memo[id(parameter)] = torch.nn.Parameter(
            torch.empty_like(parameter, device="meta"), requires_grad=parameter.requires_grad
        )
    for each in module.modules():
        for tensor in tensors_of(each):
            memo.setdefault(id(tensor), torch.empty_like(tensor, device="meta"))
    return copy.deepcopy(module, memo)
