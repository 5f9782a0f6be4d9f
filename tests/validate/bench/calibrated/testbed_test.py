import unittest

from fixtures import load
from testbed import description, rail_of

MACHINE = load("tests", "data", "profiles", "xeon-first.json")["cluster"]


class Testbed(unittest.TestCase):
    def test_all_hosts_share_one_machine_and_each_has_its_rail(self):
        made = description(MACHINE, "200mbit")
        self.assertEqual(made["ranks_per_device"], 4)
        self.assertEqual(made["device"], MACHINE["device"])
        uplink = made["levels"][0]["uplink"]
        self.assertEqual((uplink["bandwidth"], uplink["rails"]), ("800 Mbit/s", 4))

    def test_each_figure_has_its_source(self):
        made = description(MACHINE, "1gbit")
        figures = {figure for source in made["sources"] for figure in source["figures"]}
        self.assertEqual(figures, {f"network/{name}" for name in ("units", "bandwidth", "rails", "latency")})

    def test_rates(self):
        self.assertEqual(rail_of("1gbit"), (1.0, "Gbit/s"))
        self.assertEqual(rail_of("64kbit"), (64.0, "kbit/s"))


if __name__ == "__main__":
    unittest.main()
