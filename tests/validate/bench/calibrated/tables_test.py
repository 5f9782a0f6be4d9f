import unittest

from fixtures import SMALL, run, with_runs
from tables import full_list, judgement, readme_table


class Tables(unittest.TestCase):
    def test_a_row_for_each_machine_with_what_misses_its_target_in_bold(self):
        one = with_runs([run(1, 1)])
        other = with_runs([run(1, 1, strategy="filter:2"), run(3, 2)])
        head, _, limits, first, second = readme_table([("a", one), ("b", other)]).rstrip().split("\n")
        self.assertIn("| runs | exact shapes | one device, data | other strategies | worst | layers |", head)
        self.assertIn("|  | ≤ 5 % | ≤ 10 % | ≤ 20 % | ≤ 10 % |  | 85 to 97 % | ≥ 90 % |", limits)
        self.assertTrue(first.startswith("| a | quick | 2026-11-22 | 0123456 | 1 | – | 0.0 % | – | 0.0 % |"), first)
        self.assertIn("| 2 | – | **50.0 %** | 0.0 % | **50.0 %** |", second)

    def test_the_layers_of_one_host_have_their_own_column(self):
        cells = readme_table([("a", SMALL)]).rstrip().split("\n")[-1].split(" | ")
        self.assertEqual(cells[9:11], ["3.1 %", "6.2 %"])

    def test_every_run_is_listed(self):
        lines = full_list(SMALL)
        self.assertEqual(len(lines), 1 + len(SMALL["runs"]))
        self.assertRegex(lines[4], r"pipeline:2; micro_batches=8 +16 +1000\.0 ms +750\.0 ms ± 20 % +-25\.0 % +1\.00")

    def test_what_was_not_run_and_what_was_too_slow_is_said(self):
        lines = judgement(SMALL)
        self.assertIn("  - cosmoflow on 2 ranks: data:2 was ranked first of 2 and took 20.0 % longer than filter:2", lines)
        self.assertIn("  - cosmoflow data:2,height:2 at 200mbit: infeasible: does not fit: some reason", lines)

    def test_one_reason_is_one_sentence(self):
        left_out = [
            {"model": model, "strategy": "data:2,filter:2", "link": "1gbit", "why": "skipped", "reason": "no root"}
            for model in ("a", "b")
        ]
        lines = judgement(with_runs([run(1, 1)], left_out=left_out))
        self.assertEqual(lines[-1], "  - a data:2,filter:2 at 1gbit, b data:2,filter:2 at 1gbit: skipped: no root")


if __name__ == "__main__":
    unittest.main()
