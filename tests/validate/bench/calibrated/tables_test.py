import unittest

from fixtures import SMALL, load, run, with_runs
from tables import full_list, judgement, pivot, readme_tables


class Tables(unittest.TestCase):
    def test_networks_by_strategies(self):
        self.assertEqual(
            pivot([r for r in SMALL["runs"] if "link" not in r]),
            [
                "| network | serial | data:2 | filter:2 | pipeline:2 |",
                "| --- | ---: | ---: | ---: | ---: |",
                "| alexnet 3x224x224 | +0.0 % | -6.2 % | +16.7 % | **-25.0 %** |",
                "| cosmoflow 4x64x64x64 | +0.0 % | **-33.3 %** | +0.0 % | – |",
                "| median, unsigned | 0.0 % | 19.8 % | 8.3 % | 25.0 % |",
            ],
        )

    def test_rates_in_their_order(self):
        runs = [run(1, 1, link=link, strategy="data:2,filter:2") for link in ("1gbit", "200mbit")]
        self.assertEqual(pivot(runs)[0], "| network | data:2,filter:2 200mbit | data:2,filter:2 1gbit |")

    def test_readme(self):
        text = readme_tables([SMALL])
        self.assertIn("| step, worst | 10 | 33.3 % | at most 20 % | missed |", text)
        self.assertIn("- cosmoflow on 2 ranks: data:2 was told", text)
        self.assertIn("- cosmoflow data:2,height:2 at 200mbit: infeasible: does not fit: some reason", text)

    def test_the_overview_has_the_newest_first_and_what_is_missed_in_bold(self):
        older = with_runs([{**run(1, 1), "date": "2026-01-01T00:00:00Z"}])
        newer = with_runs([{**run(1, 1, strategy="filter:2"), "date": "2026-01-02T03:04:00Z"}, run(3, 2)])
        head, _, first, second = readme_tables([older, newer]).split("\n\n")[0].split("\n")
        self.assertIn("| runs | exact | serial, data | others | worst | layers | here | inside | choice |", head)
        self.assertTrue(first.startswith("| 2026-01-02 03:04 |"))
        self.assertIn("| 2 | – | **50.0 %** | 0.0 % | **50.0 %** |", first)
        self.assertTrue(second.startswith("| 2026-01-01 00:00 |"))

    def test_every_run_is_listed(self):
        lines = full_list(SMALL)
        self.assertEqual(len(lines), 1 + len(SMALL["runs"]))
        self.assertRegex(lines[4], r"pipeline:2; micro_batches=8 +16 +1000\.0 ms +750\.0 ms ± 20 % +-25\.0 % +1\.00")

    def test_one_reason_is_told_once(self):
        left_out = [
            {"model": model, "strategy": "data:2,filter:2", "link": "1gbit", "why": "skipped", "reason": "no root"}
            for model in ("a", "b")
        ]
        lines = judgement(with_runs([run(1, 1)], left_out=left_out))
        self.assertEqual(lines[-1], "  - a data:2,filter:2 at 1gbit, b data:2,filter:2 at 1gbit: skipped: no root")

    def test_results_of_before_other_strategies_are_read(self):
        old = load("data", "results", "xeon-2026-11-22-quick.json")
        self.assertIn("| network | serial | data:2 |", readme_tables([old]))


if __name__ == "__main__":
    unittest.main()
