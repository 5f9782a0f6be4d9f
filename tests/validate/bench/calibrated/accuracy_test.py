import unittest

from accuracy import KINDS, accuracy_table, kind_of, quantile
from fixtures import run, with_runs


def published(strategy, predicted, measured, uncertainty=0.2, of="judge"):
    return {
        "set": of,
        "strategy": strategy,
        "predicted": {"value": predicted, "uncertainty": uncertainty},
        "measured": {"value": measured},
    }


def rows(answer, named_results):
    return accuracy_table(answer, named_results).rstrip().split("\n")[2:]


class Accuracy(unittest.TestCase):
    def test_kinds_of_published_runs(self):
        self.assertEqual(kind_of("serial; fusion=off"), KINDS[0])
        self.assertEqual(kind_of("data:1024; overlap=off"), KINDS[1])
        for strategy in ("data:4,spatial:4", "conv*=filter:4; overlap=off", "conv*=data:4,channel:2; *=data:4,whole:2"):
            self.assertEqual(kind_of(strategy), KINDS[3])
        for strategy in ("tensor:8", "data:2,tensor_sequence:8; recompute=selective", "pipeline:8,tensor:8"):
            self.assertEqual(kind_of(strategy), KINDS[2])

    def test_the_quantile_is_that_of_the_engine(self):
        self.assertAlmostEqual(quantile([1, 2, 3, 4], 0.9), 3.7)

    def test_uncalibrated_by_kind(self):
        runs = [published("data:2", 0.9, 1), published("data:4", 0.5, 1), published("serial", 1, 1)]
        runs.append(published("serial", 2, 1, of="fit"))
        self.assertEqual(
            rows({"runs": runs}, []),
            [
                "| uncalibrated, one GPU | published runs | 1 | 0.0 % | 0.0 % | +0 % | ± 20 % | 100 % |",
                "| uncalibrated, data parallel | published runs | 2 | 30.0 % | 46.0 % | -50 % | ± 20 % | 50 % |",
            ],
        )

    def test_with_one_run_known(self):
        shares = {"with": 0.042, "p90": 0.23, "worst": -0.8, "half_width": 0.2, "coverage": 0.88}
        row = {key: {"value": value} for key, value in shares.items()} | {"set": "judge", "scale": "any", "runs": 9}
        self.assertEqual(
            rows({"runs": [], "with_one_run": [row | {"set": "fit"}, row, row | {"scale": "one node"}]}, []),
            ["| one run of the network known | published runs | 9 | 4.2 % | 23.0 % | -80 % | ± 20 % | 88 % |"],
        )

    def test_calibrated_by_machine(self):
        plain = run(1.1, 1, inside=False)
        other = run(0.9, 1, strategy="filter:2", inside=True)
        full, exact = with_runs([plain, other], grid="full"), with_runs([plain, other], grid="exact")
        self.assertEqual(
            rows({"runs": []}, [("m", full), ("m", exact)]),
            [
                "| calibrated, one device and data parallel | m | 1 | 10.0 % | 10.0 % | +10 % | ± 20 % | 0 % |",
                "| calibrated, other strategies | m | 1 | 10.0 % | 10.0 % | -10 % | ± 20 % | 100 % |",
                "| calibrated, exact layer shapes | m | 2 | 10.0 % | 10.0 % | +10 % | ± 20 % | 50 % |",
            ],
        )


if __name__ == "__main__":
    unittest.main()
