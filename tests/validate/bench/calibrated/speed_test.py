"""Runs at another speed than the calibration's are taken again."""
import unittest

from speed import at_speed, clock_of

PROFILE = {"measured": {"speed": "1; 2; 4"}}


def comparison(speed):
    return {"context": {"speed": speed} if speed else {}}


class Speed(unittest.TestCase):
    def taken(self, *speeds, profile=None):
        """The speed of the run that is kept of those, and how many were taken."""
        runs = iter([comparison(speed) for speed in speeds])
        kept, tries = at_speed(lambda: next(runs), profile or PROFILE, 3)
        return kept["context"].get("speed"), tries

    def test_the_clock_is_relative_to_the_median_of_the_calibration(self):
        self.assertEqual(clock_of(comparison("1.5"), PROFILE), 0.75)

    def test_a_run_at_speed_is_kept(self):
        self.assertEqual(self.taken("1.92"), ("1.92", 1))
        self.assertEqual(self.taken("2.08"), ("2.08", 1))

    def test_slow_and_fast_runs_are_taken_again(self):
        self.assertEqual(self.taken("1.8", "2.0"), ("2.0", 2))
        self.assertEqual(self.taken("2.2", "1.5", "1.95"), ("1.95", 3))

    def test_after_three_the_nearest_is_kept(self):
        self.assertEqual(self.taken("1.5", "1.8", "1.6", "2.0"), ("1.8", 3))

    def test_where_nobody_says_a_run_is_as_it_should_be(self):
        self.assertEqual(self.taken(None), (None, 1))
        self.assertEqual(self.taken("1.0", profile={"measured": {}}), ("1.0", 1))


if __name__ == "__main__":
    unittest.main()
