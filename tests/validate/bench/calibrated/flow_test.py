"""The whole flow with programs that measure nothing."""
import contextlib
import io
import json
import os
import tempfile
import unittest

from fixtures import load
from run import Ended, main

MACHINE = load("tests", "data", "profiles", "xeon-first.json")["cluster"]
CONTEXT = {
    "processor": "p", "kernels": "k", "communicator": "c", "compiler": "g", "build": "Release", "version": "1",
    "commit": "abc", "threads": "1", "date": "2026-11-22T12:00:00Z", "load": "0", "speed": "2",
}


def figure(number, **more):
    return {"value": number, "unit": "s", **more}


def comparison(strategy):
    part = {"predicted": figure(1.0, uncertainty=0.1), "measured": figure(1.0)}
    return {
        "schema": "oracle/comparison/1", "headline": "step measured 1 s", "promises": "kept", "strategy": strategy,
        "inside_interval": "yes", "step_p10": figure(1.0), "step_p90": figure(1.0), "context": CONTEXT,
        "parts": [{"part": name, **part} for name in ("forward", "backward", "update", "step")],
        "peak_memory": [{"predicted": figure(1), "measured": figure(1)}],
        "layers": [{"layer": "conv1", "predicted": figure(0.5), "measured": figure(0.5)}],
    }


class Stub:
    """Programs that leave their files behind; `ends`: how those end whose words hold a text."""

    untimed = "0"

    def __init__(self, **ends):
        self.calls, self.ends = [], ends

    def __call__(self, words):
        line = " ".join(words)
        self.calls.append(line)
        for text, end in self.ends.items():
            if text in line:
                return end
        words = [part for word in words for part in word.split("=", 1)]
        for option in ("-o", "--out"):
            if option in words:
                self.leave(words[words.index(option) + 1])
        if "estimate" in words:
            return Ended(0, json.dumps({"verdict": "fits", "step_time": figure(0.5)}), "")
        said = words[words.index("--strategy") + 1] if "validate" in words else "data:2,filter:2"
        return Ended(0, json.dumps(comparison(said)), "")

    def leave(self, path):
        measured = {"speed": "1; 2; 4", "cases untimed": self.untimed}
        for file in (path, path.replace(".json", ".samples.json")):
            with open(file, "w", encoding="utf-8") as out:
                json.dump({"cluster": MACHINE, "measured": measured}, out)

    def count(self, text):
        return sum(text in line for line in self.calls)


class Flow(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_with(self, stub, *words):
        """Exit code and what was said, of one network."""
        said = io.StringIO()
        words = ["--out", self.folder.name, "--networks", "alexnet", "--rates", "200mbit", *words]
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = main(words, stub)
        return code, said.getvalue()

    def results(self):
        return load(self.folder.name, "results.json")

    def test_help_names_what_can_be_asked_for(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), self.assertRaises(SystemExit):
            main(["--help"])
        self.assertIn("data:2; exchange=topk:1%", " ".join(said.getvalue().split()))

    def test_every_case_is_run_once(self):
        stub = Stub()
        code, said = self.run_with(stub)
        self.assertEqual(len(self.results()["runs"]), 9, said)
        self.assertEqual([stub.count(text) for text in (" validate ", "oracle-train", " compare ")], [7, 2, 2])
        self.assertEqual(stub.count(" estimate "), 2, "of hosts alone")
        self.assertEqual([stub.count("calibrate -o"), stub.count("calibrate --from")], [1, 1])
        self.assertNotIn("left_out", self.results())
        self.assertEqual(
            self.results()["command"], "validate/bench/calibrated.sh --full --networks alexnet --rates 200mbit"
        )
        self.assertEqual([(run["clock"], run["tries"]) for run in self.results()["runs"]], [(1.0, 1)] * 9)
        # All of ten runs inside of their intervals is more than nine in ten.
        self.assertEqual(code, 1)
        self.assertRegex(said, "inside the 90 % interval.* 9 +100.0 % +85 to 97 % +missed")

    def test_what_was_run_is_kept(self):
        self.run_with(Stub())
        stub = Stub()
        _, said = self.run_with(stub)
        self.assertEqual(stub.calls, [])
        self.assertIn("[9/9] alexnet.data2+height2.200mbit: step measured 1 s, kept", said)
        code, said = self.run_with(stub, "--quick")
        self.assertEqual((code, stub.calls), (2, []))
        self.assertIn("name another folder", said)

    def test_short_steps_are_more(self):
        words = ["--strategies", "data:2,data:2+filter:2", "--steps", "8", "--run-seconds"]
        for seconds, steps in (("10", 20), ("3", 8), ("100", 40)):
            stub, folder = Stub(), os.path.join(self.folder.name, seconds)
            self.run_with(stub, *words, seconds, "--out", folder)
            self.assertEqual([stub.count(f"--steps={steps} "), stub.count("--steps=")], [2, 2], stub.calls)
            self.assertIn(f"--steps 8 --run-seconds {seconds}", load(folder, "results.json")["command"])

    def test_hosts_share_this_machine(self):
        self.run_with(Stub(), "--strategies", "data:2+filter:2")
        with open(os.path.join(self.folder.name, "200mbit.cluster.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["ranks_per_device"], 4)

    def test_no_test_bed_is_said_and_tried_again(self):
        self.run_with(Stub(**{"testbed.sh": Ended(77, "skipped: network namespaces need root", "")}))
        left_out = self.results()["left_out"]
        self.assertEqual([one["why"] for one in left_out], ["skipped", "skipped"])
        self.assertEqual(left_out[0]["reason"], "links: network namespaces need root")
        self.run_with(Stub())
        self.assertNotIn("left_out", self.results())

    def test_a_strategy_that_cannot_be_taken_is_left_out_for_good(self):
        refusal = Ended(1, json.dumps({"verdict": "infeasible", "headline": "does not fit: channels"}), "")
        self.run_with(Stub(**{"validate alexnet": refusal}), "--strategies", "channel:2,data:2+filter:2")
        self.assertEqual([one["reason"] for one in self.results()["left_out"]], ["does not fit: channels"])
        stub = Stub()
        self.run_with(stub, "--strategies", "channel:2,data:2+filter:2")
        self.assertEqual(stub.calls, [])

    def test_a_run_that_fails_is_kept_with_what_it_said(self):
        ended = Ended(3, "", "--------\noracle: rank 1 was ended by signal 9\nat launch\n--------\n")
        code, _ = self.run_with(Stub(**{"validate alexnet": ended}), "--strategies", "data:2,data:2+filter:2")
        self.assertEqual(code, 1)
        self.assertEqual(
            self.results()["left_out"][0]["reason"], "exit code 3: oracle: rank 1 was ended by signal 9"
        )

    def test_a_launcher_has_its_say(self):
        self.run_with(Stub(**{"oracle-train": Ended(139, "", "rank 1 exited\n-----\n")}))
        self.assertEqual(self.results()["left_out"][0]["reason"], "exit code 139: rank 1 exited")

    def test_a_broken_promise_is_a_failure(self):
        broken = {**comparison("data:2"), "promises": "bytes differ"}
        self.run_with(
            Stub(**{"validate alexnet": Ended(1, json.dumps(broken), "")}), "--strategies", "data:2,data:2+filter:2"
        )
        self.assertEqual(self.results()["left_out"][0]["reason"], "a promise was not kept: bytes differ")

    def test_without_calibration_nothing_is_run(self):
        stub = Stub(calibrate=Ended(3, "", "oracle: no oneDNN\n"))
        code, said = self.run_with(stub)
        self.assertEqual((code, len(stub.calls)), (3, 1))
        self.assertIn("exit code 3: oracle: no oneDNN", said)

    def test_where_nothing_could_be_run_there_are_no_results(self):
        code, said = self.run_with(Stub(validate=Ended(3, "", "oracle: no")), "--strategies", "serial")
        self.assertEqual(code, 3)
        self.assertIn("not one run was measured", said)

    def test_exact_measures_each_cut_once(self):
        stub = Stub()
        self.run_with(stub, "--exact")
        self.assertEqual(stub.count("calibrate --for"), 6)
        self.assertEqual(stub.count("--strategy height:2 --batch 16"), 1)
        self.assertEqual(stub.count("oracle-bench-links"), 2)

    def test_exact_has_no_gaps(self):
        stub = Stub()
        stub.untimed = "3"
        self.run_with(stub, "--exact", "--strategies", "serial,data:2")
        record = load(self.folder.name, "runs", "alexnet.serial.json")
        self.assertIn("3 layers were not measured in 300 s", record["left_out"]["reason"])
        self.assertEqual(stub.count("calibrate --for"), 1)
        again = Stub()
        self.run_with(again, "--exact", "--strategies", "serial", "--seconds", "500")
        self.assertEqual(again.count("--seconds 500"), 1)

    def test_runs_of_two_commits_are_not_mixed(self):
        self.run_with(Stub(), "--strategies", "serial")
        path = os.path.join(self.folder.name, "runs", "alexnet.serial.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"abc"', '"def"'))
        code, said = self.run_with(Stub(), "--strategies", "serial,data:2")
        self.assertEqual(code, 2)
        self.assertIn("runs differ in commit: abc, def", said)


if __name__ == "__main__":
    unittest.main()
