"""Measured runs without a GPU: counters, time and libraries of training loops are stand-ins."""

from __future__ import annotations

import ctypes
import importlib
import sys
import types
import unittest
from unittest import mock

from cotenant import errors, measuring, nvml, reporting  # noqa: F401  kept loaded while callbacks come and go
from cotenant.measuring import Meter, measure
from cotenant.nvml import Counters, Nvml

from .server import Answer, problem, serving

ADDED = Answer(200, {"received": 1, "added": 1, "duplicates": 0, "rejected": []})
GIBIBYTE = 1 << 30


class FakeGpu:
    def __init__(self, *readings):
        self.readings = list(readings)

    def product(self):
        return "NVIDIA A100-SXM4-40GB"

    def read(self):
        return self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]


class FakeClock:
    now = 100.0

    def __call__(self):
        return self.now


def busy(percent, gibibytes=2, processes=1):
    return Counters(float(percent), gibibytes * GIBIBYTE, processes)


class MeterTest(unittest.TestCase):
    def test_first_steps_count_for_memory_alone(self):
        clock = FakeClock()
        meter = Meter(FakeGpu(busy(5, 3), busy(80), busy(90), busy(70)), warm_up_steps=2, clock=clock)
        meter.sample()
        for _ in range(2):
            clock.now += 10
            meter.step()
        for _ in range(3):
            meter.sample()
            clock.now += 0.5
            meter.step()
        found = meter.stop()
        self.assertEqual((3, 1.5, 0.5), (found.steps, found.seconds, found.step_time_seconds))
        self.assertEqual((80.0, 90.0, 3 * GIBIBYTE), (found.utilization_percent, found.maximum_utilization_percent, found.peak_memory_bytes))
        self.assertTrue(found.is_alone)

    def test_what_runs_between_steps_counts_for_memory_alone(self):
        clock = FakeClock()
        meter = Meter(FakeGpu(*[busy(80)] * 4, busy(10, 7), *[busy(80)] * 4), warm_up_steps=1, clock=clock)
        meter.step()
        for _ in range(3):
            meter.sample()
            clock.now += 0.5
            meter.step()
        meter.interrupt()
        meter.sample()
        meter.sample()
        clock.now += 60
        for _ in range(3):
            clock.now += 0.5
            meter.step()
            meter.sample()
        clock.now += 30  # a validation that nobody announces
        meter.step()
        found = meter.stop()
        self.assertEqual((6, 32.5, 0.5), (found.steps, found.seconds, found.step_time_seconds))
        self.assertEqual((80.0, 7 * GIBIBYTE), (found.utilization_percent, found.peak_memory_bytes))

    def test_no_process_in_the_list_says_nothing(self):
        meter = Meter(FakeGpu(busy(80, processes=0)))
        meter.sample()
        self.assertIsNone(meter.stop().is_alone)

    def test_what_was_not_measured_is_absent(self):
        meter = Meter(FakeGpu(Counters(None, None, None)))
        meter.sample()
        meter.step()
        found = meter.stop()
        self.assertEqual({"device": "NVIDIA A100-SXM4-40GB"}, found.fields())
        self.assertIsNone(found.is_alone)

    def test_counters_that_break_end_the_reading_with_a_warning(self):
        gpu = FakeGpu(busy(1))
        gpu.read = mock.Mock(side_effect=nvml.CountersError("gone"))
        meter = Meter(gpu, interval_seconds=0.001)
        with self.assertLogs("cotenant", "WARNING") as logged:
            meter.start()._thread.join(5)
        self.assertIn("gone", logged.output[0])


class ReportTest(unittest.TestCase):
    def measured(self, server, gpu=None, steps=20, **settings):
        clock = FakeClock()
        with mock.patch.object(measuring, "Meter", lambda gpu, warm_up: Meter(gpu, warm_up, clock=clock, interval_seconds=60)):
            run = measure("resnet18", service=server.url, gpu=gpu or FakeGpu(busy(75)), batch_size=64, precision="bf16", optimizer="adamw", **settings)
            with run:
                for _ in range(steps):
                    clock.now += 1
                    run.step()
                    run._meter.sample()
        return run

    def test_a_run_is_one_row(self):
        with serving(ADDED) as server:
            run = self.measured(server, checkpointing=None)
        self.assertIsNone(run.error)
        self.assertEqual(
            {"rows": [{
                "model": "resnet18", "source": "cotenant-python", "batch_size": 64, "precision": "bf16", "optimizer": "adamw",
                "device": "NVIDIA A100-SXM4-40GB", "step_time_seconds": 1.0, "peak_memory_bytes": 2 * GIBIBYTE,
                "utilization_percent": 75.0, "maximum_utilization_percent": 75.0,
            }]},
            server.seen[0].json,
        )  # fmt: skip

    def test_what_cannot_be_reported_is_logged_and_ends_no_training(self):
        rejected = Answer(200, {"received": 1, "added": 0, "duplicates": 0, "rejected": [{"line": 1, "reason": "Unknown model 'resnet18'"}]})
        table = [
            (rejected, {}, "Unknown model 'resnet18'"),
            (problem(403, "forbidden", "A right is missing."), {}, "A right is missing"),
            (ADDED, {"steps": 5}, "2 steps in 2.0 s are too few: at least 10 in 5 s"),
            (ADDED, {"gpu": FakeGpu(busy(75, processes=2))}, "not alone on its GPU"),
            (ADDED, {"gpu": FakeGpu(busy(75, processes=0))}, "pass alone=True"),
            (ADDED, {"gpu": FakeGpu(busy(75, processes=None))}, "pass alone=True"),
            (ADDED, {"gpu": FakeGpu(busy(75, processes=2)), "alone": True}, "not alone on its GPU"),
            (Answer(200, [7]), {}, "no JSON object"),
        ]
        for answer, settings, complaint in table:
            with self.subTest(complaint), serving(answer) as server, self.assertLogs("cotenant", "WARNING") as logged:
                run = self.measured(server, **settings)
                self.assertIn(complaint, str(run.error))
                self.assertIn(complaint, logged.output[0])

    def test_a_run_that_is_stated_to_be_alone_is_a_row(self):
        with serving(ADDED) as server:
            run = self.measured(server, gpu=FakeGpu(busy(75, processes=0)), alone=True)
        self.assertIsNone(run.error)
        self.assertEqual(1, len(server.seen))

    def test_several_processes_are_not_measured(self):
        for environment, settings in (({"WORLD_SIZE": "4"}, {}), ({"WORLD_SIZE": "x"}, {"processes": 4})):
            with mock.patch.dict(measuring.os.environ, environment), self.assertLogs("cotenant", "WARNING") as logged:
                with measure("m", service="http://localhost:1", gpu=FakeGpu(busy(1)), **settings) as run:
                    run.step()
                    run.interrupt()
            self.assertIn("4 processes train together", logged.output[0])
            self.assertIsNone(run.measurement)

    def test_a_block_that_raises_is_not_reported(self):
        with serving(ADDED) as server:
            with self.assertRaises(ZeroDivisionError), measure("m", service=server.url, gpu=FakeGpu(busy(1)), least_steps=0, least_seconds=0):
                raise ZeroDivisionError
            self.assertEqual([], server.seen)

    def test_without_a_driver_the_training_runs_unmeasured(self):
        with mock.patch.object(nvml.ctypes, "CDLL", side_effect=OSError), self.assertLogs("cotenant", "WARNING") as logged:
            with measure("m", service="http://localhost:1") as run:
                run.step()
        self.assertIn("is an NVIDIA driver installed?", logged.output[0])
        self.assertIsNone(run.measurement)


class FakeNvml:
    """The functions of the library that the package calls; arguments are as ctypes passes them."""

    used_by_processes = [3 * GIBIBYTE]
    absent = 0

    def nvmlInit_v2(self):
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index, handle):
        return 6 if index > 1 else 0

    def nvmlDeviceGetHandleByUUID(self, uuid, handle):
        return 0 if uuid == b"GPU-1" else 6

    def nvmlDeviceGetName(self, handle, name, size):
        name.value = b"NVIDIA T4"
        return 0

    def nvmlDeviceGetUtilizationRates(self, handle, rates):
        ctypes.cast(rates, ctypes.POINTER(nvml._Utilization)).contents.gpu = 42
        return self.absent

    def nvmlDeviceGetMemoryInfo(self, handle, memory):
        ctypes.cast(memory, ctypes.POINTER(nvml._Memory)).contents.used = 5 * GIBIBYTE
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle, count, found):
        ctypes.cast(count, ctypes.POINTER(ctypes.c_uint)).contents.value = len(self.used_by_processes)
        for i, used in enumerate(self.used_by_processes):
            found[i].used_bytes = used
        return self.absent


class NvmlTest(unittest.TestCase):
    def test_memory_is_that_of_the_one_process_where_the_device_says_so(self):
        library = FakeNvml()
        self.assertEqual(Counters(42.0, 3 * GIBIBYTE, 1), Nvml(0, library).read())
        library.used_by_processes = [nvml.NOT_AVAILABLE]
        self.assertEqual(Counters(42.0, 5 * GIBIBYTE, 1), Nvml(0, library).read())
        library.used_by_processes = [1, 2]
        self.assertEqual(Counters(42.0, 5 * GIBIBYTE, 2), Nvml(0, library).read())
        library.absent = 3
        self.assertEqual(Counters(None, 5 * GIBIBYTE, None), Nvml(0, library).read())
        self.assertEqual("NVIDIA T4", Nvml("GPU-1", library).product())

    def test_a_gpu_that_is_not_there_is_named(self):
        for gpu in (7, "GPU-9"):
            with self.assertRaisesRegex(errors.CotenantError, f"GPU {gpu} is not there"):
                Nvml(gpu, FakeNvml())
        with mock.patch.dict(nvml.os.environ, {"CUDA_VISIBLE_DEVICES": "GPU-1,GPU-2"}):
            Nvml(None, FakeNvml())


class StubCallback:
    """Base of callbacks in the stand-ins of libraries."""


def library(name, **content):
    found = types.ModuleType(name)
    found.__dict__.update(content)
    return found


class CallbackTest(unittest.TestCase):
    def callbacks(self, module, stubs):
        with mock.patch.dict(sys.modules, stubs):
            sys.modules.pop(module, None)
            self.addCleanup(sys.modules.pop, module, None)
            return importlib.import_module(module).CotenantCallback

    def run_described(self, begin, steps, end):
        """What a callback hands to ``measure``, and how many steps it counts."""
        runs = []

        class Recorded:
            def __init__(self, model, **row):
                self.row, self.steps, self.interruptions, self.ended = {"model": model, **row}, 0, 0, None
                runs.append(self)

            def __enter__(self):
                return self

            def step(self):
                self.steps += 1

            def interrupt(self):
                self.interruptions += 1

            def __exit__(self, kind, error, trace):
                self.ended = kind

        with mock.patch("cotenant.reporting.measure", Recorded):
            begin()
            steps()
            end()
        return runs

    def test_hugging_face(self):
        kind = self.callbacks("cotenant.hugging_face", {"transformers": library("transformers", TrainerCallback=StubCallback)})
        callback = kind("bert", service="http://localhost:1")
        self.assertIsInstance(callback, StubCallback)
        args = types.SimpleNamespace(
            per_device_train_batch_size=16, bf16=True, fp16=False, optim=types.SimpleNamespace(value="adamw_torch_fused"), gradient_checkpointing=True,
            world_size=2, n_gpu=1,
        )  # fmt: skip
        state = types.SimpleNamespace(is_world_process_zero=True)
        runs = self.run_described(
            lambda: callback.on_train_begin(args, state, None, model=object()),
            lambda: [
                hook(args, state, None)
                for hook in (callback.on_substep_end, callback.on_step_end, callback.on_evaluate, callback.on_save, callback.on_epoch_end)
            ],
            lambda: callback.on_train_end(args, state, None),
        )
        self.assertEqual(
            {"model": "bert", "mode": "training", "batch_size": 16, "precision": "amp-bf16", "optimizer": "adamw", "checkpointing": "segments",
             "processes": 2, "service": "http://localhost:1"},
            runs[0].row,
        )  # fmt: skip
        self.assertEqual((2, 3), (runs[0].steps, runs[0].interruptions))

    def test_other_processes_and_unknown_optimizers_do_not_report(self):
        kind = self.callbacks("cotenant.hugging_face", {"transformers": library("transformers", TrainerCallback=StubCallback)})
        args = types.SimpleNamespace(per_device_train_batch_size=16, optim="adafactor")
        for is_first in (False, True):
            callback, state = kind("bert"), types.SimpleNamespace(is_world_process_zero=is_first)
            self.assertEqual([], self.run_described(lambda: callback.on_train_begin(args, state, None), lambda: callback.on_step_end(args, state, None), lambda: callback.on_train_end(args, state, None)))
        callback = kind("bert", optimizer="adam")
        self.assertEqual(1, len(self.run_described(lambda: callback.on_train_begin(args, state, None), lambda: None, lambda: None)))

    def test_lightning_in_both_of_its_packages(self):
        for stubs in (
            {"lightning": library("lightning"), "lightning.pytorch": library("lightning.pytorch", Callback=StubCallback)},
            {"lightning": None, "lightning.pytorch": None, "pytorch_lightning": library("pytorch_lightning", Callback=StubCallback)},
        ):
            callback = self.callbacks("cotenant.lightning", stubs)("net")
            SGD = type("SGD", (), {"param_groups": [{"momentum": 0.9}]})
            trainer = types.SimpleNamespace(
                is_global_zero=True, world_size=2, precision="bf16-mixed", optimizers=[SGD()], train_dataloader=types.SimpleNamespace(batch_size=32)
            )
            runs = self.run_described(
                lambda: callback.on_train_start(trainer, None),
                lambda: [
                    callback.on_train_batch_end(trainer, None, None, None, 0),
                    callback.on_validation_start(trainer, None),
                    callback.on_save_checkpoint(trainer, None, {}),
                    callback.on_train_epoch_end(trainer, None),
                ],
                lambda: callback.on_exception(trainer, None, ValueError()),
            )
            self.assertEqual({"model": "net", "mode": "training", "batch_size": 32, "precision": "amp-bf16", "optimizer": "momentum", "processes": 2}, runs[0].row)
            self.assertEqual((1, 3), (runs[0].steps, runs[0].interruptions))
            self.assertIs(RuntimeError, runs[0].ended, "a training that raises is not reported")

    def test_an_absent_library_is_named(self):
        for module, stubs in (("hugging_face", {"transformers": None}), ("lightning", {"lightning": None, "lightning.pytorch": None, "pytorch_lightning": None})):
            with self.assertRaisesRegex(ImportError, "pip install"):
                self.callbacks(f"cotenant.{module}", stubs)
