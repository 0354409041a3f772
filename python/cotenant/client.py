"""The REST API, by hand.

A client generated from OpenAPI has a class for each of some two hundred schemas, none of which knows which requests
may be repeated, and needs a generator and its runtime. What a Python user needs are fifty calls: they are written
here, take and return JSON as ``docs/rest.md`` describes it, and are typed where code computes with the answer. A test
compares them with the service's endpoints, which all have one but the stream of events and the scrape of chargeback.
Clients in other languages are generated.
"""

from __future__ import annotations

import asyncio
import functools
import json
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, TypeVar, Union
from urllib.parse import quote

from .errors import InputError, InvalidRequestError, InvalidResponseError
from .http import Connection, Request, connection_from_environment
from .prediction import Device, Prediction, Run

Json = dict[str, Any]
Result = TypeVar("Result")
BINARY = "application/octet-stream"


@dataclass(frozen=True)
class Added:
    """What became of rows.

    :ivar rejected: the place of each refused row from 1, and the reason
    """

    received: int
    added: int
    duplicates: int
    rejected: tuple[tuple[int, str], ...]


class Client:
    """A service. Calls raise :class:`~cotenant.errors.ServiceError` with the service's code and detail.

    Requests that have the effect of one when sent twice are repeated after 429, 503 and broken connections, within
    the timeout: reading, predicting, uploading, adding rows (a row with known content is a duplicate) and reserving,
    with an ``Idempotency-Key``. All others are sent once.

    :param url: by default ``COTENANT_URL``
    :param settings: those of :class:`~cotenant.http.Connection`: token, token_file, ca_file, timeout_seconds, attempts
    """

    def __init__(self, url: Optional[str] = None, **settings: Any):
        self.connection: Connection = connection_from_environment(url, **settings)

    def __repr__(self) -> str:
        return f"Client({str(self.connection)!r})"

    # Catalogue and models

    def devices(self) -> list[Device]:
        """The known GPU products."""
        return [Device.of(entry) for entry in self._list("/v1/devices", "devices")]

    def models(self) -> list[Json]:
        """The registered models."""
        return self._list("/v1/models", "models")

    def model(self, name: str) -> Json:
        """A registered model."""
        return self._get(f"/v1/models/{_part(name)}")

    def put_model(
        self, name: str, content: Union[bytes, str, Path, Mapping[str, Any]], replaced_sha256: Optional[str] = None
    ) -> Json:
        """Registers a model under a name: the bytes or path of an ONNX file, or the description of a language model.

        A name that means another file is replaced only where ``replaced_sha256`` is that file's, or ``"*"``.
        """
        if isinstance(content, Mapping):
            body, kind = _json(content), "application/json"
        else:
            body, kind = _bytes(content), BINARY
        tag = replaced_sha256 if replaced_sha256 in (None, "*") else f'"{replaced_sha256}"'
        headers = {} if tag is None else {"If-Match": tag}
        path = f"/v1/models/{_part(name)}"
        return self._object(Request("PUT", path, body=body, headers=headers, content_type=kind, is_repeatable=True))

    def delete_model(self, name: str) -> Json:
        """Deletes a registered model."""
        return self._object(Request("DELETE", f"/v1/models/{_part(name)}"))

    # Predictions, decisions and plans

    def predict_graph(self, graph: bytes, device: str, run: Run, name: str = "model") -> Prediction:
        """The prediction of an ONNX model that is not registered; ``name`` is not sent."""
        query = {**run.settings(), "device": device}
        return Prediction.of(
            self.connection.send(
                Request("POST", "/v1/predictions", query, graph, content_type=BINARY, is_repeatable=True)
            )
        )

    def predict_graphs(
        self, graph: bytes, questions: Sequence[tuple[str, int]], run: Run, name: str = "model"
    ) -> list[Union[Prediction, InvalidRequestError]]:
        """Predictions of an ONNX model on devices at batches, one request each.

        :param questions: ids of the catalogue with samples per batch
        :returns: in the order of the questions; the error of one that the service refuses
        """
        answers: list[Union[Prediction, InvalidRequestError]] = []
        for device, batch in questions:
            try:
                answers.append(self.predict_graph(graph, device, replace(run, batch_size=batch), name))
            except InvalidRequestError as error:
                answers.append(error)
        return answers

    def predict(self, question: Mapping[str, Any]) -> Json:
        """The answer about a registered model: fields ``model``, ``device`` (or ``all``), ``batch_size``, ``mode`` …"""
        return self._post("/v1/predictions", question, is_repeatable=True)

    def predict_many(self, questions: Sequence[Mapping[str, Any]]) -> list[Json]:
        """Up to 1,000 questions; a wrong one has ``error`` in its answer."""
        answer = self._post("/v1/predictions", list(questions), is_repeatable=True)
        return _entries(answer, "predictions")

    def decide(self, question: Mapping[str, Any]) -> Json:
        """The decision about a ``pod`` or ``workload``, without a grant."""
        return self._post("/v1/decisions", question, is_repeatable=True)

    def decisions(self, limit: Optional[int] = None) -> list[Json]:
        """Recent decisions, ``limit`` at most."""
        return self._list("/v1/decisions", "decisions", limit)

    def plan(self, fleet: Mapping[str, Any], strategy: Optional[str] = None) -> Json:
        """GPUs, shares and batches for workloads with objectives, rates and prices."""
        query = {"strategy": strategy}
        return self._object(Request("POST", "/v1/plans", query, _json(fleet), is_repeatable=True))

    def fleets(self) -> list[Json]:
        """The fleets that are watched."""
        return self._list("/v1/fleets", "fleets")

    def fleet(self, name: str) -> Json:
        """What a watched fleet should run."""
        return self._get(f"/v1/fleets/{_part(name)}")

    def add_fleet(self, name: str, fleet: Mapping[str, Any]) -> Json:
        """Watches a fleet, in place of the one of this name."""
        return self._object(Request("POST", "/v1/fleets", {"name": name}, _json(fleet), is_repeatable=True))

    def delete_fleet(self, name: str) -> int:
        """Watches a fleet no longer, and forgets it."""
        return _count(self._object(Request("DELETE", f"/v1/fleets/{_part(name)}")), "deleted")

    # The cluster

    def gpus(self, node: Optional[str] = None, limit: Optional[int] = None, after: Optional[str] = None) -> Json:
        """GPUs with their tenants; ``after`` is the ``continue`` of the page before."""
        return self._get("/v1/gpus", **{"node": node, "limit": limit, "continue": after})

    def gpu(self, uuid_of_gpu: str) -> Json:
        """A GPU with its tenants."""
        return self._get(f"/v1/gpus/{_part(uuid_of_gpu)}")

    def gpu_history(self, uuid_of_gpu: str, hours: Optional[int] = None) -> Json:
        """The figures of a GPU over the last hours."""
        return self._get(f"/v1/gpus/{_part(uuid_of_gpu)}/history", hours=hours)

    def history(self, hours: Optional[int] = None) -> Json:
        """The totals of the cluster over the last hours."""
        return self._get("/v1/history", hours=hours)

    def gpu_forecast(self, uuid_of_gpu: str) -> Json:
        """The memory forecast of a GPU by every estimator."""
        return self._get(f"/v1/gpus/{_part(uuid_of_gpu)}/forecast")

    def queue(
        self, namespace: Optional[str] = None, limit: Optional[int] = None, after: Optional[str] = None
    ) -> Json:
        """Gated pods in queue order; ``after`` is the ``continue`` of the page before."""
        return self._get("/v1/queue", **{"namespace": namespace, "limit": limit, "continue": after})

    def evidence(self, namespace: Optional[str] = None) -> list[Json]:
        """Whether the namespaces are ready to share, by what predictions held."""
        return self._list("/v1/evidence", "namespaces", namespace=namespace)

    def memory_shortages(self, namespace: Optional[str] = None) -> list[Json]:
        """Configurations whose pods ran out of memory, the newest first."""
        return self._list("/v1/memory-shortages", "memory_shortages", namespace=namespace)

    def forget_memory_shortages(self, namespace: str, model: Optional[str] = None) -> int:
        """Forgets the out-of-memory failures of a namespace, and says how many."""
        query = {"namespace": namespace, "model": model}
        return _count(self._object(Request("DELETE", "/v1/memory-shortages", query)), "deleted")

    def recommendations(self, namespace: Optional[str] = None, **settings: Any) -> Json:
        """Right-sized requests of running workloads: ``coverage``, ``days``, ``window``, ``price``."""
        return self._get("/v1/recommendations", namespace=namespace, **settings)

    def kv_caches(self, namespace: Optional[str] = None, **settings: Any) -> Json:
        """KV caches that measured demand asks for: ``coverage``, ``days``, ``window``."""
        return self._get("/v1/kv-caches", namespace=namespace, **settings)

    def explain(self, namespace: str, pod: str) -> Json:
        """Why a pod waits, or where it runs."""
        return self._get(f"/v1/explain/{_part(namespace)}/{_part(pod)}")

    # Reservations

    def reserve(self, request: Mapping[str, Any], idempotency_key: Optional[str] = None) -> Json:
        """Reserves a GPU for a ``workload`` or ``pod``; the key is a new UUID unless given."""
        key = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return self._object(Request("POST", "/v1/reservations", body=_json(request), headers=key, is_repeatable=True))

    def reservation(self, identifier: str) -> Json:
        """A reservation with its state."""
        return self._get(f"/v1/reservations/{_part(identifier)}")

    def confirm(self, identifier: str, namespace: str, name: str, uid: str, if_match: Optional[str] = None) -> Json:
        """Links a reservation to a pod, after which it does not expire."""
        headers = {} if if_match is None else {"If-Match": if_match}
        body = _json({"namespace": namespace, "name": name, "uid": uid})
        path = f"/v1/reservations/{_part(identifier)}/confirm"
        return self._object(Request("POST", path, body=body, headers=headers, is_repeatable=True))

    def release(self, identifier: str) -> Json:
        """Releases a reservation."""
        return self._object(Request("DELETE", f"/v1/reservations/{_part(identifier)}", is_repeatable=True))

    # Measured runs and the life cycle of predictors

    def add_profiles(self, rows: Sequence[Mapping[str, Any]]) -> Added:
        """Adds measured runs; wrong rows are listed, the others are stored."""
        answer = self._post("/v1/profiles", {"rows": list(rows)}, is_repeatable=True)
        try:
            rejected = tuple((int(entry["line"]), str(entry["reason"])) for entry in answer["rejected"])
            return Added(int(answer["received"]), int(answer["added"]), int(answer["duplicates"]), rejected)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidResponseError("the answer does not say what became of the rows") from error

    def profiles(self, page_size: int = 1000) -> Iterator[Json]:
        """All measured runs in the order of their arrival, fetched page by page."""
        after = 0
        while True:
            page = self._get("/v1/profiles", after=after, limit=page_size)
            yield from _entries(page, "profiles")
            if page.get("next") in (None, after) or not page["profiles"]:
                return
            after = page["next"]

    def withdraw_profiles(self, source: str) -> Json:
        """Withdraws the measured runs of a source."""
        return self._object(Request("DELETE", "/v1/profiles", {"source": source}))

    def withdraw_profile(self, number: int) -> Json:
        """Withdraws one measured run."""
        return self._object(Request("DELETE", f"/v1/profiles/{_part(str(number))}"))

    def add_speeds(self, namespace: str, speeds: Mapping[str, float]) -> Json:
        """Steps or samples per second of pods, by name."""
        entries = [{"pod": pod, "speed": speed} for pod, speed in speeds.items()]
        return self._post("/v1/speeds", {"namespace": namespace, "speeds": entries})

    def service_profiles(
        self, namespace: Optional[str] = None, name: Optional[str] = None, device: Optional[str] = None
    ) -> list[Json]:
        """Fitted profiles of inference services."""
        return self._list("/v1/service-profiles", "profiles", namespace=namespace, name=name, device=device)

    def add_service_profiles(self, content: Union[bytes, str, Path], namespace: Optional[str] = None) -> list[Json]:
        """Stores the profiles of a file as ``cotenant profiles fit`` writes it: its bytes or path."""
        query, body = {"namespace": namespace}, _bytes(content)
        answer = self._object(
            Request("POST", "/v1/service-profiles", query, body, content_type=BINARY, is_repeatable=True)
        )
        return _entries(answer, "profiles")

    def delete_service_profiles(
        self, name: str, namespace: Optional[str] = None, device: Optional[str] = None
    ) -> int:
        """Deletes the profiles of a service, and says how many."""
        query = {"namespace": namespace, "device": device}
        return _count(self._object(Request("DELETE", f"/v1/service-profiles/{_part(name)}", query)), "deleted")

    def constants(self, namespace: Optional[str] = None) -> list[Json]:
        """The memory constants of servers of language models, by release, with their versions."""
        return self._list("/v1/constants", "releases", namespace=namespace)

    def rollback_constants(self, namespace: str, engine_version: str, reason: str) -> Json:
        """Returns to the constants before."""
        body = {"namespace": namespace, "engine_version": engine_version, "reason": reason}
        return self._post("/v1/constants/rollback", body)

    def train(self) -> Json:
        """Starts a training from the measured runs."""
        return self._post("/v1/trainings", {})

    def trainings(self, limit: Optional[int] = None) -> list[Json]:
        """Trainings, the newest first."""
        return self._list("/v1/trainings", "trainings", limit)

    def training(self, identifier: str) -> Json:
        """A training with its state."""
        return self._get(f"/v1/trainings/{_part(identifier)}")

    def cancel_training(self, identifier: str) -> Json:
        """Stops a training."""
        return self._object(Request("DELETE", f"/v1/trainings/{_part(identifier)}", is_repeatable=True))

    def predictors(self) -> Json:
        """Versions of the predictor and the serving one."""
        return self._get("/v1/predictors")

    def add_predictor(self, content: Union[bytes, str, Path]) -> Json:
        """Uploads the bytes or path of a model file."""
        return self._object(Request("POST", "/v1/predictors", body=_bytes(content), content_type=BINARY))

    def delete_predictor(self, version: str) -> Json:
        """Deletes a version that was never promoted and that none corrects."""
        return self._object(Request("DELETE", f"/v1/predictors/{_part(version)}"))

    def promote(self, version: str, override_reason: Optional[str] = None) -> Json:
        """Makes a version the serving one."""
        body = {} if override_reason is None else {"override_reason": override_reason}
        return self._post(f"/v1/predictors/{_part(version)}/promotion", body)

    def rollback(self, reason: str) -> Json:
        """Returns to the version before."""
        return self._post("/v1/predictors/rollback", {"reason": reason})

    def start_replay(self, **settings: Any) -> Json:
        """Replays the cluster's own jobs under every policy: ``hours``, ``step_seconds``, ``price_per_gpu_hour``."""
        return self._post("/v1/what-if", settings)

    def replay(self) -> Json:
        """The newest replay."""
        return self._get("/v1/what-if")

    def _get(self, path: str, **query: Any) -> Json:
        return self._object(Request("GET", path, query, is_repeatable=True))

    def _list(self, path: str, key: str, limit: Optional[int] = None, **query: Any) -> list[Json]:
        """The entries of all pages, or the first ones."""
        found: list[Json] = []
        after = None
        while True:
            left = None if limit is None else limit - len(found)
            page = self._get(path, **query, **{"limit": left, "continue": after})
            entries = _entries(page, key)
            found += entries
            after = page.get("continue")
            if after is None or not entries or (limit is not None and len(found) >= limit):
                return found

    def _post(self, path: str, body: Any, is_repeatable: bool = False) -> Json:
        return self._object(Request("POST", path, body=_json(body), is_repeatable=is_repeatable))

    def _object(self, request: Request) -> Json:
        answer = self.connection.send(request)
        if not isinstance(answer, dict):
            raise InvalidResponseError(f"{request.method} {request.path} answers with no JSON object")
        return answer


class AsyncClient:
    """The calls of :class:`Client` as coroutines, such as ``await client.gpus()``; ``profiles`` gives a list.

    Each call runs in a thread of the event loop's pool, so it never blocks the loop. A cancelled call stops waiting;
    its request ends by itself within the timeout.
    """

    def __init__(self, url: Optional[str] = None, **settings: Any):
        self._client = Client(url, **settings)

    def __repr__(self) -> str:
        return f"Async{self._client!r}"

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("_") or not callable(getattr(Client, name, None)):
            raise AttributeError(f"AsyncClient has no call {name!r}")
        call = getattr(self._client, name)

        @functools.wraps(call)
        async def run(*args: Any, **kwargs: Any) -> Any:
            return await _in_thread(lambda: _complete(call(*args, **kwargs)))

        return run


def _complete(result: Any) -> Any:
    return list(result) if isinstance(result, Iterator) else result


async def _in_thread(call: Callable[[], Result]) -> Result:
    return await asyncio.get_running_loop().run_in_executor(None, call)


def _json(document: Any) -> bytes:
    return json.dumps(document, allow_nan=False).encode()


def _bytes(content: Union[bytes, str, Path]) -> bytes:
    return content if isinstance(content, bytes) else Path(content).read_bytes()


def _part(text: str) -> str:
    """One part of a path; nothing in it leaves the part."""
    if text in ("", ".", ".."):
        raise InputError(f"{text!r} is not a valid name")
    return quote(text, safe="")


def _entries(document: Any, key: str) -> list[Json]:
    found = document.get(key) if isinstance(document, Mapping) else None
    if not isinstance(found, list):
        raise InvalidResponseError(f"the answer has no list {key!r}: it is not one of Cotenant")
    return found


def _count(document: Json, key: str) -> int:
    count = document.get(key)
    if not isinstance(count, int):
        raise InvalidResponseError(f"the answer has no number {key!r}: it is not one of Cotenant")
    return count
