#!/usr/bin/env python3
"""torch_step.py MODEL BATCH INPUT ASK ANSWER: the serial training step in PyTorch, step by step.

For each line "step" from the pipe ASK it trains one step in the default memory format and one in
channels-last, on one thread, and answers with both processor times. Exit code 1 where it does not
know MODEL (torch_networks.py).
"""

import sys
import time

import torch
from torch_networks import channels_last, loss_and_targets, network


class Step:
    def __init__(self, name, batch, shape, memory_format):
        torch.manual_seed(1)
        model = network(name, shape)
        if model is None:
            sys.exit(f"torch_step.py: no network called {name}")
        self.model = model.train().to(memory_format=memory_format)
        self.images = torch.randn(batch, *shape).contiguous(memory_format=memory_format)
        self.loss, self.targets = loss_and_targets(name, batch)
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
    formats = {"default": torch.contiguous_format, "channels_last": channels_last(shape)}
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
