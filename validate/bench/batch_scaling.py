#!/usr/bin/env python3
"""What does a larger batch cost in loss, and what do learning rates do about it? Trains a small network at each.

  batch_scaling.py [--bin FOLDER] [--samples 16384] [--batch 32] [--rates 0.005,0.01] [--times 1,4,16] [--warm-up 25]
                   [--seeds 5] [--ranks 2] [--optimizer momentum] [--markdown]

Every run sees the same samples, in steps of --batch times 1, 4 and 16. A rate of --rates stays as it is, or grows with the
batch, from the first step on or after a warm-up of so many percent of the steps. Of each the mean loss of the last
samples, as many as are in four steps of the largest batch, none of which was seen before; and samples a second in the
fastest tenth of the steps of a run, of all runs with the batch the least interrupted. Exit code 3 where a run failed.
"""
import argparse
import statistics
import sys

from small_runs import Failed, add_options, final_loss, listed, table, train

LAST = 4  # steps of the largest batch
HEAD = ["batch", "steps", "rate", "warm-up", "loss", "by seed", "samples/s"]


def options():
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_options(made)
    made.add_argument("--samples", type=int, default=16384, help="that every run sees (16384)")
    made.add_argument("--batch", type=int, default=32, help="that the rates are of (32)")
    made.add_argument("--rates", default="0.005,0.01", help="at that batch, with commas (0.005,0.01)")
    made.add_argument("--times", default="1,4,16", help="that batch, with commas (1,4,16)")
    made.add_argument("--warm-up", type=int, default=25, help="percent of the steps (25)")
    made.add_argument("--ranks", type=int, default=2, help="data parallel (2)")
    made.add_argument("--optimizer", default="momentum", help="of oracle-train (momentum)")
    return made


def fastest_tenth(seconds):
    """Seconds that one step in ten stays within. Worked: 1 to 11 s, the first not counted → 2 s"""
    return sorted(seconds[1:])[(len(seconds) - 1) // 10 - 1 if len(seconds) > 10 else 0]


def cases(times, rate, steps, warm_up):
    """(rate, steps to warm up) at a batch so many times the first. Worked: 4, 0.1, 100, 25 → (0.1, 0), (0.4, 0), (0.4, 25)"""
    if times == 1:
        return [(rate, 0)]
    return [(rate, 0), (rate * times, 0), (rate * times, max(1, steps * warm_up // 100))]


def row_of(batch, steps, rate, warm_up, losses):
    """Losses by seed; None where training diverged."""
    left = [loss for loss in losses if loss is not None]
    loss = f"{statistics.mean(left):.3f}" if len(left) == len(losses) else f"{len(losses) - len(left)} diverged"
    spread = f"{min(left):.3f} to {max(left):.3f}" if left else "–"
    return [str(batch), str(steps), f"{rate:g}", str(warm_up) if warm_up else "–", loss, spread]


def rows_of(asked, base, times, most, speeds):
    """Adds samples a second to those of the batch."""
    batch = asked.batch * times
    steps = asked.samples // batch
    last = LAST * asked.batch * most // batch
    rows = []
    for rate, warm_up in cases(times, base, steps, asked.warm_up):
        losses = []
        for seed in range(1, asked.seeds + 1):
            words = ["--strategy", f"data:{asked.ranks}", "--batch", batch, "--steps", steps, "--rate", f"{rate:g}",
                     "--rate-warmup", warm_up, "--optimizer", asked.optimizer, "--seed", seed]
            result = train(asked, f"batch {batch}, rate {rate:g}, seed {seed}", asked.ranks, words)
            losses.append(final_loss(result["losses"], last))
            speeds.append(batch / fastest_tenth(result["step_seconds"]))
        rows.append(row_of(batch, steps, rate, warm_up, losses))
    return rows


def main(words):
    parser = options()
    asked = parser.parse_args(words)
    all_times = listed(parser, "times", asked.times, int, "1,4,16")
    rates = listed(parser, "rates", asked.rates, float, "0.005,0.01")
    most = max(all_times)
    if min(all_times) < 1 or asked.samples // (asked.batch * most) < 2:
        parser.error(f"--samples: {asked.samples} are not two steps of {asked.batch * most}; give more")
    rows, speeds = [], {times: [] for times in all_times}
    try:
        for base in rates:
            for times in all_times:
                rows += [(times, row) for row in rows_of(asked, base, times, most, speeds[times])]
    except Failed as failure:
        print(f"batch_scaling: {failure}", file=sys.stderr)
        return 3
    print(table(HEAD, [[*row, f"{max(speeds[times]):,.0f}"] for times, row in rows], asked.markdown))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
