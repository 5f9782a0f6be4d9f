#!/usr/bin/env python3
"""Is the noise scale of gradients the critical batch? Trains a small network to a loss with every batch.

  critical_batch.py [--bin FOLDER] [--target 0.5] [--batches 8,16,32,64,128,256,512] [--rates 0.01,0.02,0.04,0.08,0.16]
                    [--samples 12288] [--seeds 5] [--markdown]

Of each batch the samples until the loss of the last 128 is no more than the target, at the rate of --rates that takes the
fewest. oracle budget fits its law to them (oracle/budget/convergence.h). Beside it the noise scale that oracle-train
measures while it trains to the target, with batches of 128 and quarters of them. Exit code 3 where a run failed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from small_runs import NETWORK, ROOT, Failed, add_options, listed, table, train

SMOOTH = 128  # samples
NOISE_BATCH = 128
HEAD = ["batch", "rate", "samples until the loss", "by seed", "law, more or less"]


def options():
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(made)
    made.add_argument("--target", type=float, default=0.5, help="loss (0.5)")
    made.add_argument("--batches", default="8,16,32,64,128,256,512", help="with commas, three or more")
    made.add_argument("--rates", default="0.01,0.02,0.04,0.08,0.16", help="that are tried, with commas")
    made.add_argument("--samples", type=int, default=12288, help="that a run sees at most (12288)")
    return made


def samples_until(losses, batch, target):
    """Of a run, None where it does not get there. Worked: 2 1 0 in batches of 128, target 1 → 256"""
    steps = max(1, SMOOTH // batch)
    for end in range(steps, len(losses) + 1):
        last = losses[end - steps:end]
        if None in last:
            return None
        if statistics.mean(last) <= target:
            return end * batch
    return None


def best_of(asked, batch, rates):
    """(rate, samples by seed); a rate with which a seed does not get there is none."""
    found = []
    for rate in rates:
        taken = []
        for seed in range(1, asked.seeds + 1):
            words = ["--batch", batch, "--steps", max(2, asked.samples // batch), "--rate", rate, "--seed", seed]
            losses = train(asked, f"batch {batch}, rate {rate}, seed {seed}", 1, words)["losses"]
            taken.append(samples_until(losses, batch, asked.target))
        if None not in taken:
            found.append((rate, taken))
    if not found:
        raise Failed(f"batch {batch}: no rate leads to a loss of {asked.target}; give more --samples, or other --rates")
    return min(found, key=lambda each: statistics.mean(each[1]))


def fitted(asked, best):
    """The law in words, and its error by batch."""
    points = [{"batch": batch, "data": statistics.mean(taken), "runs": len(taken), "source": "validate/bench/critical_batch.py"}
              for batch, (_, taken) in best.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "small.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"schema": "oracle/convergence/1", "networks": ["small"], "dataset": "generated", "metric": "loss",
                       "target": f"{asked.target:g}", "unit": "samples", "optimizer": "momentum", "source": "own runs",
                       "points": points}, file)
        words = [os.path.join(asked.bin, "oracle"), "budget", NETWORK, "--cluster", "here", "--gpus", "1", "--batch", "32",
                 "--convergence", path, "--format", "json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env={"ORACLE_DATA": ROOT, **os.environ})
    if done.returncode != 0:
        raise Failed(f"oracle budget: exit code {done.returncode}\n{done.stderr.strip()}")
    answer = json.loads(done.stdout)
    return answer["data_to_target"][0], [row["error"]["value"] for row in answer["convergence"]]


def noise_scale(asked, rate, samples):
    """Over all seeds: noise and signal are averaged, and then divided."""
    noise, signal = 0, 0
    for seed in range(1, asked.seeds + 1):
        words = ["--strategy", "serial; micro_batches=4", "--batch", NOISE_BATCH, "--steps", max(2, samples // NOISE_BATCH),
                 "--rate", rate, "--seed", seed, "--noise-scale"]
        measured = train(asked, f"noise scale, seed {seed}", 1, words)["noise_scale"]
        noise += measured["noise"]
        signal += measured["signal"]
    return noise / signal


def main(words):
    parser = options()
    asked = parser.parse_args(words)
    batches = listed(parser, "batches", asked.batches, int, "8,32,128")
    rates = listed(parser, "rates", asked.rates, float, "0.01,0.02")
    try:
        best = {batch: best_of(asked, batch, rates) for batch in sorted(batches)}
        law, errors = fitted(asked, best)
        rate, taken = best.get(NOISE_BATCH) or best_of(asked, NOISE_BATCH, rates)
        scale = noise_scale(asked, rate, int(statistics.mean(taken)))
    except Failed as failure:
        print(f"critical_batch: {failure}", file=sys.stderr)
        return 3
    rows = [[str(batch), f"{rate:g}", f"{statistics.mean(taken):,.0f}", f"{min(taken):,} to {max(taken):,}", f"{100 * error:+.0f} %"]
            for (batch, (rate, taken)), error in zip(best.items(), errors)]
    print(table(HEAD, rows, asked.markdown))
    print(f"\nlaw: {law}\nnoise scale: {scale:.1f} samples")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
