"""Runs of a small network on ranks of this machine, for tables of validate/README.md.

The data set is the generated one, of which every step sees samples that none has seen before: its losses are those of
unseen samples.
"""
import json
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NETWORK = os.path.join(HERE, "small_network.json")


class Failed(Exception):
    """A run did not end as it should."""


def add_options(parser):
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"), help="where the programs are (build/bin)")
    parser.add_argument("--seeds", type=int, default=5, help="from 1 (5)")
    parser.add_argument("--markdown", action="store_true", help="the table of validate/README.md")


def listed(parser, name, text, kind, example):
    """Numbers with commas between them, of an option."""
    try:
        return [kind(each) for each in text.split(",")]
    except ValueError:
        parser.error(f"--{name}: \"{text}\" is not a list of numbers; write {example}")


def train(asked, name, ranks, words):
    """What oracle-train keeps of a run with `words`; `name` says which one failed."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run.json")
        start = ["mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
        if os.geteuid() == 0:
            start.append("--allow-run-as-root")
        start += ["-np", str(ranks), os.path.join(asked.bin, "oracle-train"), NETWORK, "--out", out]
        done = subprocess.run(start + [str(word) for word in words], capture_output=True, text=True, check=False,
                              env={"ORACLE_DATA": ROOT, "OMP_NUM_THREADS": "1", **os.environ})
        if done.returncode != 0:
            raise Failed(f"{name}: exit code {done.returncode}\n{done.stderr.strip()}")
        with open(out, encoding="utf-8") as file:
            return json.load(file)


def final_loss(losses, steps):
    """Of the last so many steps, the mean; None where training diverged. Worked: 20 ... 1, 10 steps → 5.5"""
    last = losses[-steps:]
    return None if None in last else statistics.mean(last)


def table(head, rows, markdown):
    if markdown:
        return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])
    width = [max(len(row[c]) for row in [head, *rows]) for c in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, width)).rstrip() for row in [head, *rows])
