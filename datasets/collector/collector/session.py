"""A session: the device, its workers and the points measured with them."""

from __future__ import annotations

import contextlib
import dataclasses
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence, TYPE_CHECKING

from . import MIB
from .devices import CpuStandIn, device_id, nvml_library, NvmlDevice, Sampler
from .figures import peak_used, Reading
from .plans import Job, most_informative_first, Plan
from .timing import Budget, BudgetOver, monotonic
from .workers import MpsDaemon, PointFailure, Worker

if TYPE_CHECKING:
    from .files import RowFile


@dataclass(frozen=True)
class Settings:
    """How runs are done; the device sheet repeats them."""

    out: Path
    gpu: int
    fake: bool
    window_seconds: float
    settle_seconds: float
    sample_seconds: float
    point_seconds: float
    seed: int
    retry_errors: bool
    use_mps: bool
    count_kernels: bool
    device_name: Optional[str] = None

    @property
    def device(self) -> str:
        return "cpu" if self.fake else "cuda"


class WorkerKey(NamedTuple):
    """Which worker: its number among those that run together, and its share under MPS, if any."""

    number: int = 0
    share_percent: Optional[int] = None


FIRST_WORKER = WorkerKey()


class Bench:
    """The device, its sampler and the workers of one session."""

    def __init__(self, settings: Settings, budget: Budget):
        self.settings, self.budget = settings, budget
        self.session = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        self.exporter: Optional[Worker] = None
        self.workers: dict[WorkerKey, Worker] = {}  # the one used last stands last
        self.mps: Optional[MpsDaemon] = None
        self.mps_objection = "not requested"
        self.scratch: Optional[Path] = None
        counters = CpuStandIn(self._process_ids) if settings.fake else NvmlDevice(nvml_library(), settings.gpu)
        self.facts = counters.facts()
        self.device_id = settings.device_name or device_id(self.facts)
        self.sampler = Sampler(counters, settings.sample_seconds)
        self.sampler.start()
        self.idle = self._idle_readings()
        self.baseline_bytes = 0 if settings.fake else peak_used(self.idle)

    def _process_ids(self) -> list[int]:
        return [worker.process.pid for worker in list(self.workers.values())]

    def _idle_readings(self) -> list[Reading]:
        begun = monotonic()
        time.sleep(max(0.2, self.settings.settle_seconds))
        return self.sampler.between(begun, monotonic())

    def worker(self, key: WorkerKey = FIRST_WORKER) -> Worker:
        """The worker of this key, started where there is none or it has ended."""
        found = self.workers.pop(key, None)
        if found is None or not found.alive:
            share = self.mps.worker_environment(key.share_percent) if self.mps and key.share_percent else {}
            found = Worker(self.settings.device, {**self._visible_device(), **share})
        self.workers[key] = found
        return found

    def _visible_device(self) -> dict[str, str]:
        return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(self.settings.gpu)}

    def make_room(self, keys: Sequence[WorkerKey]) -> None:
        """Ends the workers that were idle longest: each holds a context, starting one takes seconds."""
        for key in [key for key, worker in self.workers.items() if not worker.alive]:
            self.workers.pop(key).close()
        most = 8 if self.facts.memory_bytes > 30 * 1024 * MIB else 4
        idle = [key for key in self.workers if key not in keys]
        surplus = max(0, len(idle) + len(keys) - most)
        self.close_workers(keep=[*keys, *idle[surplus:]])

    def close_workers(self, keep: Iterable[WorkerKey] = ()) -> None:
        kept = set(keep)
        for key in [key for key in self.workers if key not in kept]:
            self.workers.pop(key).close()

    def start_mps(self) -> None:
        """Tries MPS with a worker of half a device: it must see about half of the multiprocessors."""
        if not self.settings.use_mps or self.settings.fake:
            self.mps_objection = "a fake GPU has none" if self.settings.fake else "switched off by --no-mps"
            return
        self.scratch = Path(tempfile.mkdtemp(prefix="collector-"))
        daemon = MpsDaemon(self.scratch)
        self.mps_objection = daemon.start() or ""
        if self.mps_objection:
            return
        try:
            whole = self._multiprocessors(daemon, 100)
            half = self._multiprocessors(daemon, 50)
        except PointFailure as failure:
            self.mps_objection = f"a worker under MPS fails: {failure.message}"
        else:
            if half >= whole:
                self.mps_objection = f"a share of 50 % still sees {half} of {whole} multiprocessors"
        if self.mps_objection:
            daemon.stop()
        else:
            self.mps = daemon

    def _multiprocessors(self, daemon: MpsDaemon, share: int) -> int:
        worker = Worker("cuda", {**self._visible_device(), **daemon.worker_environment(share)})
        try:
            return worker.ask(60, "describe")["visible_multiprocessors"]
        finally:
            worker.close()

    def close(self) -> None:
        self.close_workers()
        if self.exporter:
            self.exporter.close()
        if self.mps:
            self.mps.stop()
        self.sampler.stop()
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def timeout(self) -> float:
        return min(self.settings.point_seconds, max(1.0, self.budget.left))

    def above_baseline(self, used_bytes: Optional[int]) -> Optional[int]:
        """What is used beyond the idle device; not known where either is not."""
        if used_bytes is None or self.baseline_bytes is None:
            return None
        return max(0, used_bytes - self.baseline_bytes)

    def record(self, file: "RowFile", rows: Sequence[Any]) -> None:
        """Appends a point's rows, unless it was the budget that ended the point."""
        if self.budget.left <= 1.0 and any(row.status == "timeout" for row in rows):
            raise BudgetOver
        file.append(*rows)


def say(text: str) -> None:
    print(text, flush=True)


def measure_points(bench: Bench, points: Sequence[Any], measure: Callable[[Any], str]) -> int:
    """Measures one point after the other while there is time; the number of points that were left."""
    for number, point in enumerate(points):
        if not bench.budget.has_room():
            say(f"budget used: {len(points) - number} of {len(points)} points are left for the next run")
            return len(points) - number
        begun = monotonic()
        try:
            outcome = measure(point)
        except BudgetOver:
            say(f"budget used during {point}: {len(points) - number} of {len(points)} points are left")
            return len(points) - number
        bench.budget.learn(monotonic() - begun)
        say(f"[{number + 1}/{len(points)}] {bench.budget.used:.0f} s  {point}  {outcome}")
    return 0


def pending(entries: Sequence[Any], rows: RowFile, column: str, retry_errors: bool) -> list:
    """The entries that have no row yet; with retries, those too whose rows all tell of an error."""
    final = {row[column] for row in rows.rows() if not (retry_errors and row["status"] in ("error", "timeout"))}
    return [entry for entry in entries if str(entry) not in final]


def fill(row: Any, figures: dict[str, Any]) -> None:
    """Takes over the figures that the row has columns for."""
    for name in {item.name for item in dataclasses.fields(row)} & figures.keys():
        setattr(row, name, figures[name])


@contextlib.contextmanager
def failures_recorded_in(*rows: Any) -> Iterator[None]:
    """A point that fails is a row as well, or the rows of all its members."""
    try:
        yield
    except PointFailure as failure:
        for row in rows:
            row.status, row.message = failure.status, failure.message


def arrival_rate(job: Job, step_seconds: float) -> Optional[float]:
    return None if job.arrival_share is None else job.arrival_share / step_seconds


def run_window(bench: Bench, worker: Worker, job: Job, step_seconds: float) -> dict[str, Any]:
    settings = bench.settings
    rate = arrival_rate(job, step_seconds) or 0.0
    window = window_of_steps(settings, monotonic() + settings.settle_seconds)
    return worker.ask(bench.timeout(), "run", rate=rate, seed=settings.seed, **window)


def window_of_steps(settings: Settings, begin: float) -> dict[str, Any]:
    """A window that is prolonged, within limits, until three steps are in it."""
    end = begin + settings.window_seconds
    return {"begin": begin, "end": end, "least_steps": 3, "latest_end": end + 4 * settings.window_seconds}


def note_kernels(bench: Bench, row: Any, worker: Worker) -> None:
    """A profiler that fails costs the kernel columns, not the point."""
    try:
        fill(row, worker.ask(bench.timeout(), "kernels"))
    except PointFailure as failure:
        row.message = f"kernels not counted: {failure.message}"


def summary(row: Any, *figures: str) -> str:
    return f"{row.status}: {row.message}" if row.status != "ok" else "ok  " + "  ".join(figures)


def shown(name: str, value: Optional[float], unit: float, unit_name: str) -> str:
    return f"{name} -" if value is None else f"{name} {value / unit:.1f} {unit_name}"


def ordered(plan: Plan, levels_of: Callable[[Any], dict[str, Any]], seed: int) -> list:
    for complaint in plan.complaints:
        print(complaint, file=sys.stderr)
    return most_informative_first(plan.entries, levels_of, seed)
