"""Measures a run on this machine's GPU and reports it to ``POST /v1/profiles``, where predictions learn from it."""

from __future__ import annotations

import logging
import os
import statistics
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Mapping, Optional, Protocol, Union

from .client import Client
from .errors import CotenantError
from .nvml import Counters, CountersError, Nvml

LOG = logging.getLogger("cotenant")


class Gpu(Protocol):
    """What counters come from."""

    def product(self) -> str: ...

    def read(self) -> Counters: ...


@dataclass(frozen=True)
class Measurement:
    """One run.

    :ivar seconds: wall time of the steps that count
    :ivar steps: those that count: after the first ones, and with nothing else between one and the next
    :ivar step_time_seconds: median wall time of these
    :ivar peak_memory_bytes: highest use of the process, from the start on
    :ivar utilization_percent: mean share of time in which any kernel ran, over the counted steps
    :ivar is_alone: whether no other process computed on the GPU; None where the device does not say, or lists no process at all
    """

    device: str
    seconds: float
    steps: int
    step_time_seconds: Optional[float]
    peak_memory_bytes: Optional[int]
    utilization_percent: Optional[float]
    maximum_utilization_percent: Optional[float]
    is_alone: Optional[bool]

    def fields(self) -> dict[str, Any]:
        """The measured fields of a row."""
        named = {
            "device": self.device,
            "step_time_seconds": self.step_time_seconds,
            "peak_memory_bytes": self.peak_memory_bytes,
            "utilization_percent": self.utilization_percent,
            "maximum_utilization_percent": self.maximum_utilization_percent,
        }
        return {name: value for name, value in named.items() if value is not None}


class Meter:
    """Reads counters in a thread and takes the time of steps.

    :param warm_up_steps: first steps that count for memory alone
    :param interval_seconds: between readings
    :param clock: for tests
    """

    def __init__(
        self,
        gpu: Gpu,
        warm_up_steps: int = 3,
        interval_seconds: float = 0.1,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.gpu = gpu
        self.warm_up_steps = warm_up_steps
        self.interval_seconds = interval_seconds
        self.clock = clock
        self._steps = 0
        self._last = clock()
        self._times: list[float] = []
        self._busy: list[float] = []
        self._busy_since_last: list[float] = []
        self._is_interrupted = False
        self._peak: Optional[int] = None
        self._most_processes: Optional[int] = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="cotenant-meter", daemon=True)

    def start(self) -> Meter:
        self._thread.start()
        return self

    def step(self) -> None:
        """A step has ended."""
        now = self.clock()
        with self._lock:
            self._steps += 1
            if self._steps > max(1, self.warm_up_steps) and not self._is_interrupted:
                self._times.append(now - self._last)
                self._busy += self._busy_since_last
            self._busy_since_last.clear()
            self._is_interrupted = False
            self._last = now

    def interrupt(self) -> None:
        """Something else runs between the last step and the next, such as a validation: that time counts for memory alone."""
        with self._lock:
            self._is_interrupted = True

    def sample(self) -> None:
        """Reads the counters once."""
        counters = self.gpu.read()
        with self._lock:
            if counters.utilization_percent is not None:
                self._busy_since_last.append(counters.utilization_percent)
            if counters.memory_bytes is not None:
                self._peak = max(self._peak or 0, counters.memory_bytes)
            if counters.processes:
                self._most_processes = max(self._most_processes or 0, counters.processes)

    def stop(self) -> Measurement:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join(timeout=5)
        with self._lock:
            seconds = sum(self._times)
            busy = self._busy if seconds > 0 else []
            return Measurement(
                self.gpu.product(),
                seconds,
                len(self._times),
                statistics.median(self._times) if seconds > 0 else None,
                self._peak,
                sum(busy) / len(busy) if busy else None,
                max(busy) if busy else None,
                None if self._most_processes is None else self._most_processes <= 1,
            )

    def _watch(self) -> None:
        try:
            while not self._ended.wait(self.interval_seconds):
                self.sample()
        except CotenantError as error:
            LOG.warning("cotenant: the counters cannot be read any more: %s", error)


class measure:  # noqa: N801  used as a function
    """Measures the steps inside of it and reports them at its end::

        with cotenant.measure("my-model", batch_size=64, precision="bf16", optimizer="adamw") as run:
            for batch in batches:
                train(batch)
                run.step()

    The run has to be one process alone on its GPU, with at least ``least_steps`` steps in ``least_seconds`` after the first
    ones. A run that is not, fails, or cannot be reported is logged (logger ``cotenant``) with the reason, and never ends the
    training: ``run.error`` has it. A block that raises is not reported.

    :param model: a name that is registered at the service (:func:`cotenant.register`)
    :param run: fields of the row: batch_size, mode, precision, optimizer, framework, checkpointing, source …
    :param service: a client or URL; by default ``COTENANT_URL``
    :param gpu: index or UUID of NVML; by default the first that CUDA sees
    :param alone: states that nothing else computes on the GPU, for drivers that do not list its processes
    :param processes: how many train together; by default ``WORLD_SIZE``, else 1
    """

    def __init__(
        self,
        model: str,
        *,
        service: Union[Client, str, None] = None,
        gpu: Union[Gpu, int, str, None] = None,
        warm_up_steps: int = 3,
        least_steps: int = 10,
        least_seconds: float = 5.0,
        alone: bool = False,
        processes: Optional[int] = None,
        **run: Any,
    ):
        self.model = model
        self.least_steps = least_steps
        self.least_seconds = least_seconds
        self.alone = alone
        self.processes = processes if processes is not None else world_size()
        self.run = run
        self.measurement: Optional[Measurement] = None
        self.error: Optional[CotenantError] = None
        self._service = service
        self._gpu = gpu
        self._warm_up_steps = warm_up_steps
        self._meter: Optional[Meter] = None

    def __enter__(self) -> measure:
        if self.processes > 1:
            self._fail(CotenantError(f"{self.processes} processes train together, and a row is of one on one GPU"))
            return self
        try:
            gpu = Nvml(self._gpu) if self._gpu is None or isinstance(self._gpu, (int, str)) else self._gpu
            self._meter = Meter(gpu, self._warm_up_steps).start()
        except CountersError as error:
            self._fail(error)
        return self

    def step(self) -> None:
        """A step has ended."""
        if self._meter is not None:
            self._meter.step()

    def interrupt(self) -> None:
        """Something else than a step follows, such as a validation or a checkpoint; what counts goes on after the next step."""
        if self._meter is not None:
            self._meter.interrupt()

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        if self._meter is None:
            return
        self.measurement = self._meter.stop()
        if kind is None:
            try:
                self._report(self.measurement)
            except CotenantError as failed:
                self._fail(failed)

    def _report(self, measurement: Measurement) -> None:
        if measurement.is_alone is False:
            raise CotenantError("the run was not alone on its GPU, and a row is of one workload alone")
        if measurement.is_alone is None and not self.alone:
            raise CotenantError("the driver does not list the GPU's processes: pass alone=True if nothing else computes on it")
        if measurement.steps < self.least_steps or measurement.seconds < self.least_seconds:
            raise CotenantError(
                f"{measurement.steps} steps in {measurement.seconds:.1f} s are too few: "
                f"at least {self.least_steps} in {self.least_seconds:g} s count after the first ones"
            )
        client = self._service if isinstance(self._service, Client) else Client(self._service)
        added = client.add_profiles([self.row(measurement)])
        if added.rejected:
            raise CotenantError(f"the service rejects the run: {added.rejected[0][1]}")

    def row(self, measurement: Measurement) -> Mapping[str, Any]:
        """The row as the service takes it."""
        described = {name: value for name, value in self.run.items() if value is not None}
        return {"model": self.model, "source": "cotenant-python", **described, **measurement.fields()}

    def _fail(self, error: CotenantError) -> None:
        self.error = error
        LOG.warning("cotenant: the run of %s is not reported: %s", self.model, error)


def world_size() -> int:
    """Processes of the training as launchers such as torchrun state them."""
    stated = os.environ.get("WORLD_SIZE", "1").strip()
    return int(stated) if stated.isdigit() else 1
