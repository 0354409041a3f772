"""The local command: stand-ins for what goes wrong, and the real one where ``COTENANT_COMMAND`` names it."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import cotenant
from cotenant import Command, Run, errors

from . import golden
from .server import PREDICTION
from .test_archive import MIXED

try:
    import torch

    from .models import NETWORKS, cnn
except ImportError:
    torch = None


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.script = Path(folder.name, "cotenant")

    def command(self, text, **settings):
        self.script.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{text}\n")
        self.script.chmod(self.script.stat().st_mode | stat.S_IXUSR)
        return Command(str(self.script), **settings)

    def predicted(self, command):
        return command.predict_graph(b"graph", "t4", Run(batch_size=8), "net")

    def test_a_prediction_is_what_the_command_prints(self):
        answer = json.dumps({**PREDICTION, "warnings": ["ARGUMENTS"]})
        command = self.command(f"assert open(sys.argv[2], 'rb').read() == b'graph'\nprint({answer!r}.replace('ARGUMENTS', ' '.join(sys.argv[3:])))")
        found = self.predicted(command)
        self.assertEqual("--device=t4 --batch=8 --mode=training --precision=fp32 --optimizer=adamw --json", found.warnings[0])

    def test_many_devices_and_batches_are_one_call(self):
        command = self.command(f"""
assert '--device=all' in sys.argv and '--batches=1,8' in sys.argv and not any(a.startswith('--batch=') for a in sys.argv)
print('The device old does not compute bf16: it computes fp32.', file=sys.stderr)
for batch in (1, 8):
    for device in ('t4', 'l4'):
        print(json.dumps({{**json.loads({json.dumps(PREDICTION)!r}), 'device': device, 'batch_size': batch}}))
""")
        found = command.predict_graphs(b"graph", [("l4", 8), ("old", 1), ("t4", 1)], Run(batch_size=3), "net")
        self.assertEqual([("l4", 8), ("t4", 1)], [(found[i].device, found[i].batch_size) for i in (0, 2)])
        self.assertIn("does not compute bf16", str(found[1]))
        with self.assertRaisesRegex(errors.InvalidResponseError, "no answer for the device h100"):
            command.predict_graphs(b"graph", [("h100", 8), ("t4", 1)], Run(), "net")

    def test_one_device_that_cannot_run_the_model_is_an_answer(self):
        command = self.command("print('The device old does not compute bf16.', file=sys.stderr); sys.exit(2)")
        found = command.predict_graphs(b"graph", [("old", 1)], Run(), "net")
        self.assertIn("does not compute bf16", str(found[0]))

    def test_what_goes_wrong_is_told(self):
        table = [
            ("print('unknown device t4', file=sys.stderr); sys.exit(2)", errors.CommandError, "unknown device t4"),
            ("sys.exit(3)", errors.CommandError, "exit code 3 and without a message"),
            ("print('hello')", errors.InvalidResponseError, "printed no JSON: 'hello"),
            ("pass", errors.InvalidResponseError, "printed 0 answers"),
            ("print('{}')", errors.InvalidResponseError, "it is not a prediction|no number"),
            ("time.sleep(60)", errors.CommandError, "did not end within 0.5 seconds"),
        ]
        for text, kind, complaint in table:
            timeout = 0.5 if "sleep" in text else 30
            with self.subTest(complaint), self.assertRaisesRegex(kind, complaint):
                self.predicted(self.command(text, timeout_seconds=timeout))
        with self.assertRaisesRegex(errors.CommandError, "/nowhere cannot be run"):
            self.predicted(Command("/nowhere"))

    def test_without_service_and_command_says_what_to_set(self):
        with mock.patch.dict(os.environ, {"PATH": ""}, clear=True), self.assertRaisesRegex(errors.NoBackendError, "COTENANT_URL.*COTENANT_COMMAND"):
            cotenant.predict(MIXED)

    def test_the_environment_decides_where_no_service_is_given(self):
        with mock.patch.dict(os.environ, {"COTENANT_URL": "http://localhost:1", "COTENANT_COMMAND": "x"}):
            self.assertIsInstance(cotenant.api.backend(), cotenant.Client)
        with mock.patch.dict(os.environ, {"COTENANT_COMMAND": "java -jar 'a b.jar'"}, clear=True):
            self.assertEqual(["java", "-jar", "a b.jar"], cotenant.api.backend().command)


@unittest.skipUnless(os.environ.get("COTENANT_COMMAND"), "COTENANT_COMMAND is not set: nothing is compared with the real command")
class RealCommandTest(unittest.TestCase):
    def test_an_archive_is_predicted(self):
        found = cotenant.predict(MIXED, device="a100-40gb", precision="fp32", service=Command())
        self.assertEqual((1, "a100-40gb"), (found.batch_size, found.device))
        self.assertGreater(found.peak_memory_bytes.upper, found.peak_memory_bytes.mean)

    @unittest.skipUnless(torch, "PyTorch is absent: traces are not compared with those of its exporter")
    def test_figures_are_those_of_the_exporter_of_pytorch(self):
        """Within 1 %. The exporter stores the decoder's tied weight twice and drops normalisations that it folds."""
        for name, expected in json.loads(golden.FILE.read_text()).items():
            make, inputs, batch = NETWORKS[name]
            module = make()
            found = golden.figures(Command(), cotenant.graph(module, inputs(batch)))
            if name == "decoder":
                expected["parameters"] -= module.head.weight.numel()
            with self.subTest(name):
                self.assertEqual(expected["multiply_accumulates"], found["multiply_accumulates"])
                for figure in ("parameters", "peak_memory_bytes"):
                    self.assertLess(abs(found[figure] / expected[figure] - 1), 0.01, figure)

    @unittest.skipUnless(torch, "PyTorch is absent: batches are not compared")
    def test_a_graph_holds_at_every_batch(self):
        """What ``find_max_batch`` builds on: the graph of one batch, counted at another, is the graph of that one."""
        for name, (make, inputs, batch) in NETWORKS.items():
            figures = [
                Command().predict_graph(cotenant.graph(make(), inputs(traced)), "a100-40gb", Run(precision="fp32", batch_size=3 * batch))
                for traced in (batch, 3 * batch)
            ]
            with self.subTest(name):
                self.assertEqual(figures[0].peak_memory_bytes, figures[1].peak_memory_bytes)

    @unittest.skipUnless(torch, "PyTorch is absent: find_max_batch is not tried")
    def test_find_max_batch_finds_a_batch_and_a_device(self):
        found = cotenant.find_max_batch(cnn(), (torch.zeros(1, 3, 224, 224),), devices={"t4": 0.35, "a100-40gb": 2.9}, precision="fp32", service=Command())
        for device in found.devices:
            self.assertGreater(device.largest_batch, 10)
            self.assertLessEqual(device.prediction.peak_memory_bytes.upper, device.limit_bytes)
        self.assertIsNotNone(found.cheapest)

    def test_errors_of_the_command_arrive(self):
        with self.assertRaisesRegex(errors.CommandError, "(?i)unknown device"):
            cotenant.predict(MIXED, device="h1000", service=Command())
        with self.assertRaisesRegex(errors.CommandError, "(?i)bf16"):
            cotenant.predict(MIXED, device="p40", precision="bf16", service=Command())
        refused = cotenant.find_max_batch(MIXED, devices=["v100"], precision="bf16", service=Command())
        self.assertIn("bf16", refused.devices[0].refusal)
