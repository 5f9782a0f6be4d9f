"""The networks of models/ as torchvision has them; CosmoFlow as models/cosmoflow.json describes it."""

import torch
import torchvision
from torch import nn

OF_TORCHVISION = (
    "alexnet", "densenet121", "efficientnet_b0", "mobilenet_v2", "resnet18", "resnet34", "resnet50", "resnet101",
    "resnet152", "resnext50_32x4d", "vgg11", "vgg16",
)
# Those whose extra classifiers models/ leaves out.
WITHOUT_AUXILIARY = ("googlenet", "inception_v3")
INPUTS = {"cosmoflow": (4, 128, 128, 128), "inception_v3": (3, 299, 299)}


def cosmoflow(extent):
    layers, channels = [], 4
    for features in (32, 64, 128, 256, 512):
        layers += [nn.Conv3d(channels, features, 3, padding=1), nn.LeakyReLU(), nn.MaxPool3d(2)]
        channels, extent = features, extent // 2
    layers.append(nn.Flatten())
    width = channels * extent**3
    for features in (128, 64):
        layers += [nn.Linear(width, features), nn.LeakyReLU(), nn.Dropout()]
        width = features
    return nn.Sequential(*layers, nn.Linear(width, 4), nn.Tanh())


def input_of(name):
    return INPUTS.get(name, (3, 224, 224))


def network(name, shape):
    """The network called so, for samples of this shape; None where there is none."""
    if name == "cosmoflow":
        return cosmoflow(shape[1])
    if name in WITHOUT_AUXILIARY:
        return getattr(torchvision.models, name)(weights=None, aux_logits=False, init_weights=False)
    if name in OF_TORCHVISION:
        return getattr(torchvision.models, name)(weights=None)
    return None


def channels_last(shape):
    return torch.channels_last_3d if len(shape) == 4 else torch.channels_last


def loss_and_targets(name, batch):
    if name == "cosmoflow":
        return nn.MSELoss(), torch.rand(batch, 4)
    return nn.CrossEntropyLoss(), torch.randint(1000, (batch,))
