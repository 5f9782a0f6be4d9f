"""calibrated.sh [options]: calibrates this machine, predicts, trains and compares, network by network and strategy by
strategy, and judges the signed errors of the step, its parts and layers by the targets that a calibrated machine is to
meet. Exit code 1 where a target is missed. What --out holds already is not measured again, so a run that ended goes on
where it was. $ORACLE_BIN names the folder of the programs (build/bin).
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

from cases import ALL_HERE, ALL_HOSTS, NETWORKS, RATES, Refused, cases, in_a_list, name_of
from collect import as_text, results_of
from profiles import Failed, Profiles, write_whole
from programs import Programs
from runs import MOST_TIMES, Runs
from tables import full_list, judgement
from targets import all_met, targets
from testbed import HOSTS as HOST_COUNT

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))

Ended = collections.namedtuple("Ended", "code out err")


def parser():
    known = ",".join(in_a_list(strategy) for strategy in ALL_HERE + ALL_HOSTS).replace("%", "%%")
    made = argparse.ArgumentParser(prog="calibrated.sh", description=__doc__, allow_abbrev=False)
    grid = made.add_mutually_exclusive_group()
    for name, text in (
        ("quick", "calibrate in a minute, by a grid that holds no network's shapes on purpose"),
        ("full", "the same in ten minutes (default)"),
        ("exact", "measure the exact layer shapes of each network and strategy instead"),
    ):
        grid.add_argument(f"--{name}", dest="grid", action="store_const", const=name, help=text)
    made.set_defaults(grid="full")
    made.add_argument("--networks", metavar="A,B", help=f"of {','.join(NETWORKS)} (all)")
    made.add_argument("--strategies", metavar="S,T", help=f"of {known} (all)")
    made.add_argument("--rates", metavar="R,Q", help=f"of the links between hosts ({','.join(RATES)})")
    made.add_argument("--steps", metavar="N", type=int, default=6, help="of a run, the first not timed (6)")
    made.add_argument("--run-seconds", metavar="N", type=int, default=0,
                      help=f"more steps, {MOST_TIMES} times as many at most, of a run that is predicted to be shorter (0)")
    made.add_argument("--tries", metavar="N", type=int, default=3,
                      help="of a run, until the processor is as fast as it was calibrated (3)")
    made.add_argument("--seconds", metavar="N", type=int, default=300,
                      help="with --exact: for each network and strategy (300)")
    made.add_argument("--out", metavar="FOLDER", help="where all of it is kept, with results.json (nowhere)")
    made.add_argument("--list", action="store_true", help="name the runs and what is kept of each, and end")
    return made


def execute(words):
    """Runs a program, without our standard input. Throws Failed where there is none."""
    environment = {"ORACLE_DATA": ROOT, **os.environ}
    try:
        done = subprocess.run(
            words, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as problem:
        raise Failed(f"{words[0]} is not there; build it, or name the programs' folder in $ORACLE_BIN") from problem
    return Ended(done.returncode, done.stdout, done.stderr)


def hold_to(folder, asked):
    """A folder holds runs of one kind. Throws Refused where an earlier call asked for another."""
    path = os.path.join(folder, "asked.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            before = json.load(file)
        if before != asked:
            raise Refused(f"--out: {folder} holds runs of {before}, and {asked} was asked for; name another folder")
        return
    write_whole(path, json.dumps(asked) + "\n")


def said_of(record):
    if "left_out" in record:
        return f"{record['left_out']['why']}: {record['left_out']['reason']}"
    return record["comparison"]["headline"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def take_all(wanted, runs):
    """The records of all cases, of which those that are kept are not run. Throws Failed."""
    records = []
    for at, case in enumerate(wanted, 1):
        record = runs.kept(case)
        known = ", kept" if record else ""
        record = record or runs.take(case)
        say(f"[{at}/{len(wanted)}] {name_of(case)}: {said_of(record)}{known}")
        records.append(record)
    return records


def command_of(request):
    """As it would be typed again, but for where it is kept."""
    words = ["validate/bench/calibrated.sh", f"--{request.grid}"]
    for name in ("networks", "strategies", "rates", "steps", "run_seconds", "tries", "seconds"):
        if getattr(request, name) != parser().get_default(name):
            words += [f"--{name.replace('_', '-')}", str(getattr(request, name))]
    return " ".join(words)


def runs_in(folder, request, do):
    bin_folder = os.environ.get("ORACLE_BIN", os.path.join(ROOT, "build", "bin"))
    testbed = os.path.join(ROOT, "tests", "testbed", "testbed.sh")
    programs = Programs(bin_folder, testbed, HOST_COUNT, len(os.sched_getaffinity(0)))
    profiles = Profiles(folder, request.grid, request.seconds, programs, do)
    return Runs(folder, length_of(request), request.tries, programs, profiles, do)


def length_of(request):
    """Of a run: what is not asked for is not said."""
    length = {"steps": request.steps}
    return {**length, "run_seconds": request.run_seconds} if request.run_seconds else length


def listed(wanted, runs):
    for case in wanted:
        record = runs.kept(case)
        yield f"{name_of(case)}: {said_of(record) if record else 'to be run'}"


def measure(request, wanted, folder, do):
    """Everything that was asked for, as results. Throws Refused, Failed, OSError."""
    os.makedirs(folder, exist_ok=True)
    hold_to(folder, {"grid": request.grid, **length_of(request)})
    runs = runs_in(folder, request, do)

    def profile_named(name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return json.load(file)

    results = results_of(command_of(request), request.grid, take_all(wanted, runs), profile_named)
    write_whole(os.path.join(folder, "results.json"), as_text(results))
    return results


def answer(words, do):
    request = parser().parse_args(words)
    wanted = cases(request.networks, request.strategies, request.rates)
    if request.steps < 2:
        raise Refused("--steps: the first is not timed; ask for 2 at least")
    if request.tries < 1:
        raise Refused("--tries: each run is taken once at least")
    if request.list:
        print("\n".join(listed(wanted, runs_in(request.out or "", request, do))))
        return 0
    if request.out:
        results = measure(request, wanted, os.path.abspath(request.out), do)
    else:
        with tempfile.TemporaryDirectory() as folder:
            results = measure(request, wanted, folder, do)
    print("\n".join([*full_list(results), "", *judgement(results)]))
    return 0 if all_met(targets(results)) else 1


def main(words, do=execute):
    try:
        return answer(words, do)
    except Refused as problem:
        say(f"calibrated.sh: {problem}")
        return 2
    except (Failed, OSError) as problem:
        say(f"calibrated.sh: {problem}")
        return 3
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
