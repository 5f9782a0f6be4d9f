#!/usr/bin/env python3
"""What does an exchange of gradients cost in loss? Trains a small network by each, on ranks of this machine.

  exchange_losses.py [--bin FOLDER] [--steps 200] [--seeds 5] [--ranks 4] [--exchanges A,B] [--markdown]

Of each exchange and seed the mean loss of the last ten steps; synchronous training of the same seed is subtracted.
The data set is the generated one, the optimizer gradient descent. Exit code 3 where a run failed.
"""
import argparse
import statistics
import sys

from small_runs import Failed, add_options, final_loss, table, train

SYNCHRONOUS = "auto"
EXCHANGES = (SYNCHRONOUS, "bf16", "int8", "onebit", "topk:10%", "topk:1%", "gtopk:10%", "gtopk:1%", "sketch:1%", "local:4",
             "local:16", "servers:2", "servers:2; staleness=0", "servers:2; staleness=2", "servers:2; staleness=any")
LAST = 10
HEAD = ["`exchange=`", "loss", "more than synchronous", "by seed", "updates that a gradient is stale"]


def options():
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(made)
    made.add_argument("--steps", type=int, default=200, help="of each run (200)")
    made.add_argument("--ranks", type=int, default=4, help="data parallel (4)")
    made.add_argument("--batch", type=int, default=32, help="samples of a step (32)")
    made.add_argument("--rate", default="0.05", help="of gradient descent (0.05)")
    made.add_argument("--exchanges", help="with commas (all)")
    return made


def run(asked, exchange, seed):
    """Its final loss, and how stale gradients were, if they were."""
    words = ["--strategy", f"data:{asked.ranks}; exchange={exchange}", "--batch", asked.batch, "--steps", asked.steps,
             "--rate", asked.rate, "--optimizer", "sgd", "--seed", seed]
    result = train(asked, f"exchange={exchange}, seed {seed}", asked.ranks, words)
    loss = final_loss(result["losses"], LAST)
    if loss is None:
        raise Failed(f"exchange={exchange}, seed {seed}: diverged; give a lower --rate")
    return loss, result.get("staleness")


def row_of(exchange, losses, synchronous, stale):
    """Losses by seed."""
    more = [own - other for own, other in zip(losses, synchronous)]
    updates = statistics.mean(each["mean"] for each in stale) if stale else None
    return [f"`{exchange}`", f"{statistics.mean(losses):.3f}",
            "–" if exchange == SYNCHRONOUS else f"{statistics.mean(more):+.3f}",
            "–" if exchange == SYNCHRONOUS else f"{min(more):+.3f} to {max(more):+.3f}",
            "–" if updates is None else f"{updates:.1f}"]


def main(words):
    asked = options().parse_args(words)
    exchanges = [text.strip() for text in asked.exchanges.split(",")] if asked.exchanges else list(EXCHANGES)
    if SYNCHRONOUS not in exchanges:
        exchanges.insert(0, SYNCHRONOUS)
    rows, synchronous = [], []
    try:
        for exchange in exchanges:
            runs = [run(asked, exchange, seed) for seed in range(1, asked.seeds + 1)]
            losses = [loss for loss, _ in runs]
            if exchange == SYNCHRONOUS:
                synchronous = losses
            rows.append(row_of(exchange, losses, synchronous, [stale for _, stale in runs if stale]))
    except Failed as failure:
        print(f"exchange_losses: {failure}", file=sys.stderr)
        return 3
    print(table(HEAD, rows, asked.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
