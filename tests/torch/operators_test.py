"""operators_test.py ROOT ORACLE: each row of the table, what is refused, and how."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

from tree import figures, require_torch, run_tests

require_torch()
import from_torch  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import torch.utils.checkpoint  # noqa: E402
from from_torch import Refused, network_of  # noqa: E402
from pytorch.table import HANDLERS, TABLE  # noqa: E402
from torch import nn  # noqa: E402

# Functions that PyTorch 1.13 lacks, and one that only F.logsigmoid is a name of.
ELSEWHERE = {"rms_norm", "scaled_dot_product_attention", "log_sigmoid"}


class Of(nn.Module):
    """A function of modules and inputs, as a module."""

    def __init__(self, function, *modules):
        super().__init__()
        self.function, self.parts = function, nn.ModuleList(modules)
        self.trained = nn.Parameter(torch.zeros(8))

    def forward(self, *inputs):
        return self.function(self, *inputs)


def image():
    return torch.empty(2, 8, 4, 4, device="meta")


def text():
    return torch.empty(2, 6, 8, device="meta")


def layers(function, *inputs, modules=(), **options):
    return network_of(Of(function, *modules), list(inputs), **options).layers[1:-1]


def kinds(function, *inputs, **options):
    return [each["kind"] for each in layers(function, *inputs, **options)]


def found(name):
    for where in (torch, F, torch.Tensor):
        for each in (name, f"__{name}__", name + "_"):
            if callable(getattr(where, each, None)):
                return getattr(where, each)
    return None


class Operators(unittest.TestCase):
    def refusal(self, function, *inputs, modules=(), **options):
        with self.assertRaises(Refused) as refused:
            layers(function, *inputs, modules=modules, **options)
        return str(refused.exception)

    def test_each_name_is_one_of_pytorch(self):
        for name in HANDLERS:
            self.assertTrue(found(name) or hasattr(torch.Tensor, name) or name in ELSEWHERE, name)

    def test_each_function_of_elements_and_each_reduction_makes_a_layer_of_its_kind(self):
        tried = {"activation": 0, "elementwise": 0, "reduction": 0}
        values = torch.empty(2, 8, 4, 4, device="meta")
        for names, kind, _, _ in TABLE:
            for name in names.split() if kind in tried else ():
                function = found(name)
                for more in ((), (0.5,), (1,), (values,), (values, values), (values > 0, 0.5), (values > 0,)):
                    with contextlib.suppress(Exception):  # they are not its arguments
                        if function(values, *more).shape[:1] == (2,):
                            break
                else:
                    continue
                with self.subTest(name):
                    made = kinds(
                        lambda _, x: function(
                            x,
                            *(
                                each if not isinstance(each, torch.Tensor) else x > 0 if each.dtype == torch.bool else x
                                for each in more
                            ),
                        ),
                        image(),
                    )
                    self.assertEqual(made[-1:], ["elementwise" if name in ("max", "min") else kind])  # of two tensors
                    tried[kind] += 1
        self.assertGreater(tried["activation"], 15)
        self.assertGreater(tried["elementwise"], 30)
        self.assertGreater(tried["reduction"], 8)

    def test_views_make_no_layer_but_where_another_shape_is_read(self):
        def turned(_, x):
            return x.flatten(2).transpose(1, 2).unsqueeze(1).squeeze(1).permute(0, 2, 1).contiguous() * 2

        self.assertEqual(kinds(turned, image()), ["reshape", "activation"])
        self.assertEqual(
            kinds(lambda _, x: x.permute(0, 2, 3, 1).contiguous().transpose(1, 3) + 1, image()), ["activation"]
        )

    def test_the_first_layer_says_which_axis_of_the_input_is_channels(self):
        for modules, kind, shape in (
            ([nn.Linear(8, 3)], "dense", {"c": 8, "s": 6}),
            ([nn.Conv1d(6, 3, 1)], "convolution", {"c": 6, "w": 8}),
        ):
            network = network_of(Of(lambda self, x: self.parts[0](x * 2), *modules), text())
            self.assertEqual(network.layers[2]["kind"], kind)
            self.assertEqual({k: v for k, v in network.layers[0]["shape"].items() if v > 1}, shape)

    def test_what_is_smaller_than_it_is_pooled_to_is_resized(self):
        self.assertEqual(kinds(lambda _, x: F.adaptive_avg_pool2d(x, 1), image()), ["adaptive_pool"])
        self.assertEqual(kinds(lambda _, x: F.adaptive_avg_pool2d(x, 7), image()), ["resize"])
        for mode, kind in (("area", "adaptive_pool"), ("bilinear", "resize"), ("bicubic", "elementwise")):
            self.assertEqual(kinds(lambda _, x, m=mode: F.interpolate(x, size=2, mode=m), image()), [kind])

    def test_what_is_written_in_place_is_what_is_read(self):
        def half(self, x):
            x = self.parts[0](x)
            x[:, :4] += 1
            return x

        made = layers(half, image(), modules=[nn.Conv2d(8, 8, 1)])
        self.assertEqual([each["kind"] for each in made], ["convolution", "slice", "activation", "movement"])
        self.assertIn("written in place", self.refusal(lambda _, x: (x.view(-1, 8, 16).relu_(), x + 1)[1], image()))

    def test_checkpoints_are_looked_into(self):
        made = kinds(
            lambda self, x: torch.utils.checkpoint.checkpoint(self.parts[0], x, use_reentrant=False),
            image(),
            modules=[nn.Conv2d(8, 8, 1)],
        )
        self.assertEqual(made, ["convolution"])

    def test_a_loss_of_the_network_ends_it(self):
        network = network_of(
            Of(lambda self, x, y: F.mse_loss(self.parts[0](x), y), nn.Linear(8, 2)),
            [torch.empty(4, 8), torch.empty(4, 2)],
        )
        self.assertEqual([each["kind"] for each in network.layers], ["input", "dense", "mean_squared_loss"])

    def test_the_loss_is_of_what_is_trained(self):
        def returns_scores_too(self, x, y):
            scores = self.parts[0](x)
            return scores, F.cross_entropy(scores, y)

        given = [torch.empty(4, 8), torch.empty(4, dtype=torch.int64)]
        self.assertEqual(kinds(returns_scores_too, *given, modules=[nn.Linear(8, 3)]), ["dense"])
        given = [torch.empty(4, 8), torch.empty(4, 3)]
        self.assertEqual(
            kinds(lambda self, x, y: F.mse_loss(y, self.parts[0](x)), *given, modules=[nn.Linear(8, 3)]), ["dense"]
        )
        twins = [nn.Linear(8, 3), nn.Linear(8, 3)]
        made = kinds(lambda self, x: F.mse_loss(self.parts[0](x), self.parts[1](x)), given[0], modules=twins)
        self.assertEqual(made, ["dense", "dense", "outputs"])
        two = lambda self, x: 2 * F.mse_loss(self.parts[0](x), x[:, :3])  # noqa: E731
        self.assertIn("reads a loss", self.refusal(two, given[0], modules=twins[:1]))

    def test_masks_that_samples_bring_are_added_to_scores(self):
        import transformers_written_out  # noqa: F401  PyTorch 1.13 gets the function there

        def fused(_, x, mask):
            x = x.view(-1, 6, 2, 4).transpose(1, 2)
            return F.scaled_dot_product_attention(x, x, x, attn_mask=mask[:, None, None, :])

        def heads(self, x, mask):
            mask = mask[:, None, None, :].expand(-1, 2, 6, -1).reshape(-1, 6, 6)
            return self.parts[0](x, x, x, attn_mask=mask)[0]

        given = [text(), torch.empty(2, 6)]
        self.assertEqual(kinds(fused, *given)[-4:], ["matmul", "elementwise", "softmax", "matmul"])
        made = kinds(heads, *given, modules=[nn.MultiheadAttention(8, 2, batch_first=True)])
        self.assertEqual(made[-4:], ["add", "softmax", "matmul", "dense"])

    def test_an_output_is_chosen_by_its_key(self):
        def two(self, x):
            return {"a": self.parts[0](x), "b": (self.parts[1](x), x)}

        modules = [nn.Linear(8, 3), nn.Linear(8, 5)]
        made = layers(two, text(), modules=modules)
        self.assertEqual([each["kind"] for each in made], ["dense", "dense", "outputs"])
        self.assertEqual(layers(two, text(), modules=modules, trained_output="a")[0]["shape"]["c"], 3)
        self.assertIn("there are: a, b", self.refusal(two, text(), modules=modules, trained_output="c"))
        one = self.refusal(lambda self, x: self.parts[0](x), text(), modules=modules, trained_output=1)
        self.assertIn("returns one tensor", one)

    def test_the_batch_may_be_another_axis(self):
        made = layers(lambda self, x: self.parts[0](x)[0], torch.empty(6, 2, 8), modules=[nn.LSTM(8, 3)], batch_axis=1)
        self.assertEqual(made[0]["shape"]["s"], 6)
        self.assertIn(
            "--batch-axis",
            self.refusal(lambda self, x: self.parts[0](x)[0], torch.empty(6, 2, 8), modules=[nn.LSTM(8, 3)]),
        )

    def test_what_is_left_out_or_not_trained_is_named(self):
        notes = network_of(
            Of(lambda self, x: self.parts[0](x), nn.Conv2d(8, 8, 1).requires_grad_(False), nn.Linear(3, 3)), image()
        ).notes
        self.assertEqual(
            notes,
            [
                "20 parameters are not used and left out: trained, parts.1.weight, parts.1.bias",
                "parameters that are not trained are written as trained: parts.0.weight, parts.0.bias",
            ],
        )

    def test_more_axes_of_attention(self):
        def attend(_, q, k):
            return F.scaled_dot_product_attention(q, k, k, is_causal=True)

        import transformers_written_out  # noqa: F401  PyTorch 1.13 gets the function there

        made = layers(
            lambda _, x: attend(_, x.view(-1, 6, 2, 4).transpose(1, 2), x.view(-1, 6, 2, 4).transpose(1, 2)), text()
        )
        self.assertEqual(made[-1]["attributes"], {"heads": 2, "causal": True})

    def test_functions_of_a_newer_pytorch(self):
        def rms_norm(x, normalized_shape, weight=None, eps=None):
            if torch.overrides.has_torch_function((x,)):
                return torch.overrides.handle_torch_function(rms_norm, (x,), x, normalized_shape, weight=weight)
            return x * weight

        made = layers(lambda self, x: rms_norm(x, (8,), self.trained), text())
        self.assertEqual([(each["kind"], each["own"]) for each in made], [("rms_norm", 8)])

        def attend(_, q):
            query, key = q.view(-1, 6, 4, 2).transpose(1, 2), q[..., :4].view(-1, 6, 2, 2).transpose(1, 2)
            return grouped(query, key, key, enable_gqa=True)

        def grouped(query, key, value, enable_gqa=False):
            if torch.overrides.has_torch_function((query, key, value)):
                return torch.overrides.handle_torch_function(grouped, (query, key, value), query, key, value)
            return query * 1

        grouped.__name__ = "scaled_dot_product_attention"
        self.assertEqual(layers(attend, text())[-1]["attributes"], {"heads": 4, "kv_heads": 2, "causal": False})

    def test_one_row_teaches_one_more_function(self):
        self.assertIn(
            "parts.0: erfinv is not in the table",
            self.refusal(lambda self, x: self.parts[0](x), image(), modules=[Of(lambda _, x: torch.erfinv(x))]),
        )
        HANDLERS["erfinv"] = HANDLERS["erfc"]
        self.addCleanup(HANDLERS.pop, "erfinv")
        self.assertEqual(kinds(lambda _, x: torch.erfinv(x), image()), ["elementwise"])

    def test_what_cannot_be_known_is_refused(self):
        class Hidden(torch.autograd.Function):
            @staticmethod
            def forward(_, x):
                return torch.empty_like(x)

        for function, words in (
            (lambda _, x: Hidden.apply(x) + x, "nothing wrote"),
            (lambda _, x: x if x[0, 0, 0, 0] > 0 else -x, "samples"),
            (lambda _, x: x[x > 0], "a mask says"),
            (lambda _, x: torch.masked_select(x, x > 0), "masked_select"),
            (lambda _, x: (x - 1).mean(), "--loss"),
            (lambda _, x: torch.cat([x, x]), "joins samples"),
            (lambda _, x: x.transpose(0, 1) @ x.transpose(0, 1).transpose(2, 3).sum(1, keepdim=True), "samples"),
            (lambda _, x: torch.ones(2, 3), "depends on its input"),
            (lambda _, x: x.flatten(1).nonzero(), "nonzero"),
        ):
            self.assertIn(words, self.refusal(function, image()))

    def test_the_command_answers_in_sentences_of_80_columns(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, "net_of_mine.py"), "w", encoding="utf-8") as file:
            file.write(
                "import torch\nclass Net(torch.nn.Module):\n  def __init__(self, width=4):\n"
                "    super().__init__()\n    self.fc = torch.nn.Linear(8, width)\n"
                "  def forward(self, x):\n    return torch.erfinv(self.fc(x))\n"
                "def good(width):\n  return torch.nn.Linear(8, width)\n"
            )
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        out = os.path.join(folder.name, "net.json")
        for arguments, status, words in (
            (["net_of_mine:good(width=5)", "--input", "1x8", "-o", out], 0, ""),
            (["net_of_mine:Net", "--input", "1x8"], 2, "erfinv is not in the table"),
            (["net_of_mine:Net", "--input", "1x9"], 2, "fc: RuntimeError"),
            (["net_of_mine:Net(8", "--input", "1x8"], 2, "MODULE:CALLABLE"),
            (["net_of_mine:None_such", "--input", "1x8"], 2, "None_such"),
            (["no_module:Net", "--input", "1x8"], 2, "no_module"),
            (["net_of_mine:good(width=5)", "--input", "1xq"], 2, "1x3x224x224"),
            (["net_of_mine:good(width=5)", "--input", "1x8", "-o", "/nowhere/net.json"], 3, "cannot be written"),
        ):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(from_torch.main(arguments), status, arguments)
            self.assertIn(words, " ".join(said.getvalue().split()))
            self.assertLessEqual(max(map(len, said.getvalue().splitlines()), default=0), 80, said.getvalue())
        report = figures(out)
        self.assertEqual((report["parameters"], report["multiply_adds"]), (45, 40))


if __name__ == "__main__":
    run_tests()
