"""Traces on whichever PyTorch is installed."""

from __future__ import annotations

import os
import resource
import unittest

try:
    import torch
    from torch import nn
except ImportError as error:
    raise unittest.SkipTest("PyTorch is absent: traces are not tested") from error

import cotenant
from cotenant import errors, rules, tracing
from cotenant.api import precision_of

from . import wire
from .models import DataDependent, Decoder, NETWORKS, Tagger, cnn


def parameters(module: nn.Module) -> int:
    buffers = [b for b in module.buffers() if b.is_floating_point()]
    return sum(tensor.numel() for tensor in [*module.parameters(), *buffers])


class GraphTest(unittest.TestCase):
    def test_every_weight_is_declared_once_and_every_value_has_an_origin(self):
        for name, (make, inputs, batch) in NETWORKS.items():
            module = make()
            with self.subTest(name):
                model = cotenant.graph(module, inputs(batch))
                stored = wire.weights(model).items()
                count = sum(torch.Size(shape).numel() for name, shape in stored if "num_batches" not in name)
                self.assertEqual(parameters(module), count)
                self.assertEqual([], wire.loose_ends(model))
                self.assertLess(len(model), 64_000)

    def test_layers_are_the_operators_of_onnx(self):
        found = wire.operators(cotenant.graph(cnn(), (torch.zeros(2, 3, 64, 64),)))
        self.assertEqual(9, found["Conv"])
        self.assertEqual(9, found["BatchNormalization"])
        self.assertEqual((7, 1, 1, 1), tuple(found[name] for name in ("Relu", "MaxPool", "GlobalAveragePool", "Gemm")))

    def test_recurrent_layers_stay_whole(self):
        found = wire.operators(cotenant.graph(Tagger(), (torch.zeros(2, 500, dtype=torch.int64),)))
        self.assertEqual(2, found["LSTM"])
        self.assertLess(sum(found.values()), 30)
        for layer in (nn.GRU(8, 16), nn.RNN(8, 16, nonlinearity="relu")):
            self.assertEqual(1, wire.operators(cotenant.graph(layer, (torch.zeros(5, 2, 8),)))[type(layer).__name__])

    def test_products_of_attention_keep_their_heads(self):
        trace = tracing.trace(Decoder(blocks=1), (torch.zeros(2, 16, dtype=torch.int64),))
        model = rules.to_onnx(trace)
        self.assertEqual(7, wire.operators(model)["MatMul"])  # four layers, two products, the head
        self.assertNotIn("Gemm", wire.operators(model))

    def test_the_same_model_gives_the_same_bytes(self):
        inputs = (torch.zeros(2, 16, dtype=torch.int64),)
        self.assertEqual(cotenant.graph(Decoder(), inputs), cotenant.graph(Decoder(), inputs))

    def test_the_model_is_as_it_was_before(self):
        for module, fails in ((cnn().train(), False), (DataDependent("item"), True)):
            module.register_buffer("extra", torch.ones(3))
            before = {name: (id(tensor), tensor.clone()) for name, tensor in module.state_dict(keep_vars=True).items()}
            try:
                cotenant.graph(module, (torch.ones(2, 3, 64, 64),))
            except errors.DataDependentError:
                self.assertTrue(fails)
            after = module.state_dict(keep_vars=True)
            self.assertEqual({name: identity for name, (identity, _) in before.items()}, {name: id(t) for name, t in after.items()})
            self.assertTrue(all(torch.equal(after[name], value) for name, (_, value) in before.items()))
            self.assertTrue(module.training)

    def test_inputs_may_be_mappings_and_nested(self):
        class Nested(nn.Module):
            def forward(self, pair, scale=1, extra=None):
                return {"sum": pair[0] + pair[1]["b"] * scale, "list": [extra]}

        example = {"pair": (torch.zeros(2, 3), {"b": torch.zeros(3)}), "scale": 2, "extra": torch.zeros(1)}
        trace = tracing.trace(Nested(), example)
        self.assertEqual([(2, 3), (3,), (1,)], [value.shape for value in trace.inputs])
        self.assertEqual([(2, 3), (1,)], [value.shape for value in trace.outputs])

    def test_number_formats_of_the_model_are_kept(self):
        trace = tracing.trace(nn.Linear(4, 4).to(torch.bfloat16), torch.zeros(2, 4, dtype=torch.bfloat16))
        self.assertEqual("bfloat16", trace.outputs[0].dtype)


class PrecisionTest(unittest.TestCase):
    def test_a_run_has_the_precision_of_the_weights(self):
        layer = torch.nn.Linear(2, 2)
        self.assertEqual("fp32", precision_of(layer))
        self.assertEqual("bf16", precision_of(layer.bfloat16()))
        self.assertEqual("fp16", precision_of(layer.half()))
        for without in (torch.nn.Linear, torch.nn.ReLU(), lambda: layer, "net.onnx"):
            self.assertEqual("fp32", precision_of(without))


class WeightlessTest(unittest.TestCase):
    def test_a_model_larger_than_memory_is_traced(self):
        def huge():
            return nn.Sequential(*(nn.Linear(65_536, 65_536) for _ in range(16)))  # 256 GiB of weights

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        model = cotenant.graph(huge, torch.empty(1024, 65_536, device="meta"))
        self.assertEqual(16, wire.operators(model)["Gemm"])
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 512 << 10)  # KiB

    def test_meta_parameters_and_inputs_will_do(self):
        module = nn.Linear(8, 8, device="meta")
        self.assertEqual(1, wire.operators(cotenant.graph(module, torch.empty(2, 8, device="meta")))["Gemm"])

    def test_tensors_outside_of_parameters_are_constants(self):
        class WithTable(nn.Module):
            table = torch.ones(7, 4)

            def forward(self, x):
                return x @ self.table + torch.tensor([1.0, 2.0, 3.0, 4.0])

        model = cotenant.graph(WithTable(), torch.zeros(2, 7))
        self.assertEqual([[7, 4], [4]], list(wire.weights(model).values()))


class HostileModelTest(unittest.TestCase):
    def test_what_depends_on_values_is_named_with_its_line(self):
        for kind in ("branch", "item", "mask", "nonzero"):
            with self.subTest(kind), self.assertRaisesRegex(errors.DataDependentError, r"models\.py:\d+: a trace has shapes alone"):
                cotenant.graph(DataDependent(kind), torch.ones(3, 3))

    def test_unknown_operators_are_all_named_or_declared(self):
        class Unusual(nn.Module):
            def forward(self, x):
                return torch.digamma(x) + torch.lgamma(x)

        with self.assertRaises(errors.UnsupportedOperatorError) as caught:
            cotenant.graph(Unusual(), torch.zeros(4, 4))
        self.assertEqual(2, len(caught.exception.operators))
        self.assertRegex(str(caught.exception), r"no rule for aten\.digamma\.default, aten\.lgamma\.default: pass unknown_operators=\"declare\"")
        found = wire.operators(cotenant.graph(Unusual(), torch.zeros(4, 4), unknown_operators="declare"))
        self.assertEqual(2, sum(count for name, count in found.items() if "." in name))
        with self.assertRaisesRegex(errors.InputError, "use one of refuse, declare"):
            cotenant.graph(nn.ReLU(), torch.zeros(1), unknown_operators="ignore")

    def test_a_model_that_fails_names_its_own_error(self):
        with self.assertRaisesRegex(errors.TraceError, "Linear fails with these example inputs: RuntimeError"):
            cotenant.graph(nn.Linear(3, 3), torch.zeros(2, 5))
        with self.assertRaisesRegex(errors.TraceError, "TypeError.*missing"):
            cotenant.graph(nn.Bilinear(3, 3, 3), torch.zeros(2, 3))

    def test_endless_unrolling_ends(self):
        class Loop(nn.Module):
            def forward(self, x):
                while True:
                    x = x + 1

        limit = tracing.MAX_CALLS
        tracing.MAX_CALLS = 500
        try:
            with self.assertRaisesRegex(errors.TraceError, "more than 500 operators"):
                cotenant.graph(Loop(), torch.zeros(1))
        finally:
            tracing.MAX_CALLS = limit

    def test_inputs_that_are_none_are_refused(self):
        table = {
            "example_inputs is missing": (nn.ReLU(), None),
            "example_inputs has no tensor": (nn.ReLU(), ("text",)),
            r"empty tensor of shape \(0, 3\)": (nn.ReLU(), torch.zeros(0, 3)),
            "model is a int": (7, torch.zeros(1)),
            "the function made a int": (lambda: 7, torch.zeros(1)),
            "returns no tensor": (Nothing(), torch.zeros(1)),
        }
        for complaint, (model, example) in table.items():
            with self.subTest(complaint), self.assertRaisesRegex(cotenant.CotenantError, complaint):
                cotenant.graph(model, example)


class Nothing(nn.Module):
    def forward(self, x):
        return None


@unittest.skipUnless(hasattr(torch, "export"), f"PyTorch {torch.__version__} has no torch.export: exported programs are not tested")
class ExportedTest(unittest.TestCase):
    def test_an_exported_program_and_its_archive_count_as_the_module_does(self):
        import tempfile

        for name, (make, inputs, batch) in NETWORKS.items():
            module = make().eval()
            program = torch.export.export(module, inputs(batch))
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model.pt2")
                torch.export.save(program, path)
                graphs = [cotenant.graph(module, inputs(batch)), cotenant.graph(program), cotenant.graph(path)]
                for matrix in ("Conv", "ConvTranspose", "LSTM"):
                    self.assertEqual(1, len({wire.operators(model)[matrix] for model in graphs}), matrix)
                counts = [sum(torch.Size(shape).numel() for shape in wire.weights(model).values()) for model in graphs[:2]]
                self.assertLess(abs(counts[0] / counts[1] - 1), 0.01, counts)
                products = [wire.operators(model) for model in graphs]
                self.assertEqual(1, len({found["MatMul"] + found["Gemm"] for found in products}), products)
                self.assertEqual([[], [], []], [wire.loose_ends(model) for model in graphs])
