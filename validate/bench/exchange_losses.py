#!/usr/bin/env python3
"""What does an exchange of gradients cost in loss? Trains a small network by each, on ranks of this machine.

  exchange_losses.py [--bin FOLDER] [--steps 200] [--seeds 5] [--ranks 4] [--exchanges A,B] [--markdown]

Of each exchange and seed the mean loss of the last ten steps; synchronous training of the same seed is subtracted.
The data set is the generated one, the optimizer gradient descent. Exit code 3 where a run failed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SYNCHRONOUS = "auto"
EXCHANGES = (SYNCHRONOUS, "bf16", "int8", "onebit", "topk:10%", "topk:1%", "gtopk:10%", "gtopk:1%", "sketch:1%", "local:4",
             "local:16", "servers:2", "servers:2; staleness=0", "servers:2; staleness=2", "servers:2; staleness=any")
LAST = 10


def options():
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"), help="where the programs are (build/bin)")
    made.add_argument("--steps", type=int, default=200, help="of each run (200)")
    made.add_argument("--seeds", type=int, default=5, help="from 1 (5)")
    made.add_argument("--ranks", type=int, default=4, help="data parallel (4)")
    made.add_argument("--batch", type=int, default=32, help="samples of a step (32)")
    made.add_argument("--rate", default="0.05", help="of gradient descent (0.05)")
    made.add_argument("--exchanges", help="with commas (all)")
    made.add_argument("--markdown", action="store_true", help="the table of validate/README.md")
    return made


class Failed(Exception):
    """A run did not end as it should."""


def run(asked, exchange, seed):
    """Its losses by step, and how stale gradients were, if they were."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        words = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        if os.geteuid() == 0:
            words.append("--allow-run-as-root")
        words += ["-np", str(asked.ranks), os.path.join(asked.bin, "oracle-train"),
                  os.path.join(HERE, "exchange_losses.json"), "--strategy", f"data:{asked.ranks}; exchange={exchange}",
                  "--batch", str(asked.batch), "--steps", str(asked.steps), "--rate", asked.rate, "--optimizer", "sgd",
                  "--seed", str(seed), "--out", out]
        done = subprocess.run(words, capture_output=True, text=True, check=False,
                              env={"ORACLE_DATA": ROOT, "OMP_NUM_THREADS": "1", **os.environ})
        if done.returncode != 0:
            raise Failed(f"exchange={exchange}, seed {seed}: exit code {done.returncode}\n{done.stderr.strip()}")
        with open(out, encoding="utf-8") as file:
            result = json.load(file)
    return result["losses"], result.get("staleness")


def final_loss(losses):
    """Of the last ten steps, the mean. Worked: 20 ... 1 → 5.5"""
    last = losses[-LAST:]
    return sum(last) / len(last)


def row_of(exchange, losses, synchronous, stale):
    """Losses by seed."""
    more = [own - other for own, other in zip(losses, synchronous)]
    updates = statistics.mean(each["mean"] for each in stale) if stale else None
    return [f"`{exchange}`", f"{statistics.mean(losses):.3f}",
            "–" if exchange == SYNCHRONOUS else f"{statistics.mean(more):+.3f}",
            "–" if exchange == SYNCHRONOUS else f"{min(more):+.3f} to {max(more):+.3f}",
            "–" if updates is None else f"{updates:.1f}"]


HEAD = ["`exchange=`", "loss", "more than synchronous", "by seed", "updates that a gradient is stale"]


def table(rows, markdown):
    if markdown:
        return "\n".join("| " + " | ".join(row) + " |" for row in [HEAD, ["---"] * len(HEAD), *rows])
    width = [max(len(row[c]) for row in [HEAD, *rows]) for c in range(len(HEAD))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, width)).rstrip() for row in [HEAD, *rows])


def main(words):
    asked = options().parse_args(words)
    exchanges = [text.strip() for text in asked.exchanges.split(",")] if asked.exchanges else list(EXCHANGES)
    if SYNCHRONOUS not in exchanges:
        exchanges.insert(0, SYNCHRONOUS)
    rows, synchronous = [], []
    try:
        for exchange in exchanges:
            runs = [run(asked, exchange, seed) for seed in range(1, asked.seeds + 1)]
            losses = [final_loss(each) for each, _ in runs]
            if exchange == SYNCHRONOUS:
                synchronous = losses
            rows.append(row_of(exchange, losses, synchronous, [stale for _, stale in runs if stale]))
    except Failed as failure:
        print(f"exchange_losses: {failure}", file=sys.stderr)
        return 3
    print(table(rows, asked.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
