#!/usr/bin/env python3
"""torch_step.py MODEL BATCH INPUT ASK ANSWER: the serial training step in PyTorch, step by step.

For each line "step" from the pipe ASK it trains one step in the default memory format and one in
channels-last, on one thread, and answers with both processor times. Networks as torchvision has
them; CosmoFlow as models/cosmoflow.json describes it. Exit code 1 where it does not know MODEL.
"""

import sys
import time

import torch
import torchvision
from torch import nn


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


def network(name, shape):
    if name == "cosmoflow":
        return cosmoflow(shape[1])
    if name in ("resnet50", "vgg16", "mobilenet_v2"):
        return getattr(torchvision.models, name)(weights=None)
    sys.exit(f"torch_step.py: no network called {name}")


class Step:
    def __init__(self, name, batch, shape, memory_format):
        torch.manual_seed(1)
        self.model = network(name, shape).train().to(memory_format=memory_format)
        self.images = torch.randn(batch, *shape).contiguous(memory_format=memory_format)
        if name == "cosmoflow":
            self.loss, self.targets = nn.MSELoss(), torch.rand(batch, 4)
        else:
            self.loss, self.targets = nn.CrossEntropyLoss(), torch.randint(1000, (batch,))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001, momentum=0.9)

    def seconds(self):
        start = time.process_time()
        self.optimizer.zero_grad(set_to_none=True)
        self.loss(self.model(self.images), self.targets).backward()
        self.optimizer.step()
        return time.process_time() - start


def main():
    name, batch, text, ask_file, answer_file = sys.argv[1:]
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    shape = [int(extent) for extent in text.split("x")]
    last = torch.channels_last_3d if len(shape) == 4 else torch.channels_last
    formats = {"default": torch.contiguous_format, "channels_last": last}
    steps = {key: Step(name, int(batch), shape, value) for key, value in formats.items()}
    # In the order in which the other side opens them.
    with open(ask_file) as ask, open(answer_file, "w") as answer:
        without = "" if torch.backends.mkldnn.is_available() else " without oneDNN"
        print(f"PyTorch {torch.__version__}{without}", file=answer, flush=True)
        for line in ask:
            if line.strip() != "step":
                sys.exit(f"torch_step.py: cannot {line.strip()}")
            words = [f"{key} {step.seconds():.9f}" for key, step in steps.items()]
            print(*words, file=answer, flush=True)


main()
