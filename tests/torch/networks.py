"""Networks of the kinds that people train, written out: each is (module, inputs)."""

import torch
import torch.nn.functional as F
from torch import nn
from transformers_written_out import Bert, Gpt, Llama, Mixer, Queries, SwinBlock, Translation, Vit


def conv_norm(channels, features, kernel, stride=1, padding=None, groups=1, act=nn.ReLU):
    padding = kernel // 2 if padding is None else padding
    layers = [
        nn.Conv2d(channels, features, kernel, stride, padding, groups=groups, bias=False),
        nn.BatchNorm2d(features),
    ]
    return nn.Sequential(*layers, *([act()] if act else []))


class Residual(nn.Module):
    def __init__(self, channels, width, stride, expansion):
        super().__init__()
        features = width * expansion
        if expansion == 1:
            self.body = nn.Sequential(conv_norm(channels, width, 3, stride), conv_norm(width, width, 3, act=None))
        else:
            self.body = nn.Sequential(
                conv_norm(channels, width, 1),
                conv_norm(width, width, 3, stride),
                conv_norm(width, features, 1, act=None),
            )
        changes = stride > 1 or channels != features
        self.shortcut = conv_norm(channels, features, 1, stride, act=None) if changes else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


def resnet(depths, expansion):
    layers, channels = [conv_norm(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for stage, depth in enumerate(depths):
        for at in range(depth):
            layers.append(Residual(channels, 64 << stage, 2 if stage and not at else 1, expansion))
            channels = (64 << stage) * expansion
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


def vgg16():
    layers, channels = [], 3
    for features in (64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0):
        layers += [nn.Conv2d(channels, features, 3, padding=1), nn.ReLU(True)] if features else [nn.MaxPool2d(2)]
        channels = features or channels
    head = [
        nn.Flatten(),
        nn.Linear(25088, 4096),
        nn.ReLU(True),
        nn.Dropout(),
        nn.Linear(4096, 4096),
        nn.ReLU(True),
        nn.Dropout(),
        nn.Linear(4096, 1000),
    ]
    return nn.Sequential(*layers, *head)


class Inverted(nn.Module):
    def __init__(self, channels, features, stride, expand):
        super().__init__()
        width = channels * expand
        self.adds = stride == 1 and channels == features
        self.body = nn.Sequential(
            *([conv_norm(channels, width, 1, act=nn.ReLU6)] if expand > 1 else []),
            conv_norm(width, width, 3, stride, groups=width, act=nn.ReLU6),
            conv_norm(width, features, 1, act=None)
        )

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


def mobilenet_v2():
    layers, channels = [conv_norm(3, 32, 3, 2, act=nn.ReLU6)], 32
    for expand, features, count, stride in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for at in range(count):
            layers.append(Inverted(channels, features, 1 if at else stride, expand))
            channels = features
    return nn.Sequential(
        *layers,
        conv_norm(320, 1280, 1, act=nn.ReLU6),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(1280, 1000)
    )


class DenseBlock(nn.Module):
    def __init__(self, channels, count, growth=32):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm2d(channels + at * growth),
                nn.ReLU(),
                nn.Conv2d(channels + at * growth, 4 * growth, 1, bias=False),
                nn.BatchNorm2d(4 * growth),
                nn.ReLU(),
                nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False),
            )
            for at in range(count)
        )

    def forward(self, x):
        parts = [x]
        for layer in self.layers:
            parts.append(layer(torch.cat(parts, 1)))
        return torch.cat(parts, 1)


def densenet121():
    layers, channels = [conv_norm(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for at, count in enumerate((6, 12, 24, 16)):
        layers.append(DenseBlock(channels, count))
        channels += 32 * count
        layers += [nn.BatchNorm2d(channels), nn.ReLU()]
        if at < 3:
            layers += [nn.Conv2d(channels, channels // 2, 1, bias=False), nn.AvgPool2d(2)]
            channels //= 2
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000))


class Inception(nn.Module):
    """Windows of 1x7 and 7x1, a pool with a pad, joined."""

    def __init__(self):
        super().__init__()
        self.a = conv_norm(32, 24, 1)
        self.b = nn.Sequential(
            conv_norm(32, 16, 1), conv_norm(16, 20, (1, 7), padding=(0, 3)), conv_norm(20, 24, (7, 1), padding=(3, 0))
        )
        self.c = conv_norm(32, 16, 1)

    def forward(self, x):
        pooled = F.avg_pool2d(x, 3, stride=1, padding=1)
        return torch.cat([self.a(x), self.b(x), self.c(pooled), F.max_pool2d(x, 3, 1, 1, ceil_mode=True)], 1)


def inception():
    return nn.Sequential(
        conv_norm(3, 32, 3, 2, padding=0),
        Inception(),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        nn.AdaptiveAvgPool2d((1, 1)),
        nn.Flatten(),
        nn.Linear(96, 10),
    )


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = conv_norm(1, 16, 3), conv_norm(16, 32, 3)
        self.bottom = conv_norm(32, 64, 3)
        self.up2, self.up1 = nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 3, 2, 1, output_padding=1)
        self.merge2, self.merge1 = conv_norm(64, 32, 3), conv_norm(32, 16, 3)
        self.out = nn.Conv2d(16, 5, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        y = self.up2(self.bottom(F.max_pool2d(b, 2)))
        y = self.up1(self.merge2(torch.cat([b, y], 1)))
        return self.out(self.merge1(torch.cat([a, y], 1)))


class Lstm(nn.Module):
    def __init__(self, cell=nn.LSTM):
        super().__init__()
        self.embed = nn.Embedding(1000, 48)
        self.rnn = cell(48, 64, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.fc = nn.Linear(128, 4)

    def forward(self, numbers):
        return self.fc(self.rnn(self.embed(numbers))[0][:, -1])


class LastState(nn.Module):
    """Reads the last states of both directions and not the outputs; a GRU."""

    def __init__(self):
        super().__init__()
        self.rnn, self.fc = nn.GRU(24, 32, batch_first=True, bidirectional=True), nn.Linear(64, 4)

    def forward(self, x):
        state = self.rnn(x)[1]
        return self.fc(torch.cat([state[-2], state[-1]], 1))


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 5),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
        )
        self.fc = nn.Linear(16, 2)

    def forward(self, first, second):
        return self.fc(torch.abs(self.features(first) - self.features(second)))


class Odds(nn.Module):
    """Groups, dilation, pads of one side, gates, norms, pixel shuffle, a product of three axes."""

    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(8, 16, 3, padding="same", groups=4, dilation=2)
        self.b = nn.ConvTranspose2d(16, 16, 4, 2, 1, groups=2, dilation=1)
        self.gn, self.norm = nn.GroupNorm(4, 16), nn.InstanceNorm2d(16, affine=True)
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(16, 16, 1), nn.Sigmoid())
        self.act, self.out = nn.PReLU(16), nn.Conv2d(4, 8, 3)
        self.lin = nn.utils.weight_norm(nn.Linear(8, 6))
        self.bilinear = nn.Parameter(torch.zeros(6, 5))

    def forward(self, x):
        x = F.silu(self.gn(self.a(x)))
        x = self.norm(self.b(F.pad(x, (1, 0, 2, 1))))
        x = self.act(x * self.gate(x))
        x = F.interpolate(F.pixel_shuffle(x, 2), scale_factor=0.5, mode="bilinear", align_corners=False)
        x = F.hardswish(self.out(x)).flatten(2).amax(-1)
        return torch.einsum("bi,io->bo", self.lin(x), self.bilinear)


class WaveNet(nn.Module):
    """Sound: windows along one axis, dilated, gated, in which a chunk is a half of the channels."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(1, 16, 1)
        self.layers = nn.ModuleList(nn.Conv1d(16, 32, 2, dilation=2**at) for at in range(4))
        self.out = nn.Conv1d(16, 256, 1)

    def forward(self, x):
        x = self.first(x)
        for at, layer in enumerate(self.layers):
            a, b = layer(F.pad(x, (2**at, 0))).chunk(2, dim=1)
            x = x + torch.tanh(a) * torch.sigmoid(b)
        return self.out(F.relu(x))


class Cells(nn.Module):
    """A cell in a loop, whose weights are used once for each token."""

    def __init__(self):
        super().__init__()
        self.cell, self.fc = nn.LSTMCell(6, 12), nn.Linear(12, 3)

    def forward(self, x):
        h = c = torch.zeros(x.shape[0], 12)
        for at in range(x.shape[1]):
            h, c = self.cell(x[:, at], (h, c))
        return self.fc(h)


class Computes(nn.Module):
    """Computes its own loss, of the next token, as language models do."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(100, 16), nn.Linear(16, 100)

    def forward(self, numbers):
        scores = self.head(self.embed(numbers))
        return F.cross_entropy(scores[:, :-1].reshape(-1, 100), numbers[:, 1:].reshape(-1))


def images(*shape):
    return torch.empty(1, *shape, device="meta")


def numbers(*shape):
    return torch.empty(1, *shape, dtype=torch.int64, device="meta")


NETWORKS = {
    "resnet18": lambda: (resnet((2, 2, 2, 2), 1), [images(3, 224, 224)]),
    "resnet50": lambda: (resnet((3, 4, 6, 3), 4), [images(3, 224, 224)]),
    "vgg16": lambda: (vgg16(), [images(3, 224, 224)]),
    "mobilenet_v2": lambda: (mobilenet_v2(), [images(3, 224, 224)]),
    "densenet121": lambda: (densenet121(), [images(3, 224, 224)]),
    "vit_b": lambda: (Vit(), [images(3, 224, 224)]),
    "gpt2": lambda: (Gpt(), [numbers(1024)]),
    "llama": lambda: (Llama(), [numbers(12)]),
    "llama_masked": lambda: (Llama(), [numbers(12), numbers(12)]),
    "bert": lambda: (Bert(), [numbers(12), numbers(12), numbers(12)]),
    "inception": lambda: (inception(), [images(3, 75, 75)]),
    "swin_block": lambda: (SwinBlock(), [images(3, 56, 56)]),
    "unet": lambda: (Unet(), [images(1, 64, 64)]),
    "lstm": lambda: (Lstm(), [numbers(20)]),
    "gru": lambda: (Lstm(nn.GRU), [numbers(20)]),
    "last_state": lambda: (LastState(), [images(20, 24)]),
    "siamese": lambda: (Siamese(), [images(1, 28, 28), images(1, 28, 28)]),
    "translation": lambda: (Translation(), [numbers(10), numbers(12)]),
    "mixer": lambda: (Mixer(), [images(3, 28, 28)]),
    "odds": lambda: (Odds(), [images(8, 16, 16)]),
    "wavenet": lambda: (WaveNet(), [images(1, 400)]),
    "cells": lambda: (Cells(), [images(5, 6)]),
    "queries": lambda: (Queries(), [images(11, 16)]),
    "computes": lambda: (Computes(), [numbers(12)]),
}
