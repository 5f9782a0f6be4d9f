"""Which profile predicts a case, and what has to be measured for it first? What was measured before stays.

  grid    this machine once: kernels of a grid that holds no network's shapes, and its links
  exact   for each network and strategy, the exact layer shapes; links once
  hosts   the same kernels, with the links that were measured between the hosts of the test bed
"""
import json
import os

import testbed
from cases import file_word, measured_batch, shapes_of

NO_TESTBED = 77


class Failed(Exception):
    """A program that everything else stands on failed."""


class LeftOut(Exception):
    """A case is not run: `why` is "infeasible", "failed" or "skipped"."""

    def __init__(self, why, reason):
        super().__init__(reason)
        self.why, self.reason = why, reason


def write_whole(path, text):
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def reason_in(*texts):
    """What our programs and the test bed said; else the last words of whatever launched them."""
    lines = [line.strip() for text in texts for line in text.splitlines()]
    ours = [line for line in lines if line.startswith(("oracle", "skipped: "))]
    words = [line for line in lines if any(letter.isalpha() for letter in line)]
    said = list(dict.fromkeys(ours)) or words[-1:] or ["it said nothing"]
    return " / ".join(line.removeprefix("skipped: ") for line in said)


class Profiles:
    def __init__(self, folder, grid, seconds, programs, execute):
        self.folder, self.grid, self.programs, self.execute = folder, grid, programs, execute
        self.seconds = seconds  # for the layers of a network with one strategy
        self.left_out = {}  # links or kernels that could not be measured: why none of their cases can run

    def path(self, *parts):
        return os.path.join(self.folder, ".".join(filter(None, parts)))

    def name_for(self, case):
        """The file of the profile that predicts this case."""
        shapes = (case.model, file_word(shapes_of(case.strategy))) if self.grid == "exact" else ()
        return ".".join((*shapes, *filter(None, (case.link,)), "profile.json"))

    def made(self, case):
        """The path of that file, which is there afterwards. Throws Failed, LeftOut."""
        profile = self.path(self.name_for(case))
        kernels = self.kernels(case)
        if os.path.exists(profile):
            return profile
        links = self.links(case.link)
        cluster = self.cluster(case, kernels) if case.link else None
        self.must(self.programs.fit([kernels, links], cluster, profile))
        return profile

    def kernels(self, case):
        """Samples of kernels. The grid's come with a profile of this machine."""
        if self.grid != "exact":
            profile = self.path("profile.json")
            if not os.path.exists(profile):
                self.must(self.programs.calibrate_grid(self.grid, profile))
            return self.path("profile.samples.json")
        shapes = shapes_of(case.strategy)
        profile = self.path(case.model, file_word(shapes), "kernels.json")
        if profile in self.left_out:
            raise self.left_out[profile]
        if not os.path.exists(profile):
            self.must(self.programs.calibrate_exactly(case, shapes, measured_batch(case), self.seconds, profile))
            self.refuse_gaps(profile)
        return self.path(case.model, file_word(shapes), "kernels.samples.json")

    def refuse_gaps(self, profile):
        """Layers that had no turn are not measured exactly. Throws LeftOut, and the profile is made again next time."""
        with open(profile, encoding="utf-8") as file:
            untimed = json.load(file)["measured"].get("cases untimed", "0")
        if untimed != "0":
            os.remove(profile)
            reason = f"{untimed} layers were not measured in {self.seconds} s; give more --seconds"
            self.left_out[profile] = LeftOut("failed", reason)
            raise self.left_out[profile]

    def links(self, link):
        if link in self.left_out:
            raise self.left_out[link]
        samples = self.path(link or "machine", "links.json")
        if os.path.exists(samples):
            return samples
        ended = self.execute(self.programs.measure_links(self.grid, link, samples))
        if ended.code != 0:
            why = "skipped" if link and ended.code == NO_TESTBED else "failed"
            self.left_out[link] = LeftOut(why, f"links: {reason_in(ended.out, ended.err)}")
            raise self.left_out[link]
        return samples

    def cluster(self, case, kernels):
        """The description of the hosts: of the machine whose kernels were measured."""
        path = self.path(case.link, "cluster.json")
        if not os.path.exists(path):
            with open(kernels.replace(".samples.json", ".json"), encoding="utf-8") as file:
                machine = json.load(file)["cluster"]
            write_whole(path, json.dumps(testbed.description(machine, case.link), indent=1) + "\n")
        return path

    def must(self, words):
        ended = self.execute(words)
        if ended.code != 0:
            raise Failed(f"{' '.join(words)}: exit code {ended.code}: {reason_in(ended.out, ended.err)}")
