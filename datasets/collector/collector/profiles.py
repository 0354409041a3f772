"""Profiles of models for the fleet planner."""

from __future__ import annotations

import collections
import csv
import itertools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

from .coefficients import PCIE_PROBE_BYTES, profile_text
from .figures import peak_used, series_figures
from .files import RowFile, write_whole
from .plans import Job, job_levels, ModelSpec, most_informative_first, read_jobs
from .session import (
    Bench,
    failures_recorded_in,
    fill,
    measure_points,
    note_kernels,
    ordered,
    pending,
    say,
    shown,
    summary,
    window_of_steps,
    WorkerKey,
)
from .timing import monotonic
from .workers import WORKER_COMMAND, PointFailure, Worker

IGNITER_GRID = tuple(itertools.product((1, 16, 32), (10, 50, 100)))  # with two runs beside another: 11 points
INSS_GRID = tuple(itertools.product((1, 2, 8, 32), (20, 40, 50, 80)))  # four batches, four shares
NEIGHBOUR_BATCH = 16
MAX_NEIGHBOURS = 5
SHARES_IN_ORDER = (100, 50, 10, 20, 80, 40, 33, 25)  # a share is set when a worker starts, so one after the other
COUNTER_METRICS = {
    "l2_utilization_percent": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_utilization_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
COUNTER_TIME = "gpu__time_duration.sum"


@dataclass(frozen=True, order=True)
class ProfilePoint:
    """A model at a batch and a share, beside copies of itself."""

    model: ModelSpec
    precision: str
    batch_size: int
    share_percent: int
    neighbours: int = 0

    def __str__(self) -> str:
        beside = f" beside {self.neighbours}" if self.neighbours else ""
        return f"{self.job} @ {self.share_percent}{beside}"

    @property
    def job(self) -> Job:
        return Job(self.model, self.batch_size, "inference", self.precision)


@dataclass
class ProfilePointRow:
    """One point of a model's profile; what the planner's coefficients are fitted from."""

    session: str
    device: str
    point: str
    model: str
    precision: str
    batch_size: int
    share_percent: int
    neighbours: int
    mps: str
    status: str = "ok"
    message: str = ""
    steps: Optional[int] = None
    step_mean_seconds: Optional[float] = None
    step_p50_seconds: Optional[float] = None
    step_p99_seconds: Optional[float] = None
    active_seconds: Optional[float] = None
    kernels: Optional[int] = None
    kernel_pause_mean_seconds: Optional[float] = None
    input_bytes: Optional[int] = None
    output_bytes: Optional[int] = None
    upload_seconds: Optional[float] = None
    download_seconds: Optional[float] = None
    samples: Optional[int] = None
    utilization_mean_percent: Optional[float] = None
    memory_utilization_mean_percent: Optional[float] = None
    power_mean_watts: Optional[float] = None
    sm_clock_mean_megahertz: Optional[float] = None
    peak_memory_bytes: Optional[int] = None
    allocator_peak_bytes: Optional[int] = None
    l2_utilization_percent: Optional[float] = None
    dram_utilization_percent: Optional[float] = None


def profile_points(
    models: Sequence[tuple[ModelSpec, str]], with_shares: bool, most_tenants: int = MAX_NEIGHBOURS
) -> list[ProfilePoint]:
    """Both papers' grids and two to five copies side by side; whole device only where shares cannot be set."""
    points = []
    for model, precision in models:
        grid = sorted({*IGNITER_GRID, *INSS_GRID}) if with_shares else [(b, 100) for b in (1, 2, 8, 16, 32)]
        points += [ProfilePoint(model, precision, batch, share) for batch, share in grid]
        for tenants in range(2, most_tenants + 1):
            share = (50 if tenants == 2 else 100 // tenants) if with_shares else 100
            points.append(ProfilePoint(model, precision, NEIGHBOUR_BATCH, share, tenants - 1))
    return points


def profile_levels(point: ProfilePoint) -> dict[str, Any]:
    return {
        "model": (point.model, point.precision),
        "batch": point.batch_size,
        "share": point.share_percent,
        "neighbours": point.neighbours,
    }


class ProfileBench:
    """Measures profile points and writes what follows from them."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.rows = RowFile(bench.settings.out / "profile-points.csv", ProfilePointRow)
        self.counter_objection: Optional[str] = None

    def measure(self, point: ProfilePoint) -> str:
        row = ProfilePointRow(
            self.bench.session, self.bench.device_id, str(point), str(point.model), point.precision, point.batch_size,
            point.share_percent, point.neighbours, "shares" if self.bench.mps else "off",
        )  # fmt: skip
        with failures_recorded_in(row):
            self._measure(point, row)
        self.bench.record(self.rows, [row])
        step = shown("step", row.step_p50_seconds, 1e-3, "ms")
        return summary(row, step, shown("power", row.power_mean_watts, 1, "W"))

    def _measure(self, point: ProfilePoint, row: ProfilePointRow) -> None:
        bench, settings = self.bench, self.bench.settings
        share = point.share_percent if bench.mps else None
        keys = [WorkerKey(i, share) for i in range(MAX_NEIGHBOURS)]
        bench.close_workers(keep=keys)
        workers = [bench.worker(key) for key in keys[: point.neighbours + 1]]
        for worker in workers:
            worker.ask(bench.timeout(), "release")
        begun = monotonic()
        prepared = [worker.ask(bench.timeout(), "prepare", job=str(point.job)) for worker in workers]
        window = window_of_steps(settings, monotonic() + settings.settle_seconds + 0.1)
        extra = settings.settle_seconds + 1.0  # the neighbours go on while the first one's kernels are looked at
        workers[0].send("run", **window)
        for worker in workers[1:]:
            worker.send("run", begin=window["begin"], end=window["end"] + extra)
        ran = workers[0].receive(bench.timeout())
        self._note_window(row, begun, prepared[0], ran)
        if settings.count_kernels:
            note_kernels(bench, row, workers[0])
        for worker in workers[1:]:
            worker.receive(bench.timeout())
        if point.neighbours == 0:
            self._note_transfers(row, workers[0])
            self._note_counters(row, point)

    def _note_window(self, row: ProfilePointRow, begun: float, prepared: dict, ran: dict) -> None:
        sampler = self.bench.sampler
        fill(row, {**prepared, **ran, **series_figures(sampler.between(ran["begin"], ran["end"]), ran["end"])})
        row.peak_memory_bytes = self.bench.above_baseline(peak_used(sampler.between(begun, ran["end"])))

    def _note_transfers(self, row: ProfilePointRow, worker: Worker) -> None:
        fill(row, worker.ask(self.bench.timeout(), "transfers", size_bytes=row.input_bytes or 1))

    def _note_counters(self, row: ProfilePointRow, point: ProfilePoint) -> None:
        """L2 and DRAM along one row and one column of iGniter's grid, while a counter tool works."""
        wanted = point.share_percent == 100 or (point.batch_size, point.share_percent) in ((16, 10), (16, 50))
        if self.counter_objection is None and wanted:
            figures, self.counter_objection = read_counters(self.bench, point)
            fill(row, figures)
            if self.counter_objection:
                say(f"L2 and DRAM counters: no, {self.counter_objection}")


def read_counters(bench: Bench, point: ProfilePoint) -> tuple[dict[str, float], Optional[str]]:
    """One step under Nsight Compute, clocks left alone; else why there is none."""
    tool = shutil.which("ncu")
    if bench.settings.fake or tool is None:
        return {}, "a fake GPU has none" if bench.settings.fake else "ncu is not installed"
    command = [
        tool, "--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw", "--metrics",
        ",".join([COUNTER_TIME, *COUNTER_METRICS.values()]), *WORKER_COMMAND, "cuda",
    ]  # fmt: skip
    share = bench.mps.worker_environment(point.share_percent) if bench.mps else {}
    requests = [{"do": "prepare", "job": str(point.job)}, {"do": "counters"}]
    try:
        done = subprocess.run(
            command, input="".join(json.dumps(r) + "\n" for r in requests), capture_output=True, text=True,
            timeout=bench.timeout(), env={**os.environ, "CUDA_VISIBLE_DEVICES": str(bench.settings.gpu), **share},
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        return {}, f"ncu fails: {error}"[:200]
    figures = counter_figures(done.stdout)
    return figures, None if figures else f"ncu shows no counters: {' '.join((done.stdout + done.stderr).split())[-200:]}"


def counter_figures(output: str) -> dict[str, float]:
    """Counters over all kernels, each weighted with its time, from ncu's raw CSV page."""
    lines = [line for line in output.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    totals: collections.Counter = collections.Counter()
    for row in rows:
        try:
            seconds = float(row[COUNTER_TIME].replace(",", ""))
            values = {name: float(row[metric].replace(",", "")) for name, metric in COUNTER_METRICS.items()}
        except (KeyError, ValueError, AttributeError):
            continue  # the line of units, or a kernel without counters
        totals["time"] += seconds
        for name, value in values.items():
            totals[name] += value * seconds
    return {name: totals[name] / totals["time"] for name in COUNTER_METRICS} if totals["time"] else {}


def profile(bench: Bench, plan: Path) -> int:
    models = sorted({(job.model, job.precision) for job in ordered(read_jobs(plan), job_levels, bench.settings.seed)})
    bench.start_mps()
    say("MPS shares: yes" if bench.mps else f"MPS shares: no, {bench.mps_objection}; without them k1 to k5 cannot be fitted")
    measured = ProfileBench(bench)
    transfers = None
    try:
        transfers = bench.worker().ask(bench.timeout(), "transfers", size_bytes=PCIE_PROBE_BYTES, repeats=5)
    except PointFailure as failure:
        print(f"PCIe bandwidth: {failure.message}", file=sys.stderr)
    most_tenants = 2 if bench.settings.fake else MAX_NEIGHBOURS
    points = profile_points(models, bench.mps is not None, most_tenants)
    points = most_informative_first(points, profile_levels, bench.settings.seed)
    points.sort(key=lambda point: (point.neighbours > 0, SHARES_IN_ORDER.index(point.share_percent), point.neighbours))
    points = pending(points, measured.rows, "point", bench.settings.retry_errors)
    left = measure_points(bench, points, measured.measure)
    text = profile_text(bench, measured.rows.rows(), transfers)
    write_whole(bench.settings.out / f"{bench.device_id}.profiles", text.encode())
    for line in text.splitlines():
        if line.startswith("# incomplete"):
            say(line[2:].partition(": ")[0] + f" for {line.partition(': ')[2].split()[1]}")
    return left
