"""Worked numbers of the scripts behind tables of losses."""
import unittest

import batch_scaling
import critical_batch
import small_runs


class SmallRuns(unittest.TestCase):
    def test_the_final_loss_is_the_mean_of_the_last(self):
        self.assertEqual(small_runs.final_loss(list(range(20, 0, -1)), 10), 5.5)
        self.assertIsNone(small_runs.final_loss([3, 2, None], 2))
        self.assertEqual(small_runs.final_loss([None, 2, 4], 2), 3)

    def test_a_step_that_nothing_interrupts_is_one_of_the_fastest_tenth(self):
        self.assertEqual(batch_scaling.fastest_tenth(list(range(1, 12))), 2)
        self.assertEqual(batch_scaling.fastest_tenth([9] + list(range(1, 101))), 10)
        self.assertEqual(batch_scaling.fastest_tenth([9, 3, 2]), 2)

    def test_a_loss_is_reached_by_the_mean_of_the_last_samples(self):
        self.assertEqual(critical_batch.samples_until([2, 1, 0], 128, 1), 256)
        self.assertEqual(critical_batch.samples_until([2, 2, 0, 0], 64, 1), 192)
        self.assertIsNone(critical_batch.samples_until([2, None, 0], 128, 1))
        self.assertIsNone(critical_batch.samples_until([3, 2], 512, 1))

    def test_rates_grow_with_the_batch(self):
        self.assertEqual(batch_scaling.cases(1, 0.1, 400, 25), [(0.1, 0)])
        self.assertEqual(batch_scaling.cases(4, 0.1, 100, 25), [(0.1, 0), (0.4, 0), (0.4, 25)])
        self.assertEqual(batch_scaling.cases(16, 0.1, 3, 25)[2], (1.6, 1))

    def test_a_row_says_how_many_diverged(self):
        self.assertEqual(batch_scaling.row_of(128, 10, 0.4, 3, [0.5, 0.25]),
                         ["128", "10", "0.4", "3", "0.375", "0.250 to 0.500"])
        self.assertEqual(batch_scaling.row_of(128, 10, 0.4, 0, [0.5, None])[3:],
                         ["–", "1 diverged", "0.500 to 0.500"])


if __name__ == "__main__":
    unittest.main()
