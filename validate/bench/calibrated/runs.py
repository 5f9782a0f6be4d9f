"""How is one case predicted and run, and what is kept of it?

A record is {"case", "profile", "comparison", "tries"} of what was run, {"case", "left_out"} of what was not. A run while
the processor was slower or faster than in the calibration is taken again (speed.py), and counted. On this machine
`oracle validate` does all of it; on hosts a prediction, a run and their comparison are three programs, as on a cluster.
"""
import json
import os

from cases import name_of
from profiles import NO_TESTBED, LeftOut, reason_in, write_whole
from speed import at_speed


def answer_of(ended):
    """What a program answered in JSON; nothing where it did not."""
    try:
        return json.loads(ended.out)
    except ValueError:
        return {}


def refuse(answer):
    """Throws LeftOut where the strategy cannot be taken."""
    if answer.get("verdict") == "infeasible":
        raise LeftOut("infeasible", answer["headline"])


def comparison_of(ended):
    """Throws LeftOut where there is none, or one of a run that broke a promise."""
    answer = answer_of(ended)
    refuse(answer)
    if answer.get("schema") != "oracle/comparison/1":
        raise LeftOut("failed", f"exit code {ended.code}: {reason_in(ended.out, ended.err)}")
    if answer["promises"] != "kept":
        raise LeftOut("failed", f"a promise was not kept: {answer['promises']}")
    return answer


# As many as a run takes of short steps, at most.
MOST_TIMES = 5


def steps_of(length, step_seconds):
    """Worked: 8 steps, or of 0.5 s as many as are over in 15 s: 30."""
    steps = length["steps"]
    within = int(length.get("run_seconds", 0) / step_seconds)
    return max(steps, min(within, MOST_TIMES * steps))


class Runs:
    """`length`: {"steps"} of a run, and {"run_seconds"} that it may take for more of them."""

    def __init__(self, folder, length, tries, programs, profiles, execute):
        self.folder, self.length, self.tries = folder, length, tries
        self.programs, self.profiles, self.execute = programs, profiles, execute

    def record_path(self, case):
        return os.path.join(self.folder, "runs", name_of(case) + ".json")

    def kept(self, case):
        """The record of an earlier call. What failed or was skipped then may succeed now."""
        if not os.path.exists(self.record_path(case)):
            return None
        with open(self.record_path(case), encoding="utf-8") as file:
            record = json.load(file)
        why = record.get("left_out", {}).get("why")
        return None if why in ("failed", "skipped") else record

    def take(self, case):
        """Runs the case and keeps its record. Throws Failed where calibration does."""
        record = {"case": case._asdict()}
        try:
            profile = self.profiles.made(case)
            record["profile"] = os.path.basename(profile)
            run = self.on_hosts if case.link else self.here
            # Hosts share cores, and a probe sees their turns as well as the clock.
            tries = 1 if case.link else self.tries
            with open(profile, encoding="utf-8") as file:
                calibrated = json.load(file)
            record["comparison"], record["tries"] = at_speed(lambda: run(case, profile), calibrated, tries)
        except LeftOut as reason:
            record["left_out"] = {"why": reason.why, "reason": reason.reason}
        os.makedirs(os.path.join(self.folder, "runs"), exist_ok=True)
        write_whole(self.record_path(case), json.dumps(record) + "\n")
        return record

    def predicted(self, case, profile):
        """The prediction as it was written, and how many steps the run takes."""
        ended = self.execute(self.programs.estimate(case, profile))
        answer = answer_of(ended)
        refuse(answer)
        if ended.code != 0:
            raise LeftOut("failed", reason_in(ended.err))
        return ended.out, steps_of(self.length, answer["step_time"]["value"])

    def here(self, case, profile):
        # `oracle validate` predicts the step itself; how long it takes is asked where that decides how many there are.
        steps = self.predicted(case, profile)[1] if "run_seconds" in self.length else self.length["steps"]
        return comparison_of(self.execute(self.programs.validate(case, profile, steps)))

    def on_hosts(self, case, profile):
        stem = os.path.join(self.folder, name_of(case))
        text, steps = self.predicted(case, profile)
        write_whole(stem + ".prediction.json", text)
        ran = self.execute(self.programs.train_on_hosts(case, profile, steps, stem + ".run.json"))
        if ran.code == NO_TESTBED:
            raise LeftOut("skipped", reason_in(ran.out))
        if ran.code != 0:
            raise LeftOut("failed", f"exit code {ran.code}: {reason_in(ran.out, ran.err)}")
        return comparison_of(self.execute(self.programs.compare(stem + ".prediction.json", stem + ".run.json")))
