"""The client against a server of this process."""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import cotenant
from cotenant import errors
from cotenant.client import AsyncClient, Client
from cotenant.prediction import Prediction, Run

from .server import PREDICTION, Answer, problem, serving

ROOT = Path(__file__).parents[2]
ENDPOINTS = ROOT / "service/src/main/java/dev/cotenant/service/access/Endpoint.java"
OPENAPI_EXAMPLES = ROOT / "service/src/main/resources/META-INF/openapi.json"
TOKEN = "s3cret-token-of-a-test"


class EndpointTest(unittest.TestCase):
    CALLS = {
        "get.devices": lambda c: c.devices(),
        "get.models": lambda c: c.models(),
        "get.models.name": lambda c: c.model("name"),
        "delete.models.name": lambda c: c.delete_model("name"),
        "put.models.name": lambda c: c.put_model("name", b"onnx"),
        "post.predictions": lambda c: c.predict({"model": "resnet18", "device": "t4"}),
        "post.decisions": lambda c: c.decide({"workload": {}}),
        "get.decisions": lambda c: c.decisions(limit=3),
        "post.plans": lambda c: c.plan({"devices": []}),
        "get.gpus": lambda c: c.gpus(),
        "get.gpus.uuid.forecast": lambda c: c.gpu_forecast("uuid"),
        "get.gpus.uuid": lambda c: c.gpu("uuid"),
        "get.gpus.uuid.history": lambda c: c.gpu_history("uuid", hours=2),
        "get.history": lambda c: c.history(),
        "get.evidence": lambda c: c.evidence("team-a"),
        "get.memory-shortages": lambda c: c.memory_shortages(),
        "delete.memory-shortages": lambda c: c.forget_memory_shortages("team-a", "resnet50"),
        "get.recommendations": lambda c: c.recommendations(days=7),
        "get.kv-caches": lambda c: c.kv_caches("team-a", days=7),
        "get.service-profiles": lambda c: c.service_profiles(),
        "post.service-profiles": lambda c: c.add_service_profiles(b"workload"),
        "delete.service-profiles.name": lambda c: c.delete_service_profiles("name"),
        "get.constants": lambda c: c.constants(),
        "post.constants.rollback": lambda c: c.rollback_constants("team-a", "0.24", "odd driver"),
        "get.fleets": lambda c: c.fleets(),
        "get.fleets.name": lambda c: c.fleet("name"),
        "post.fleets": lambda c: c.add_fleet("chat", {"workloads": []}),
        "delete.fleets.name": lambda c: c.delete_fleet("name"),
        "get.queue": lambda c: c.queue("team-a"),
        "get.explain.namespace.pod": lambda c: c.explain("namespace", "pod"),
        "post.reservations": lambda c: c.reserve({"workload": {}}),
        "get.reservations.id": lambda c: c.reservation("id"),
        "post.reservations.id.confirm": lambda c: c.confirm("id", "n", "p", "u"),
        "delete.reservations.id": lambda c: c.release("id"),
        "post.profiles": lambda c: c.add_profiles([{}]),
        "get.profiles": lambda c: list(c.profiles()),
        "delete.profiles": lambda c: c.withdraw_profiles("alice: notebook"),
        "delete.profiles.number": lambda c: c.withdraw_profile("number"),
        "post.speeds": lambda c: c.add_speeds("team-a", {"train": 2.5}),
        "post.trainings": lambda c: c.train(),
        "get.trainings": lambda c: c.trainings(),
        "get.trainings.id": lambda c: c.training("id"),
        "delete.trainings.id": lambda c: c.cancel_training("id"),
        "get.predictors": lambda c: c.predictors(),
        "post.predictors": lambda c: c.add_predictor(b"model"),
        "delete.predictors.version": lambda c: c.delete_predictor("version"),
        "post.predictors.version.promotion": lambda c: c.promote("version"),
        "post.predictors.rollback": lambda c: c.rollback("slow"),
        "post.what-if": lambda c: c.start_replay(hours=2),
        "get.what-if": lambda c: c.replay(),
    }

    def test_every_call_goes_to_the_endpoint_of_its_documented_example_and_reads_its_answer(self):
        examples = json.loads(OPENAPI_EXAMPLES.read_text())["components"]["examples"]
        for key, call in self.CALLS.items():
            document = examples[key]["value"]
            if key == "get.profiles":
                document = {**document, "next": 0}
            with self.subTest(key), serving(Answer(200, document)) as server:
                call(Client(server.url))
                seen = server.seen[0]
                parts = seen.path.partition("?")[0].removeprefix("/v1/").split("/")
                self.assertEqual(key, ".".join([seen.method.lower(), *parts]))
                if seen.method in ("POST", "PUT"):
                    self.assertIn("Content-Type", seen.headers)

    # A stream of events, and text for Prometheus to scrape.
    WITHOUT_CALL = {"get.events", "get.chargeback"}

    def test_every_endpoint_has_a_call(self):
        calls = re.findall(r'"(GET|POST|PUT|DELETE) /v1/([^"]+)"', ENDPOINTS.read_text())
        endpoints = {".".join([method.lower(), *re.sub("[{}]", "", path).split("/")]) for method, path in calls}
        self.assertEqual(endpoints, self.CALLS.keys() | self.WITHOUT_CALL)

    def test_a_list_is_all_its_pages_or_its_first_entries(self):
        pages = [{"trainings": [{"id": "a"}, {"id": "b"}], "continue": "b+"}, {"trainings": [{"id": "c"}]}]
        with serving(*(Answer(200, page) for page in pages)) as server:
            self.assertEqual(["a", "b", "c"], [one["id"] for one in Client(server.url).trainings()])
        self.assertEqual(["/v1/trainings", "/v1/trainings?continue=b%2B"], [seen.path for seen in server.seen])
        with serving(*(Answer(200, page) for page in pages)) as server:
            self.assertEqual(["a", "b"], [one["id"] for one in Client(server.url).trainings(limit=2)])
        self.assertEqual(["/v1/trainings?limit=2"], [seen.path for seen in server.seen])

    def test_a_page_without_entries_ends_a_list(self):
        with serving(Answer(200, {"trainings": [], "continue": "b"})) as server:
            self.assertEqual([], Client(server.url).trainings())
        self.assertEqual(1, len(server.seen))

    def test_a_count_that_is_none_is_refused(self):
        with serving(Answer(200, {"deleted": "all"})) as server:
            with self.assertRaisesRegex(errors.InvalidResponseError, "no number 'deleted'"):
                Client(server.url).forget_memory_shortages("team-a")

    def test_names_stay_one_part_of_the_path(self):
        with serving(Answer(200, {})) as server:
            Client(server.url).explain("a/../../b", "p?q#r")
        self.assertEqual("/v1/explain/a%2F..%2F..%2Fb/p%3Fq%23r", server.seen[0].path)
        with self.assertRaisesRegex(errors.InputError, "'..' is not a valid name"):
            Client("http://localhost:1").training("..")

    def test_a_model_is_replaced_by_its_digest(self):
        with serving(*[Answer(200, {})] * 3) as server:
            client = Client(server.url)
            client.put_model("name", b"onnx")
            client.put_model("name", b"onnx", replaced_sha256="0" * 64)
            client.put_model("name", b"onnx", replaced_sha256="*")
        self.assertEqual([None, f'"{"0" * 64}"', "*"], [seen.headers.get("If-Match") for seen in server.seen])

    def test_rows_come_page_by_page(self):
        pages = [{"count": 3, "profiles": [{"number": 1}, {"number": 2}], "next": 2}, {"count": 3, "profiles": [{"number": 3}], "next": 3}]
        with serving(*(Answer(200, page) for page in [*pages, {"count": 3, "profiles": [], "next": 3}])) as server:
            rows = list(Client(server.url).profiles(page_size=2))
        self.assertEqual([1, 2, 3], [row["number"] for row in rows])
        self.assertEqual("/v1/profiles?after=2&limit=2", server.seen[1].path)

    def test_an_upload_is_predicted_with_its_settings(self):
        with serving(Answer(200, PREDICTION)) as server:
            run = Run(precision="bf16", optimizer="adamw", batch_size=8)
            prediction = Client(server.url).predict_graph(b"\x08\x0a", "h100-80gb", run)
        self.assertEqual(61.0, prediction.utilization_percent.mean)
        self.assertEqual("cnn", prediction.utilization_percent.calibration_group)
        self.assertEqual(
            "/v1/predictions?batch=8&mode=training&precision=bf16&optimizer=adamw&device=h100-80gb", server.seen[0].path
        )
        self.assertEqual(b"\x08\x0a", server.seen[0].body)
        self.assertIn("61.0 % (50.0–70.0 at 90 %)", str(prediction))

    def test_a_prediction_says_what_is_assumed_and_what_was_measured(self):
        here = {"targets": ["utilization", "memory"], "runs": 3, "last_at": "2026-11-29T12:00:00Z"}
        answer = {**PREDICTION, "utilization_percent": {"mean": 61, "lower": 50, "upper": 70}, "measured_here": here}
        text = str(Prediction.of(answer))
        self.assertIn("61.0 % (50.0–70.0, assumed)", text)
        self.assertIn("measured     utilization, memory: 3 runs of this cluster", text)

    def test_every_call_is_a_coroutine_as_well(self):
        async def both(url):
            client = AsyncClient(url, timeout_seconds=5)
            return await asyncio.gather(client.gpus(), client.queue("team-a"))

        with serving(Answer(200, {"gpus": []})) as server:
            self.assertEqual([{"gpus": []}] * 2, asyncio.run(both(server.url)))
        with self.assertRaisesRegex(AttributeError, "no call 'card'"):
            AsyncClient("http://localhost:1").card()


class ErrorTest(unittest.TestCase):
    def test_a_problem_document_is_an_error_of_its_kind(self):
        kinds = {
            400: errors.InvalidRequestError, 401: errors.UnauthorizedError, 403: errors.ForbiddenError, 404: errors.NotFoundError,
            409: errors.ConflictError, 410: errors.NotFoundError, 422: errors.InvalidRequestError, 500: errors.ServiceError,
        }  # fmt: skip
        for status, kind in kinds.items():
            with self.subTest(status), serving(problem(status, "some-code", "Use the other one.")) as server:
                with self.assertRaises(kind) as caught:
                    Client(server.url).gpus()
                self.assertEqual((status, "some-code", "Use the other one."), (caught.exception.status, caught.exception.code, caught.exception.detail))
                self.assertEqual(1, len(server.seen))

    def test_reads_are_repeated_after_overload_when_the_service_says(self):
        overload = problem(503, "not-leader", **{"Retry-After": "0"})
        with serving(overload, overload, Answer(200, {"gpus": []})) as server:
            self.assertEqual({"gpus": []}, Client(server.url).gpus())
        with serving(overload) as server, self.assertRaises(errors.OverloadedError) as caught:
            Client(server.url).gpus()
        self.assertEqual(0, caught.exception.retry_after_seconds)
        self.assertEqual(3, len(server.seen))

    def test_a_wait_beyond_the_timeout_is_left_to_the_caller(self):
        with serving(problem(429, "too-many-unknown-tokens", **{"Retry-After": "3600"})) as server:
            with self.assertRaises(errors.OverloadedError) as caught:
                Client(server.url).gpus()
        self.assertEqual(3600, caught.exception.retry_after_seconds)
        self.assertEqual(1, len(server.seen))

    def test_a_reservation_is_repeated_with_the_same_key(self):
        overload = problem(503, "store-unavailable", **{"Retry-After": "0"})
        with serving(overload, Answer(201, {"id": "a"})) as server:
            self.assertEqual({"id": "a"}, Client(server.url).reserve({"workload": {}}))
        keys = [seen.headers["Idempotency-Key"] for seen in server.seen]
        self.assertRegex(keys[0], "^[0-9a-f-]{36}$")
        self.assertEqual(keys[0], keys[1])

    def test_what_starts_something_is_sent_once(self):
        for call in (Client.train, lambda c: c.rollback("slow"), lambda c: c.promote("v"), lambda c: c.start_replay()):
            with serving(problem(503, "store-unavailable", **{"Retry-After": "0"})) as server:
                with self.assertRaises(errors.OverloadedError):
                    call(Client(server.url))
                self.assertEqual(1, len(server.seen))


class HostileServiceTest(unittest.TestCase):
    def refused(self, answer, pattern, kind=errors.InvalidResponseError, **settings):
        with serving(answer) as server, self.assertRaisesRegex(kind, pattern) as caught:
            Client(server.url, attempts=1, **settings).gpus()
        return caught.exception

    def test_garbage_is_not_an_answer(self):
        self.refused(Answer(200, raw=b"<html>login</html>", headers={"Content-Type": "text/html"}), "200 with text/html")
        self.refused(Answer(200, raw=b"\xff\xfe\x00"), "not a Cotenant response")
        self.refused(Answer(200, raw=b"[" * 100_000), "not a Cotenant response")
        self.refused(Answer(200, [1, 2]), "no JSON object")
        self.refused(Answer(502, raw=b"Bad Gateway", headers={"Content-Type": "text/plain"}), "502 with text/plain")
        self.refused(Answer(500, {"code": 7}), "500 with application/json")

    def test_a_prediction_without_its_numbers_is_refused(self):
        for broken in ({}, {**PREDICTION, "peak_memory_bytes": None}, {**PREDICTION, "batch_size": "8"}, {**PREDICTION, "utilization_percent": {"mean": True}}):
            with serving(Answer(200, broken)) as server, self.assertRaises(errors.InvalidResponseError):
                Client(server.url).predict_graph(b"", "t4", Run())

    def test_a_redirect_is_not_followed(self):
        with serving(Answer(200, {"gpus": []})) as other:
            self.refused(Answer(302, {}, {"Location": other.url + "/v1/gpus"}), "302", token=TOKEN)
            self.assertEqual([], other.seen)

    def test_an_endless_answer_is_cut_off(self):
        def flood(handler):
            handler.send_response(200)
            handler.send_header("Connection", "close")
            handler.end_headers()
            block = b" " * (1 << 20)
            try:
                for _ in range(80):
                    handler.wfile.write(block)
            except OSError:
                pass
            handler.close_connection = True

        self.refused(Answer(act=flood), "more than 64 MiB")

    def test_silence_and_dripping_end_with_the_timeout(self):
        def silent(handler):
            handler.is_over.wait(10)

        def dripping(handler):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not handler.is_over.wait(0.05):
                try:
                    handler.wfile.write(b"X-Header: a\r\n")
                except OSError:
                    return

        for act in (silent, dripping):
            self.refused(Answer(act=act), "does not answer within 0.3 seconds", errors.UnreachableError, timeout_seconds=0.3)

    def test_a_closed_port_says_what_to_check(self):
        with serving(Answer()) as server:
            url = server.url
        with self.assertRaisesRegex(errors.UnreachableError, "is the service started, and is COTENANT_URL right"):
            Client(url, attempts=1).gpus()


class TokenTest(unittest.TestCase):
    def test_a_token_is_sent_and_never_shown(self):
        with serving(problem(403, "forbidden")) as server:
            client = Client(server.url, token=TOKEN)
            with self.assertRaises(errors.ForbiddenError) as caught:
                client.gpus()
        self.assertEqual(f"Bearer {TOKEN}", server.seen[0].headers["Authorization"])
        shown = [repr(client), str(client), repr(client.connection), repr(AsyncClient(server.url, token=TOKEN)), str(caught.exception)]
        self.assertNotIn(TOKEN, " ".join(shown))

    def test_a_token_file_is_read_anew(self):
        with tempfile.TemporaryDirectory() as folder, serving(Answer(200, {})) as server:
            path = Path(folder, "token")
            client = Client(server.url, token_file=path)
            for token in ("first", "second"):
                path.write_text(token + "\n")
                client.gpus()
        self.assertEqual(["Bearer first", "Bearer second"], [seen.headers["Authorization"] for seen in server.seen])

    def test_a_token_does_not_cross_the_network_in_the_clear(self):
        with self.assertRaisesRegex(errors.InputError, "unencrypted to cotenant.example"):
            Client("http://cotenant.example", token=TOKEN)
        Client("http://cotenant.example", token=TOKEN, allow_plaintext_token=True)
        Client("https://cotenant.example", token=TOKEN)

    def test_malformed_tokens_are_refused_without_being_shown(self):
        for token in ("", "a\r\nX-Other: b", "ü" * 20):
            with self.assertRaisesRegex(errors.InputError, "the token is empty or has") as caught:
                Client("http://localhost:1", token=token).gpus()
            self.assertNotIn(token or "X-Other", str(caught.exception))

    def test_the_environment_is_used_where_nothing_is_given(self):
        with serving(Answer(200, {})) as server:
            with mock.patch.dict(os.environ, {"COTENANT_URL": server.url, "COTENANT_TOKEN": TOKEN}):
                Client().gpus()
        self.assertEqual(f"Bearer {TOKEN}", server.seen[0].headers["Authorization"])
        with mock.patch.dict(os.environ, clear=True), self.assertRaisesRegex(errors.InputError, "set COTENANT_URL"):
            Client()

    def test_urls_that_are_none_are_refused(self):
        for url in ("cotenant.example:8080", "ftp://a", "http://", "http://h/?a=b"):
            with self.assertRaisesRegex(errors.InputError, "not of the form"):
                Client(url)
        with self.assertRaisesRegex(errors.InputError, "pass the token") as caught:
            Client("https://user:pass@host")
        self.assertNotIn("pass@", str(caught.exception))

    def test_certificates_are_verified(self):
        context = Client("https://localhost:1").connection._connection(1)._context
        self.assertTrue(context.check_hostname)
        self.assertEqual(2, context.verify_mode)
        with self.assertRaisesRegex(errors.InputError, "ca_file /nowhere.pem cannot be read"):
            Client("https://localhost:1", ca_file="/nowhere.pem").gpus()


class PackageTest(unittest.TestCase):
    def test_the_version_is_that_of_the_project_file(self):
        text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
        self.assertEqual(cotenant.__version__, re.search(r'^version = "(.+)"', text, re.M).group(1))
