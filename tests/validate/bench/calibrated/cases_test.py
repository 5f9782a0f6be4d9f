import unittest

from cases import Refused, cases, measured_batch, name_of, ranks_of, shapes_of


class Cases(unittest.TestCase):
    def test_all_of_them(self):
        found = cases()
        self.assertEqual(len([case for case in found if not case.link]), 6 * 7 + 11 + 7 + 8 + 10)
        self.assertEqual(len([case for case in found if case.link]), 6 * 2 * 2 + 2 * 10)
        self.assertEqual(len({name_of(case) for case in found}), len(found))

    def test_strategies_of_as_many_ranks_share_a_batch(self):
        batches = {(case.model, case.ranks, case.batch) for case in cases()}
        self.assertEqual(len(batches), 6 * 3 + 3 * 2)
        self.assertIn(("vgg16", 4, 8), batches)

    def test_transformers_have_strategies_of_their_own(self):
        texts = [case.strategy for case in cases("gpt_tiny")]
        self.assertIn("context:2", texts)
        self.assertNotIn("height:2", texts)
        self.assertEqual([case.strategy for case in cases("gpt_tiny,resnet50", "height:2", "1gbit") if not case.link],
                         ["height:2"])
        self.assertEqual([case.model for case in cases("moe_tiny,vit_tiny", "expert:2")], ["moe_tiny"])
        self.assertEqual(name_of(cases("gpt_tiny", "data:2; zero=1")[0]), "gpt_tiny.data2+zero1")

    def test_some_of_them(self):
        found = cases("alexnet", "data:2+filter:2,serial", "50mbit")
        names = [name_of(case) for case in found]
        self.assertEqual(names, ["alexnet.serial", "alexnet.data2+filter2.50mbit"])

    def test_what_is_not_known_is_refused_with_what_is(self):
        for words in (("vgg",), (None, "data:4"), (None, None, "fast"), (None, None, "0mbit")):
            with self.assertRaises(Refused):
                cases(*words)
        with self.assertRaisesRegex(Refused, '--networks: "vgg" is none; known are resnet50, vgg16'):
            cases("resnet50,vgg")

    def test_ranks(self):
        self.assertEqual([ranks_of(text) for text in ("serial", "data:2", "data:2,filter:3")], [1, 2, 6])

    def test_exchanges_are_of_data_parallel_ranks(self):
        served = cases("resnet50", "data:2; exchange=servers:2; staleness=any")[0]
        self.assertEqual((served.ranks, served.batch, shapes_of(served.strategy)), (2, 8, "serial"))
        hosts = cases("resnet50", "data:4; exchange=topk:1%", "1gbit")
        self.assertEqual([(case.ranks, case.link) for case in hosts], [(4, "1gbit")])

    def test_samples_cut_no_shape(self):
        two, four = cases("vgg16", "height:2")[0], cases("vgg16", "data:2+height:2")[0]
        self.assertEqual((shapes_of(two.strategy), measured_batch(two)), ("height:2", 4))
        self.assertEqual((shapes_of(four.strategy), measured_batch(four)), ("height:2", 4))
        data = cases("vgg16", "data:2")[0]
        self.assertEqual((shapes_of(data.strategy), measured_batch(data)), ("serial", 2))

    def test_where_state_lies_cuts_no_shape(self):
        shards = cases("gpt_tiny", "data:2; zero=3")[0]
        self.assertEqual((shapes_of(shards.strategy), measured_batch(shards)), ("serial", 4))
        self.assertEqual(shapes_of("serial; recompute=full"), "serial")


if __name__ == "__main__":
    unittest.main()
