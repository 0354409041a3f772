"""Tests of the collector that need neither a GPU nor a worker process: python3 -m unittest."""

import contextlib
import csv
import dataclasses
import io
import math
import os
import tempfile
import types
import unittest
from collections import Counter
from pathlib import Path

from collector import (
    blocks,
    coefficients,
    commands,
    devices,
    figures,
    files,
    generation,
    graphs,
    jobs,
    languages,
    memory,
    models,
    plans,
    profiles,
    pytorch,
    service,
    session,
    sheet,
    solo,
    timing,
    workers,
)
from collector.figures import Reading, Span, Step, Window
from collector.plans import Job, ModelSpec

PLANS = Path(__file__).parent / "plans"


class PlanTest(unittest.TestCase):
    def test_a_job_reads_back_as_it_is_written(self):
        for text in ("resnet50/64/training/tf32", "mlp:layers=2:width=64/4/inference/bf16/poisson:0.5"):
            self.assertEqual(text, str(Job.parse(text)))

    def test_options_in_another_order_are_the_same_model(self):
        self.assertEqual(ModelSpec.parse("mlp:width=64:layers=2"), ModelSpec.parse("mlp:layers=2:width=64"))

    def test_names_what_is_wrong_with_a_job(self):
        table = {
            "resnet50/64/training": "MODEL/BATCH/MODE/PRECISION",
            "resnet51/64/training/fp32": "unknown model 'resnet51'",
            "resnet50/0/training/fp32": "batch size '0'",
            "resnet50/1e3/training/fp32": "batch size '1e3'",
            "resnet50/64/serving/fp32": "mode 'serving'",
            "resnet50/64/training/int8": "precision 'int8'",
            "resnet50/64/training/fp32/poisson:0.5": "for inference only",
            "resnet50/64/inference/fp32/poisson:0": "poisson:SHARE",
            "resnet50/64/inference/fp32/poisson:1.5": "poisson:SHARE",
            "resnet50:depth=3/64/training/fp32": "no option 'depth'",
            "resnet50:image=../64/training/fp32": "image='..'",
            "resnet50:image=$(x)/64/training/fp32": "is not a number or a word",
        }
        for text, complaint in table.items():
            with self.subTest(text), self.assertRaisesRegex(plans.PlanError, complaint.replace("(", r"\(")):
                Job.parse(text)

    def test_bad_lines_are_named_and_the_rest_go_on(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "plan.csv")
            path.write_text(
                "model,batch_sizes,modes,precisions\nmlp,1 2,inference,fp32\nmlp,x,inference,fp32\nmlp,4,training,fp32\n"
            )
            plan = plans.read_jobs(path)
        self.assertEqual([1, 2, 4], [job.batch_size for job in plan.entries])
        self.assertEqual([f"{path}:3: batch size 'x' is not a whole number from 1"], plan.complaints)

    def test_every_shipped_plan_can_be_read(self):
        for path in sorted(PLANS.glob("*.csv")):
            readers = {"jobs": plans.read_groups, "engine": languages.read_runs}
            plan = readers.get(path.read_text().split(",")[0].split("\n")[0], plans.read_jobs)(path)
            with self.subTest(path.name):
                self.assertEqual([], plan.complaints)
                self.assertTrue(plan.entries)

    def test_the_shipped_plans_have_the_size_that_is_wanted(self):
        self.assertEqual(81, len(plans.read_jobs(PLANS / "utilpred.csv").entries))
        self.assertGreaterEqual(len(plans.read_jobs(PLANS / "solo.csv").entries), 300)
        sizes = Counter(len(group.jobs) for group in plans.read_groups(PLANS / "pairs.csv").entries)
        self.assertGreaterEqual(sizes[2], 100)
        self.assertGreaterEqual(sizes[3], 20)

    def test_the_solo_plan_covers_every_family_mode_and_precision(self):
        jobs = plans.read_jobs(PLANS / "solo.csv").entries
        families = {architecture.family for architecture in models.ARCHITECTURES.values()} - {"resnext", "mlp"}
        self.assertLessEqual(families, {job.model.family for job in jobs})
        self.assertEqual(set(plans.PRECISIONS), {job.precision for job in jobs})
        batches = {mode: [j.batch_size for j in jobs if j.mode == mode] for mode in plans.MODES}
        self.assertEqual((1, 128), (min(batches["inference"]), max(batches["inference"])))
        self.assertEqual((8, 256), (min(b for b in batches["training"] if b > 4), max(batches["training"])))


class OrderTest(unittest.TestCase):
    jobs = plans.read_jobs(PLANS / "solo.csv").entries

    def order(self, jobs, seed=1):
        return plans.most_informative_first(jobs, plans.job_levels, seed)

    def test_every_family_comes_once_before_any_comes_three_times(self):
        order = self.order(self.jobs)
        families = {job.model.family for job in order}
        first = next(i for i in range(len(order)) if {j.model.family for j in order[: i + 1]} == families)
        self.assertLess(max(Counter(j.model.family for j in order[: first + 1]).values()), 3)

    def test_any_prefix_of_twenty_or_more_is_balanced_over_modes(self):
        order = self.order(self.jobs)
        for size in range(20, len(order) // 2):
            training = sum(job.mode == "training" for job in order[:size]) / size
            self.assertTrue(0.35 <= training <= 0.65, f"{training} of the first {size} are training")

    def test_does_not_depend_on_the_order_in_the_plan_but_on_the_seed(self):
        self.assertEqual(self.order(self.jobs), self.order(self.jobs[::-1]))
        self.assertNotEqual(self.order(self.jobs), self.order(self.jobs, seed=2))
        self.assertEqual(set(self.jobs), set(self.order(self.jobs)))

    def test_groups_of_every_size_come_early(self):
        groups = plans.read_groups(PLANS / "pairs.csv").entries
        first = plans.most_informative_first(groups, plans.group_levels, 1)[:12]
        self.assertEqual({2, 3, 4}, {len(group.jobs) for group in first})


class FiguresTest(unittest.TestCase):
    def test_the_mean_is_weighted_with_time(self):
        # 100 % for 0.1 s, 0 % for 0.3 s, 50 % for the last 0.1 s: (10 + 0 + 5) / 0.5 = 30
        readings = [Reading(t, u, None, None, None, None) for t, u in ((1.0, 100.0), (1.1, 0.0), (1.4, 50.0))]
        found = figures.series_figures(readings, 1.5)
        self.assertAlmostEqual(30, found["utilization_mean_percent"])
        self.assertEqual(0, found["utilization_p50_percent"])
        self.assertEqual(100, found["utilization_p95_percent"])
        self.assertIsNone(found["power_mean_watts"])
        self.assertEqual(3, found["samples"])

    def test_no_readings_give_empty_cells_and_no_zeros(self):
        found = figures.series_figures([], 1.0)
        self.assertEqual({None, 0}, set(found.values()))
        self.assertIsNone(figures.peak_used([]))

    def test_quantiles_are_values_that_occurred(self):
        for share, expected in ((0.5, 2), (0.51, 3), (0.99, 4), (0.01, 1), (1, 4)):
            self.assertEqual(expected, figures.quantile([3, 1, 4, 2], share))

    def test_a_closed_loop_counts_whole_steps_inside_the_window(self):
        # begun 0.9 is too early, done 2.1 too late; two steps of 0.2 and 0.6 s are left
        steps = [Step(0.9, 0.9, 1.1), Step(1.1, 1.1, 1.3), Step(1.3, 1.3, 1.9), Step(1.9, 1.9, 2.1)]
        found = figures.step_figures(steps, Window(1.0, 2.0), 8)
        self.assertEqual(2, found["steps"])
        self.assertAlmostEqual(0.4, found["step_mean_seconds"])
        self.assertAlmostEqual(16, found["throughput_per_second"])

    def test_steps_that_overlap_in_flight_are_not_counted_twice(self):
        # each is done 1 s after the one before although it was begun 2 s earlier
        steps = [Step(t, t, t + 2.0) for t in (0.0, 1.0, 2.0)]
        self.assertAlmostEqual(1.0, figures.step_figures(steps[1:], Window(1.0, 9.0), 1)["step_p50_seconds"])
        self.assertAlmostEqual((2 + 1 + 1) / 3, figures.step_figures(steps, Window(0.0, 9.0), 1)["step_mean_seconds"])

    def test_latency_begins_when_the_request_arrived(self):
        found = figures.step_figures([Step(1.0, 1.5, 1.7)], Window(1.0, 2.0), 1)
        self.assertAlmostEqual(0.7, found["latency_p99_seconds"])
        self.assertAlmostEqual(0.2, found["step_p50_seconds"])

    def test_a_window_may_be_extended_until_enough_steps_are_done(self):
        steps = [Step(1.5, 1.5, 2.5), Step(2.5, 2.5, 3.5)]
        found = figures.step_figures(steps, Window(1.0, 2.0, least_steps=2, latest_end=9.0), 1)
        self.assertEqual((2, 2.5), (found["steps"], found["window_seconds"]))

    def test_no_step_in_the_window_gives_no_figures(self):
        found = figures.step_figures([], Window(1.0, 2.0), 1)
        self.assertEqual((0, None), (found["steps"], found["step_p50_seconds"]))

    def test_pauses_are_between_kernels_and_overlapping_kernels_have_none(self):
        # 0–2 and 1–3 overlap, then a pause of 1, then 4–5: pauses 0 and 1
        found = figures.kernel_figures([Span(4, 5), Span(0, 2), Span(1, 3)])
        self.assertEqual((3, 0.5, 5.0), (found["kernels"], found["kernel_pause_mean_seconds"], found["active_seconds"]))

    def test_copies_and_annotations_are_no_kernels(self):
        def event(name, device="DeviceType.CUDA", annotation=False):
            return types.SimpleNamespace(name=name, device_type=device, is_user_annotation=annotation)

        self.assertTrue(jobs.is_kernel(event("sm90_gemm")))
        for other in (event("Memcpy HtoD"), event("Memset"), event("Optimizer.step#SGD.step"), event("x", annotation=True),
                      event("aten::mm", "DeviceType.CPU")):  # fmt: skip
            self.assertFalse(jobs.is_kernel(other))

    def test_sleeping_until_a_moment_that_has_come_returns_at_once(self):
        for moment in (0.0, *(timing.monotonic() + 1e-7 * i for i in range(2000))):
            timing.sleep_until(moment)

    def test_poisson_arrivals_have_the_rate_that_was_asked_for(self):
        arrivals = timing.poisson_arrivals(100.0, 5.0, seed=3)
        moments = [next(arrivals) for _ in range(10_000)]
        self.assertEqual(moments, sorted(moments))
        self.assertAlmostEqual(100.0, 10_000 / (moments[-1] - 5.0), delta=3.0)


class RowFileTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name, "rows.csv")

    def row(self, job, status="ok"):
        return memory.MemoryRow("s", "d", job, status, 'said "no", twice')

    def test_rows_survive_and_what_is_there_is_skipped(self):
        files.RowFile(self.path, memory.MemoryRow).append(self.row("a"), self.row("b", "out-of-memory"), self.row("c", "error"))
        again = files.RowFile(self.path, memory.MemoryRow)
        self.assertEqual(["a", "b", "c"], [row["job"] for row in again.rows()])
        self.assertEqual('said "no", twice', again.rows()[0]["message"])
        self.assertEqual(["d"], session.pending(["a", "b", "c", "d"], again, "job", retry_errors=False))
        self.assertEqual(["c", "d"], session.pending(["a", "b", "c", "d"], again, "job", retry_errors=True))

    def test_a_torn_last_line_is_dropped(self):
        files.RowFile(self.path, memory.MemoryRow).append(self.row("a"), self.row("b"))
        content = self.path.read_bytes()
        self.path.write_bytes(content[:-7])
        files.RowFile(self.path, memory.MemoryRow).append(self.row("c"))
        self.assertEqual(["a", "c"], [row["job"] for row in csv.DictReader(io.StringIO(self.path.read_text()))])

    def test_a_file_of_another_version_is_refused(self):
        self.path.write_text("session,other\n")
        with self.assertRaisesRegex(devices.DeviceError, "another version"):
            files.RowFile(self.path, memory.MemoryRow)

    def test_unmeasured_cells_are_empty(self):
        self.assertEqual(["", "0.333333333", "7", "ok"], [files.cell(v) for v in (None, 1 / 3, 7, "ok")])


class BudgetTest(unittest.TestCase):
    def bench(self, seconds):
        budget = timing.Budget(seconds, first_guess=1.0)
        return types.SimpleNamespace(budget=budget)

    def run_points(self, bench, measure):
        with contextlib.redirect_stdout(io.StringIO()):
            return session.measure_points(bench, ["a", "b", "c"], measure)

    def test_points_that_do_not_fit_are_left(self):
        self.assertEqual(3, self.run_points(self.bench(0.5), lambda point: "ok"))
        self.assertEqual(0, self.run_points(self.bench(None), lambda point: "ok"))

    def test_a_point_that_the_budget_ended_is_left_for_the_next_run(self):
        def measure(point):
            if point == "b":
                raise timing.BudgetOver
            return "ok"

        self.assertEqual(2, self.run_points(self.bench(60), measure))


class GraphTest(unittest.TestCase):
    def tensor(self, size):
        return graphs.wire_message(8, b"w") + graphs.wire_message(9, b"\1" * size)

    def model(self, *sizes):
        graph = b"".join(graphs.wire_message(5, self.tensor(size)) for size in sizes)
        return b"\x08\x08" + graphs.wire_message(7, graphs.wire_message(2, b"main") + graph)

    def tensors(self, model):
        graph = next(f.content for f in graphs.wire_fields(memoryview(model)) if f.number == 7)
        return [f.content for f in graphs.wire_fields(graph) if f.number == 5]

    def test_large_tensors_lose_their_data_and_keep_their_name(self):
        small, large = self.tensors(graphs.without_weights(self.model(16, 1 << 20)))
        self.assertEqual(self.tensor(16), bytes(small))
        fields = {field.number: bytes(field.content) for field in graphs.wire_fields(large)}
        self.assertEqual({8, 13, 14}, set(fields))
        self.assertEqual((b"w", b"\1"), (fields[8], fields[14]))
        self.assertIn(b"1048576", fields[13])
        self.assertLess(len(large), 100)

    def test_an_exported_model_keeps_its_nodes_and_shrinks(self):
        built = models.build_model("mlp", [("layers", "2"), ("width", "256")], "cpu")
        for parameter in built.module.parameters():
            pytorch.nn.init.zeros_(parameter)
        whole = graphs.export_onnx(built)
        stripped = graphs.without_weights(whole)
        self.assertGreater(len(whole), 1_000_000)
        self.assertLess(len(stripped), 10_000)
        self.assertIn(b"Gemm", stripped)
        self.assertEqual(6, sum(1 for _ in self.tensors(stripped)), "three weights and three biases, all zero or not")
        self.assertIn(b"batch", stripped)


class ModelTest(unittest.TestCase):
    PUBLISHED = {  # trainable parameters, from the documentation of torchvision
        "efficientnet_b0": 5288548, "googlenet": 6624904, "mnasnet1_0": 4383312, "mobilenet_v2": 3504872,
        "mobilenet_v3_large": 5483032, "mobilenet_v3_small": 2542856, "resnet18": 11689512,
        "shufflenet_v2_x1_0": 2278604, "squeezenet1_0": 1248424, "squeezenet1_1": 1235496,
    }  # fmt: skip

    def test_own_definitions_have_the_published_number_of_parameters(self):
        for name, expected in self.PUBLISHED.items():
            module = models.ARCHITECTURES[name].build(blocks.Options())
            with self.subTest(name):
                self.assertEqual(expected, sum(p.numel() for p in module.parameters()))

    def test_a_language_model_of_a_configuration_alone_has_random_weights(self):
        config = types.SimpleNamespace(hidden_size=4)

        class Model:
            @staticmethod
            def from_config(given, **_):
                return pytorch.nn.Linear(given.hidden_size, 2)

            @staticmethod
            def from_pretrained(name, **_):
                return pytorch.nn.Linear(3, 3)

        library = types.SimpleNamespace(
            AutoConfig=types.SimpleNamespace(from_pretrained=lambda *_, **__: config), AutoModelForCausalLM=Model
        )
        torch = pytorch.torch
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "config.json").write_text("{}")
            try:
                built = generation.load(torch, library, folder, "cpu")
            finally:
                torch.set_default_dtype(torch.float32)
            self.assertEqual((2, 4), tuple(built.weight.shape))
            self.assertEqual(torch.bfloat16, built.weight.dtype)
            Path(folder, "model.safetensors").write_text("")
            self.assertEqual((3, 3), tuple(generation.load(torch, library, folder, "cpu").weight.shape))
        self.assertEqual((3, 3), tuple(generation.load(torch, library, "owner/name", "cpu").weight.shape))

    def test_small_models_run_both_ways(self):
        for text in ("mlp:width=32:layers=1", "lstm:width=16:layers=1:directions=2:tokens=8:vocabulary=50", "dcgan:width=4",
                     "transformer:width=16:tokens=8:vocabulary=50", "unet:image=16:width=2", "pyramidnet:depth=8:alpha=6",
                     "resnext_small", "shufflenet_v2_x0_5:image=32:classes=10:stem=small"):  # fmt: skip
            for mode in plans.MODES:
                with self.subTest(text, mode=mode):
                    runner = jobs.JobRunner(Job.of(text, "2", mode, "fp32"), "cpu")
                    runner.step()()
                    self.assertGreater(runner.parameters, 0)


class DeviceTest(unittest.TestCase):
    class Library:
        """NVML where only memory and utilization are supported."""

        def nvmlInit_v2(self):
            return 0

        def nvmlDeviceGetHandleByIndex_v2(self, index, handle):
            return 0 if index == 0 else 2

        def nvmlDeviceGetMemoryInfo(self, handle, memory):
            memory._obj.used, memory._obj.total = 5 << 30, 80 << 30
            return 0

        def nvmlDeviceGetUtilizationRates(self, handle, rates):
            rates._obj.gpu, rates._obj.memory = 87, 41
            return 0

        def nvmlDeviceGetPowerUsage(self, handle, milliwatts):
            return 3  # not supported

        def nvmlDeviceGetName(self, handle, name, length):
            name.value = b"NVIDIA H100 80GB HBM3"
            return 0

        def nvmlSystemGetDriverVersion(self, driver, length):
            driver.value = b"580.1"
            return 0

    def test_unsupported_counters_read_as_none(self):
        reading = devices.NvmlDevice(self.Library(), 0).read()
        self.assertEqual((87, 41, 5 << 30), reading[1:4])
        self.assertEqual((None, None), reading[4:])

    def test_facts_name_the_device_of_the_catalogue(self):
        facts = devices.NvmlDevice(self.Library(), 0).facts()
        self.assertEqual("h100-80gb", devices.device_id(facts))
        self.assertIsNone(facts.power_limit_watts)

    def test_a_missing_gpu_is_named(self):
        with self.assertRaisesRegex(devices.DeviceError, "GPU 3 is not there"):
            devices.NvmlDevice(self.Library(), 3)

    def test_products_that_the_catalogue_does_not_mean_keep_their_name(self):
        table = {
            ("NVIDIA H200", 140, False): "h200-141gb",
            ("NVIDIA A100-SXM4-40GB", 40, False): "a100-40gb",
            ("NVIDIA A100-SXM4-80GB", 80, False): "a100-80gb",
            ("NVIDIA A100-SXM4-80GB", 80, True): "nvidia-a100-sxm4-80gb-mig",
            ("NVIDIA A100-PCIE-40GB", 40, False): "a100-pcie-40gb",
            ("Tesla V100-SXM2-32GB", 32, False): "v100-32gb",
            ("NVIDIA GeForce RTX 2080 Ti", 11, False): "rtx-2080ti",
            ("NVIDIA GeForce RTX 2080 SUPER", 8, False): "nvidia-geforce-rtx-2080-super",
            ("NVIDIA L40S", 45, False): "l40s",
            ("NVIDIA L4", 23, False): "l4",
            ("NVIDIA GeForce RTX 3080 Ti", 12, False): "nvidia-geforce-rtx-3080-ti",
        }
        for (name, gib, mig), expected in table.items():
            facts = devices.DeviceFacts(name, gib << 30, mig_enabled=mig)
            self.assertEqual(expected, devices.device_id(facts), name)

    def test_every_device_of_the_catalogue_is_found_by_its_name(self):
        for row in devices.catalogue():
            facts = devices.DeviceFacts(row["product_name"], int(row["memory_mib"]) << 20)
            self.assertEqual(row["id"], devices.device_id(facts))

    def test_a_copy_without_the_catalogue_says_how_to_get_it(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(devices.DeviceError, "devices --csv"):
            devices.catalogue([Path(folder)])

    def test_the_sheet_hides_what_identifies_a_card(self):
        facts = sheet.smi_secrets_removed("    GPU UUID      : GPU-1-2\n    Serial Number : 123\n    Product Name : X\n")
        self.assertEqual("    GPU UUID      : removed\n    Serial Number : removed\n    Product Name : X\n", facts)


class FailureTest(unittest.TestCase):
    def test_failures_have_a_status(self):
        table = {
            "CUDA out of memory. Tried to allocate 2 GiB": "out-of-memory",
            "[enforce fail] DefaultCPUAllocator: not enough memory": "out-of-memory",
            "CUDA error: an illegal memory access was encountered": "broken-device",
            '"slow_conv2d_cpu" not implemented for \'Half\'': "unsupported",
            "shapes cannot be multiplied": "error",
        }
        for message, status in table.items():
            self.assertEqual(status, service.describe_failure(RuntimeError(message))["status"], message)

    def test_a_worker_answers_whatever_it_is_asked(self):
        answering = service.WorkerService("cpu")
        for line in ("{", "{}", '{"do":"fly"}', '{"do":"run","begin":0,"end":1}', '{"do":"prepare","job":"x/1/y/z"}'):
            self.assertIn("failure", answering.answer(line), line)
        self.assertEqual(7, answering.answer('{"number":7,"do":"fly"}')["number"])
        self.assertIn("ok", answering.answer('{"do":"prepare","job":"mlp:width=8/2/inference/fp32"}'))
        self.assertGreater(answering.answer('{"do":"kernels"}')["ok"]["kernels"], 0)


class WorkerTest(unittest.TestCase):
    """With a real worker process on the CPU."""

    def setUp(self):
        self.worker = workers.Worker("cpu", {})
        self.addCleanup(self.worker.close)

    def test_an_answer_that_nobody_read_is_not_taken_for_the_next_one(self):
        self.worker.send("describe")
        self.assertEqual({}, self.worker.ask(60, "release"))

    def test_a_failure_leaves_the_worker_usable_and_a_hang_ends_it(self):
        with self.assertRaisesRegex(workers.PointFailure, "unknown model 'x'"):
            self.worker.ask(60, "prepare", job="x/1/inference/fp32")
        self.assertIn("torch", self.worker.ask(60, "describe"))
        self.worker.ask(60, "prepare", job="mlp:width=8/2/inference/fp32")
        now = timing.monotonic()
        with self.assertRaises(workers.PointFailure) as raised:
            self.worker.ask(0.2, "run", begin=now, end=now + 60)
        self.assertEqual("timeout", raised.exception.status)
        self.assertFalse(self.worker.alive)

    def test_a_worker_that_dies_is_an_error_of_the_point(self):
        self.worker.process.kill()
        with self.assertRaises(workers.PointFailure) as raised:
            self.worker.ask(60, "describe")
        self.assertEqual("error", raised.exception.status)


class SoloTest(unittest.TestCase):
    """A worker whose memory the device sees at once, and holds until it is released."""

    class Bench:
        USED = {"mlp/64/training/fp32": 900, "mlp/1/training/fp32": 300}
        CONTEXT = 100

        def __init__(self):
            self.used, self.readings = self.CONTEXT, []
            self.budget, self.session, self.device_id, self.baseline_bytes = timing.Budget(60, 1), "s", "d", 50
            self.settings = types.SimpleNamespace(
                sample_seconds=0.001, settle_seconds=0.0, window_seconds=0.01, seed=1, count_kernels=False
            )
            self.sampler = self

        def worker(self):
            return self

        def timeout(self):
            return 1.0

        def above_baseline(self, used):
            return used - self.baseline_bytes

        def between(self, begin, end):
            return [r for r in self.readings if begin <= r.seconds <= end] + [self.reading(end)]

        def reading(self, seconds):
            return Reading(seconds, 50.0, None, self.used, None, None)

        def ask(self, _timeout, do, job=None, **window):
            self.readings.append(self.reading(timing.monotonic()))
            if do == "release":
                self.used = self.CONTEXT
            elif do == "prepare":
                self.ask(_timeout, "release")
                self.used = self.CONTEXT + self.USED[job]
                return {"implementation": "own", "step_seconds": 0.001}
            elif do == "run":
                return {"begin": window["begin"], "end": window["end"]}
            return {}

    def test_the_peak_is_not_that_of_the_job_before(self):
        bench = self.Bench()
        rows = [solo.measure_solo(bench, Job.parse(job)) for job in bench.USED]
        self.assertEqual([950, 350], [row.peak_memory_bytes for row in rows])
        self.assertEqual([100, 100], [row.device_before_bytes for row in rows])


class ProfileTest(unittest.TestCase):
    ALEXNET = (0.0041535, 8.7115844, 23.7360689, 0.0555205, 0.346011)  # iGniter's V100 coefficients

    def active_ms(self, batch, share):
        k1, k2, k3, k4, k5 = self.ALEXNET
        return (k1 * batch**2 + k2 * batch + k3) / (share + k4) + k5

    def points(self):
        return [(b, r, self.active_ms(b, r)) for b, r in {*profiles.IGNITER_GRID, *profiles.INSS_GRID}]

    def rows(self):
        fields = [field.name for field in dataclasses.fields(profiles.ProfilePointRow)]
        for batch, share, time in self.points() + [(16, 50, 1.05 * self.active_ms(16, 50))]:
            beside = time != self.active_ms(batch, share)
            rate = 1000 * batch / self.active_ms(batch, share)
            values = {
                "status": "ok", "model": "alexnet", "precision": "fp32", "batch_size": batch, "share_percent": share,
                "neighbours": int(beside), "mps": "shares", "active_seconds": time / 1000, "kernels": 20,
                "power_mean_watts": 53.5 + 37 + 0.024 * rate, "l2_utilization_percent": 2 + 0.003 * rate,
                "input_bytes": 602112 * batch, "output_bytes": 4000 * batch, "kernel_pause_mean_seconds": 1.6e-6,
            }  # fmt: skip
            yield {**dict.fromkeys(fields, ""), **{key: str(value) for key, value in values.items()}}

    def test_the_grids_are_those_of_the_papers(self):
        self.assertEqual((9, 16), (len(profiles.IGNITER_GRID), len(profiles.INSS_GRID)))
        points = profiles.profile_points([(ModelSpec("alexnet"), "fp32")], with_shares=True)
        self.assertEqual([1, 2, 3, 4], sorted(p.neighbours for p in points if p.neighbours))

    def test_the_active_time_is_recovered(self):
        fitted = coefficients.fit_active_time(self.points())
        k = [fitted[f"k{i}"] for i in range(1, 6)]
        for batch, share, time in self.points():
            found = (k[0] * batch**2 + k[1] * batch + k[2]) / (share + k[3]) + k[4]
            self.assertAlmostEqual(1, found / time, delta=0.005)

    def test_too_few_points_give_no_coefficients(self):
        self.assertIsNone(coefficients.fit_active_time([(b, 100, self.active_ms(b, 100)) for b in (1, 2, 8, 16, 32, 64)]))

    def test_a_complete_workload_becomes_a_line(self):
        fit = coefficients.fit_workload(list(self.rows()), idle_watts=53.5)
        self.assertEqual((), fit.missing)
        self.assertAlmostEqual(0.024, fit.values["power_slope"], places=6)
        self.assertAlmostEqual(37, fit.values["power_intercept_watts"], places=3)
        self.assertAlmostEqual(0.003, fit.values["l2_slope"], places=6)
        # one equal neighbour of l2 percent makes the active time 5 % longer
        l2 = 2 + 0.003 * 16000 / self.active_ms(16, 50)
        self.assertAlmostEqual(0.05 / l2, fit.values["cache_sensitivity"], places=6)
        line = coefficients.profile_line("workload", "alexnet", fit, coefficients.WORKLOAD_COEFFICIENTS, "device=v100-16gb")
        self.assertRegex(line, r"^workload alexnet device=v100-16gb k1=\S+ k2=.* kernels=20 scheduling_ms=\S+ input_bytes=602112 ")

    def test_missing_coefficients_are_named(self):
        fit = coefficients.fit_workload([row for row in self.rows() if row["share_percent"] == "100"], None)
        line = coefficients.profile_line("workload", "alexnet", fit, coefficients.WORKLOAD_COEFFICIENTS)
        self.assertTrue(line.startswith("# incomplete, missing k1, k2, k3, k4, k5, cache_sensitivity, power_slope"), line)

    def test_counters_are_weighted_with_each_kernels_time(self):
        # 30 % for 1 µs and 60 % for 3 µs: 52.5 %
        output = "\n".join([
            '==PROF== Connected to process 7', '{"ok": {}}',
            '"ID","Kernel Name","dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum",'
            '"lts__throughput.avg.pct_of_peak_sustained_elapsed"',
            '"","","%","ns","%"', '"0","gemm","10","1,000","30"', '"1","relu","20","3,000","60"',
        ])  # fmt: skip
        found = profiles.counter_figures(output)
        self.assertAlmostEqual(52.5, found["l2_utilization_percent"])
        self.assertAlmostEqual(17.5, found["dram_utilization_percent"])
        self.assertEqual({}, profiles.counter_figures("==ERROR== ERR_NVGPUCTRPERM\n"))

    def test_a_line_needs_two_abscissae(self):
        self.assertIsNone(coefficients.straight_line([(1, 2), (1, 3)]))
        self.assertIsNone(coefficients.straight_line([(1, math.nan), (2, 3)]))
        self.assertEqual((2.0, 1.0), coefficients.straight_line([(0, 1), (2, 5)]))


class LanguagesTest(unittest.TestCase):
    LOG = """(APIServer pid=1) INFO [utils.py:299] version 0.19.0
(APIServer pid=1) INFO [config/model.py:1678] Using max model len 8192
(APIServer pid=1) DEBUG [arg_utils.py:2232] Defaulting max_num_batched_tokens to 8192 for OPENAI_API_SERVER usage context.
(APIServer pid=1) DEBUG [arg_utils.py:2242] Defaulting max_num_seqs to 1024 for OPENAI_API_SERVER usage context.
(EngineCore pid=2) DEBUG worker init memory snapshot: torch_peak=0.0GiB, total_memory=79.19GiB, cuda_memory=0.51GiB, torch_memory=0.0GiB
(EngineCore pid=2) INFO Model loading took 14.99 GiB memory and 6.9 seconds
(EngineCore pid=2) DEBUG Initial free memory: 78.68 GiB; Requested memory: 0.950000 (util), 75.23 GiB
(EngineCore pid=2) DEBUG Total non KV cache memory: 17.12GiB; torch peak memory increase: 1.89GiB; non-torch forward increase memory: 0.25GiB; weights memory: 14.99GiB.
(EngineCore pid=2) INFO Available KV cache memory: 58.11 GiB
(EngineCore pid=2) INFO GPU KV cache size: 952,032 tokens
(EngineCore pid=2) INFO CUDA graph pool memory: 0.91 GiB (actual), 0.84 GiB (estimated), difference: 0.07 GiB (7.5%).
(APIServer pid=1) INFO:     Application startup complete.
"""

    @contextlib.contextmanager
    def engine(self, script):
        """A program named vllm in front of all others, and a folder for results."""
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "bin" / "vllm"
            program.parent.mkdir()
            program.write_text("#!/bin/sh\n" + script)
            program.chmod(0o755)
            path = os.environ["PATH"]
            os.environ["PATH"] = f"{program.parent}:{path}"
            try:
                yield Path(folder)
            finally:
                os.environ["PATH"] = path

    def rows(self, folder, plan, *more):
        (folder / "plan.csv").write_text("engine,model,arguments,prompt_tokens,generated_tokens,beside\n" + plan)
        with contextlib.redirect_stdout(io.StringIO()):
            arguments = ["llm", "--fake-gpu", "--plan", str(folder / "plan.csv"), "--out", str(folder / "out"), *more]
            self.assertEqual(0, commands.main(arguments))
        with (folder / "out" / "llm" / "vllm_h100.csv").open(newline="") as stream:
            return list(csv.DictReader(stream))

    def test_a_start_becomes_a_row_of_the_published_columns(self):
        with self.engine(f"cat <<'END'\n{self.LOG}END\nexec sleep 60\n") as folder:
            row = self.rows(folder, "vllm,a/Llama-3.1-8B,--max-model-len=8192 --kv-cache-dtype fp8,,,\n")[0]
            self.assertEqual(("ok", "0.19.0", "fake-gpu"), (row["status"], row["vllm_version"], row["gpu"]))
            self.assertEqual(
                ("14.99", "1.89", "0.25", "0.51", "58.11", "952032", "0.91", "0.84"),
                tuple(row[name] for name in (
                    "weights_gib", "activation_peak_gib", "non_torch_increase_gib", "init_cuda_gib",
                    "kv_cache_gib", "kv_cache_tokens", "cuda_graph_actual_gib", "cuda_graph_estimated_gib")),
            )  # fmt: skip
            self.assertEqual(("fp8", "8192", "1024", "0.95"), tuple(
                row[name] for name in ("kv_cache_dtype", "max_num_batched_tokens", "max_num_seqs", "gpu_memory_utilization")))
            self.assertIn("Application startup complete", (folder / "out" / row["log"]).read_text())
            self.assertEqual(1, len(self.rows(folder, "vllm,a/Llama-3.1-8B,--max-model-len=8192 --kv-cache-dtype fp8,,,\n")))

    def test_the_server_beside_it_serves_first_and_both_end(self):
        script = f"echo $$ >> \"$0.pids\"\ncat <<'END'\n{self.LOG}END\nexec sleep 60\n"
        with self.engine(script) as folder:
            row = self.rows(folder, "vllm,a/b-1B,,,,a/c-2B --max-model-len=4096\n")[0]
            self.assertEqual(("ok", "a/c-2B --max-model-len=4096"), (row["status"], row["beside"]))
            pids = [int(line) for line in (folder / "bin" / "vllm.pids").read_text().split()]
            self.assertEqual(2, len(pids))
            for pid in pids:
                self.assertFalse(Path(f"/proc/{pid}").exists())

    def test_a_start_that_fails_is_a_row_with_its_reason(self):
        with self.engine("echo 'ValueError: No available memory for the cache blocks'\nexit 1\n") as folder:
            row = self.rows(folder, "vllm,a/b-1B,,,,\n")[0]
            self.assertEqual("error", row["status"])
            self.assertIn("No available memory for the cache blocks", row["message"])
        with self.engine("exec sleep 60\n") as folder:
            row = self.rows(folder, "vllm,a/b-1B,,,,\n", "--point-seconds", "0.3")[0]
            self.assertEqual("timeout", row["status"])

    def test_names_what_is_wrong_with_a_line(self):
        with tempfile.TemporaryDirectory() as folder:
            plan = Path(folder) / "plan.csv"
            plan.write_text(
                "engine,model,prompt_tokens,beside\nollama,a/b,,\nvllm,--x,,\ntransformers,a/b,0,\nvllm,a/b,,--c\nvllm,a/b,,\n"
            )
            read = languages.read_runs(plan)
            self.assertEqual(1, len(read.entries))
            for complaint, part in zip(read.complaints, ("engine 'ollama'", "model '--x'", "prompt_tokens '0'", "model '--c'")):
                self.assertIn(part, complaint)

    def test_the_shipped_plan_is_read(self):
        read = languages.read_runs(PLANS / "llm.csv")
        self.assertEqual([], read.complaints)
        self.assertEqual({"vllm", "transformers"}, {run.engine for run in read.entries})
        self.assertTrue(any(run.beside for run in read.entries))

    def test_families_are_names_without_sizes(self):
        for model, family in (("Qwen/Qwen2.5-0.5B-Instruct", "qwen2.5"), ("facebook/opt-1.3b", "opt"), ("/m/Llama-3.1-8B", "llama-3.1")):
            self.assertEqual(family, languages.family(model))


class CommandLineTest(unittest.TestCase):
    def test_bad_usage_is_told_in_one_line(self):
        for arguments, code in (
            (["solo", "--fake-gpu", "--plan", "none.csv", "--out", "x", "--sample-hertz", "10"], 2),
            (["order", "--plan", "none.csv"], 1),
        ):
            with self.subTest(arguments), contextlib.redirect_stderr(io.StringIO()) as told:
                self.assertEqual(code, commands.main(arguments))
                self.assertEqual(1, told.getvalue().count("\n"))


if __name__ == "__main__":
    unittest.main()
