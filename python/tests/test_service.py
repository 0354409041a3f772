"""The client and the whole way through a running service, where ``COTENANT_TEST_URL`` names one for tests."""

from __future__ import annotations

import asyncio
import os
import unittest
import uuid

import cotenant
from cotenant import AsyncClient, Client, Command, Run, errors, measuring
from cotenant.measuring import Meter

from .test_archive import MIXED
from .test_measuring import FakeClock, FakeGpu, busy

URL = os.environ.get("COTENANT_TEST_URL")


@unittest.skipUnless(URL, "COTENANT_TEST_URL is not set: no running service is tried")
class ServiceTest(unittest.TestCase):
    def setUp(self):
        self.client = Client(URL)
        self.name = f"python-{uuid.uuid4()}"

    def test_a_service_and_the_command_predict_the_same(self):
        settings = {"device": "a100-40gb", "precision": "fp32", "batch_size": 16}
        found = cotenant.predict(MIXED, service=URL, **settings)
        self.assertEqual(16, found.batch_size)
        if os.environ.get("COTENANT_COMMAND"):
            printed = cotenant.predict(MIXED, service=Command(), **settings)
            self.assertEqual(printed.peak_memory_bytes, found.peak_memory_bytes)
            self.assertEqual(printed.utilization_percent, found.utilization_percent)

    def test_a_registered_model_is_measured_and_then_predicted_by_its_runs(self):
        cotenant.register(self.name, MIXED, service=self.client)
        self.assertIn(self.name, [model["name"] for model in self.client.models()])
        clock = FakeClock()
        run = measuring.measure(self.name, service=self.client, gpu=FakeGpu(busy(37.5, 3)), batch_size=8, precision="amp-bf16", optimizer="adamw")
        with run:
            run._meter = Meter(FakeGpu(busy(37.5, 3)), clock=clock, interval_seconds=60)
            for _ in range(20):
                clock.now += 1
                run.step()
                run._meter.sample()
        self.assertIsNone(run.error)
        rows = [row["fields"] for row in self.client.profiles(page_size=3)]
        row = next(fields for fields in rows if fields.get("peak_memory_bytes") == str(3 << 30))
        self.assertEqual(("a100-40gb", "37.5", "amp-bf16", "adamw", "8"), tuple(row[key] for key in ("device", "utilization_percent", "precision", "optimizer", "batch_size")))

    def test_reservations_live_and_end(self):
        held = self.client.reserve({"workload": {"namespace": "team-a", "name": self.name, "model": "resnet18", "batch_size": 4}})
        self.assertEqual("ALLOCATED", self.client.reservation(held["id"])["state"])
        self.assertEqual("RELEASED", self.client.release(held["id"])["state"])
        with self.assertRaises(errors.NotFoundError) as caught:
            self.client.reservation("b7a0c2d4e6f9")
        self.assertTrue(caught.exception.detail)

    def test_reading_calls_are_answered(self):
        self.assertIn("h100-80gb", [device.id for device in self.client.devices()])
        self.assertTrue(self.client.gpus()["gpus"])
        for call in (self.client.queue, self.client.predictors, self.client.replay):
            self.assertIsInstance(call(), dict)
        for call in (self.client.decisions, self.client.trainings):
            self.assertIsInstance(call(), list)
        gpu = self.client.gpus()["gpus"][0]["uuid"]
        self.assertEqual(gpu, self.client.gpu_forecast(gpu)["uuid"])
        decided = self.client.decide({"workload": {"name": "team-a/train", "model": "resnet18", "batch_size": 4}})
        self.assertIn("result", decided["decision"])
        answers = self.client.predict_many([{"model": "resnet18", "device": "t4"}, {"model": self.name, "device": "t4"}])
        self.assertEqual([False, True], ["error" in answer for answer in answers])

    def test_coroutines_run_at_once(self):
        async def several():
            client = AsyncClient(URL)
            question = {"model": "resnet18", "device": "t4", "batch_size": 8}
            return await asyncio.gather(*(client.predict(question) for _ in range(8)))

        self.assertEqual(1, len({answer["peak_memory_bytes"]["mean"] for answer in asyncio.run(several())}))

    def test_problems_of_the_service_are_errors_with_its_code(self):
        with self.assertRaisesRegex(errors.InvalidRequestError, "(?i)unknown.*h1000"):
            self.client.predict_graph(cotenant.graph(MIXED), "h1000", Run())
        with self.assertRaises(errors.InvalidRequestError) as caught:
            self.client.predict_graph(cotenant.graph(MIXED), "p40", Run(precision="bf16"))
        self.assertEqual("precision-unavailable", caught.exception.code)
        with self.assertRaises(errors.InvalidRequestError):
            self.client.predict_graph(b"no model at all", "t4", Run(precision="fp32"))
        with self.assertRaises(errors.ServiceError) as caught:
            self.client.predict({"model": self.name, "device": "t4"})
        self.assertIn(self.name, caught.exception.detail)
        with self.assertRaises(errors.UnauthorizedError) as caught:
            Client(URL, token="not-a-token-of-anyone").gpus()
        self.assertEqual("token-required", caught.exception.code)
        added = self.client.add_profiles([{"model": self.name, "device": "t4", "batch_size": 1, "peak_memory_bytes": 1}])
        self.assertEqual(1, added.rejected[0][0])
