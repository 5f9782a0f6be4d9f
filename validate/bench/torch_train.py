#!/usr/bin/env python3
"""torch_train.py MODEL --batch B [--input CxHxW] [--device cuda|cpu] ... --out FILE: training steps in PyTorch.

Momentum, one batch of random samples that lies on the device. Each step is timed to the end of the device's work; its
phases by events of the device's stream (on a processor by the clock). The peak of memory is the caching allocator's.
Exit code 2 where it does not know MODEL, 3 where the device is missing or its memory does not suffice.
"""

import argparse
import contextlib
import json
import statistics
import sys
import time

import torch
from torch_networks import channels_last, input_of, loss_and_targets, network

PHASES = ("forward", "backward", "update")
AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}


def words():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--input", help="extents of a sample (the network's own)")
    parser.add_argument("--device", choices=("cuda", "gpu", "cpu"), default="cuda")
    parser.add_argument("--format", choices=("default", "channels_last"), default="channels_last")
    parser.add_argument("--precision", choices=("fp32", "tf32", *AUTOCAST), default="fp32")
    parser.add_argument("--benchmark", choices=("on", "off"), default="on", help="cudnn.benchmark")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=5, help="steps that are not timed")
    parser.add_argument("--threads", type=int, default=1, help="of a processor")
    parser.add_argument("--out", required=True)
    given = parser.parse_args()
    if given.batch < 1 or not 0 <= given.warmup < given.steps:
        parser.error("--batch is 1 at least, and --warmup less than --steps")
    return given


class Clock:
    """Marks in the order of the device's work, and the seconds between them."""

    def __init__(self, device):
        self.on_gpu = device == "cuda"

    def mark(self):
        if not self.on_gpu:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, begin, end):
        return begin.elapsed_time(end) / 1e3 if self.on_gpu else end - begin

    def wait(self):
        if self.on_gpu:
            torch.cuda.synchronize()


class Training:
    def __init__(self, given, device, shape):
        torch.manual_seed(1)
        layout = channels_last(shape) if given.format == "channels_last" else torch.contiguous_format
        self.model = network(given.model, shape).train().to(device, memory_format=layout)
        self.images = torch.randn(given.batch, *shape, device=device).contiguous(memory_format=layout)
        self.loss, targets = loss_and_targets(given.model, given.batch)
        self.targets = targets.to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.001, momentum=0.9)
        half = AUTOCAST.get(given.precision)
        self.autocast = (lambda: torch.autocast(device, half)) if half else contextlib.nullcontext
        scaled = given.precision == "fp16" and device == "cuda"
        self.scaler = torch.cuda.amp.GradScaler() if scaled else None
        self.clock = Clock(device)

    def step(self):
        """Seconds of the step, and of each of its phases."""
        self.clock.wait()
        start = time.perf_counter()
        marks = [self.clock.mark()]
        self.optimizer.zero_grad(set_to_none=True)
        with self.autocast():
            loss = self.loss(self.model(self.images), self.targets)
        marks.append(self.clock.mark())
        (self.scaler.scale(loss) if self.scaler else loss).backward()
        marks.append(self.clock.mark())
        if self.scaler:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            self.optimizer.step()
        marks.append(self.clock.mark())
        self.clock.wait()
        took = time.perf_counter() - start
        return took, [self.clock.seconds(begin, end) for begin, end in zip(marks, marks[1:])]


def prepare(given, device):
    torch.set_num_threads(given.threads)
    tf32 = given.precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = given.benchmark == "on"
    if device == "cuda" and not torch.cuda.is_available():
        print("torch_train.py: PyTorch sees no GPU", file=sys.stderr)
        sys.exit(3)


def result_of(given, device, shape, steps):
    on_gpu = device == "cuda"
    kept = steps[given.warmup :]
    return {
        "schema": "oracle/torch/1",
        "model": given.model,
        "input": "x".join(map(str, shape)),
        "batch": given.batch,
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "torch": torch.__version__,
        "cudnn": torch.backends.cudnn.version() if on_gpu else None,
        "format": given.format,
        "precision": given.precision,
        "benchmark": given.benchmark == "on",
        "threads": given.threads,
        "steps": given.steps,
        "warm_up": given.warmup,
        "step_seconds": [seconds for seconds, _ in steps],
        "median_step_seconds": statistics.median(seconds for seconds, _ in kept),
        "phase_seconds": {
            name: statistics.median(phases[i] for _, phases in kept) for i, name in enumerate(PHASES)
        },
        "peak_memory_bytes": torch.cuda.max_memory_allocated() if on_gpu else None,
        "reserved_memory_bytes": torch.cuda.max_memory_reserved() if on_gpu else None,
    }


def main():
    given = words()
    device = "cpu" if given.device == "cpu" else "cuda"
    shape = tuple(map(int, given.input.split("x"))) if given.input else input_of(given.model)
    prepare(given, device)
    if network(given.model, shape) is None:
        print(f"torch_train.py: PyTorch has no network called {given.model}", file=sys.stderr)
        return 2
    try:
        training = Training(given, device, shape)
        steps = [training.step() for _ in range(given.steps)]
    except RuntimeError as error:
        if "out of memory" not in str(error):
            raise
        print(f"torch_train.py: {str(error).splitlines()[0]}", file=sys.stderr)
        return 3
    with open(given.out, "w", encoding="utf-8") as file:
        json.dump(result_of(given, device, shape, steps), file, indent=1)
        file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
