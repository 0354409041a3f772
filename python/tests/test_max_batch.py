"""Largest batches against memory that a test knows."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import cotenant
from cotenant import Client, Command, Device, Prediction, errors
from cotenant.command import OPTIONS
from cotenant.max_batch import MAX_BATCH

from .server import PREDICTION

GIBIBYTE = 1 << 30


class FakeService(Client):
    """Peak memory by a formula of the batch; counts the questions."""

    def __init__(self, memory, **devices):
        self.memory, self.asked = memory, 0
        self.catalogue = [Device(name, name.upper(), size * GIBIBYTE, {}) for name, size in devices.items()]

    def devices(self):
        return self.catalogue

    def predict_graph(self, graph, device, run, name="model"):
        self.asked += 1
        names = {entry.product_name: entry.id for entry in self.catalogue}
        device = names.get(device, device)
        if device not in names.values():
            raise errors.InvalidRequestError(400, "unknown-device", f"Unknown device '{device}': use one of small.")
        if device == "old" and run.precision == "bf16":
            raise errors.InvalidRequestError(400, "precision-unavailable", "The device old does not compute bf16: it computes fp32.")
        peak = self.memory(run.batch_size)
        rate = 1000.0 if device == "big" else 400.0
        return Prediction.of({
            **PREDICTION, "device": device, "batch_size": run.batch_size,
            "peak_memory_bytes": {"mean": peak, "lower": peak, "upper": peak, "coverage": 0.9},
            "capacity_per_second": {"mean": rate, "lower": rate / 2, "upper": rate * 2, "coverage": 0.9},
        })  # fmt: skip


class MaxBatchTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.model = Path(folder.name, "model.onnx")
        self.model.write_bytes(b"")

    def find(self, service, devices=None, **settings):
        return cotenant.find_max_batch(self.model, devices=devices, service=service, headroom_percent=0, **settings)

    def test_finds_the_largest_batch_whatever_the_curve(self):
        curves = {
            "line": lambda b: GIBIBYTE + b * 10_000_019,
            "square": lambda b: GIBIBYTE + b * b * 1000,
            "root": lambda b: GIBIBYTE + int(b**0.5 * 300_000_000),
            "steps": lambda b: GIBIBYTE + (b // 7) * 90_000_000,
            "cliff": lambda b: GIBIBYTE if b < 1234 else 90 * GIBIBYTE,
            "only one": lambda b: 15 * GIBIBYTE * b,
        }
        for name, curve in curves.items():
            service = FakeService(curve, small=16)
            with self.subTest(name):
                found = self.find(service, ["small"]).devices[0].largest_batch
                self.assertLessEqual(curve(found), 16 * GIBIBYTE)
                self.assertGreater(curve(found + 1), 16 * GIBIBYTE)
                self.assertLess(service.asked, 60)

    def test_a_line_needs_few_questions(self):
        service = FakeService(lambda b: GIBIBYTE + b * 10_000_019, small=16)
        self.find(service, ["small"])
        self.assertLess(service.asked, 12)

    def test_the_search_ends_where_memory_never_does(self):
        self.assertEqual(MAX_BATCH, self.find(FakeService(lambda b: GIBIBYTE, small=16)).devices[0].largest_batch)

    def test_the_cheapest_by_sample_comes_first_with_its_bound(self):
        service = FakeService(lambda b: b * GIBIBYTE, big=80, small=16, tiny=0, old=40)
        found = self.find(service, {"small": 0.36, "big": 3.60, "tiny": 0.1, "old": 1.0}, precision="bf16")
        self.assertEqual(["small", "big"], [one.device for one in found.devices[:2]])
        cost = found.cheapest.cost_per_million_samples
        self.assertAlmostEqual(0.25, cost.mean)  # 0.36 an hour / 3600 s / 400 a second
        self.assertAlmostEqual(0.125, cost.lower)
        self.assertAlmostEqual(0.5, cost.upper)
        self.assertEqual((16, 80), tuple(one.largest_batch for one in found.devices[:2]))
        self.assertIn("does not compute bf16", str(found))
        self.assertIn("tiny: one sample needs 1.00 GiB", str(found))

    def test_without_prices_the_fastest_comes_first_and_none_is_cheapest(self):
        found = self.find(FakeService(lambda b: b * GIBIBYTE, small=16, big=80))
        self.assertEqual(["big", "small"], [one.device for one in found.devices])
        self.assertIsNone(found.cheapest)

    def test_one_device_is_no_list_of_letters(self):
        found = self.find(FakeService(lambda b: b * GIBIBYTE, small=16, big=80), "small")
        self.assertEqual("small: batch 16, 16.00 GiB (16.00–16.00 at 90 %), 400.0 samples/s (200.0–800.0 at 90 %)\nwarning: outside of the training data", str(found))

    def test_the_catalogue_is_no_device_of_a_prediction(self):
        with self.assertRaisesRegex(errors.InputError, "cotenant.find_max_batch tries the whole catalogue"):
            cotenant.predict(self.model, device="all", service=FakeService(lambda b: b, small=16))

    def test_headroom_stays_free(self):
        service = FakeService(lambda b: b * GIBIBYTE, big=80)
        self.assertEqual(76, cotenant.find_max_batch(self.model, service=service, headroom_percent=5).devices[0].largest_batch)

    def test_wrong_arguments_are_named(self):
        service = FakeService(lambda b: b, small=16)
        table = [
            ({"devices": ["h1000"]}, "Unknown device 'h1000': use one of small"),
            ({"devices": {"small": -1.0}}, "price of small is -1.0"),
            ({"devices": {"small": float("nan")}}, "price of small is nan"),
            ({"devices": []}, "devices is empty"),
            ({"mode": "serving"}, "mode is 'serving': use one of training, inference"),
        ]
        for arguments, complaint in table:
            with self.subTest(complaint), self.assertRaisesRegex(errors.CotenantError, complaint):
                self.find(service, **arguments)
        with self.assertRaisesRegex(errors.InputError, "headroom_percent is 100"):
            cotenant.find_max_batch(self.model, service=service, headroom_percent=100)

    def test_names_of_products_are_devices(self):
        self.assertEqual("small", self.find(FakeService(lambda b: b, small=16), {"SMALL": 1.0}).cheapest.device)


class OptionTest(unittest.TestCase):
    def test_every_setting_is_an_option_of_the_command(self):
        page = (Path(__file__).parents[2] / "docs/cli.md").read_text()
        section = page.split("## cotenant predict\n")[1].split("\n## ")[0]
        run = cotenant.Run("training", "fp32", "adam", 8, "segments", "pytorch-2", 5.0, 0.8)
        for name in [*run.settings(), "batches"]:
            self.assertIn(f"--{OPTIONS.get(name, name)}=", section)
