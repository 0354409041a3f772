"""Each job of a plan alone."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional, Sequence

from . import MIB
from .figures import peak_used, series_figures
from .files import RowFile
from .graphs import graph_file
from .plans import Job, job_levels, ModelSpec, read_jobs
from .session import (
    arrival_rate,
    Bench,
    failures_recorded_in,
    fill,
    measure_points,
    note_kernels,
    ordered,
    pending,
    run_window,
    say,
    shown,
    summary,
)
from .timing import monotonic
from .workers import PointFailure, Worker


@dataclass
class SoloRow:
    """One job alone on the device. Empty cells were not measured."""

    session: str
    device: str
    job: str
    model: str
    family: str
    batch_size: int
    mode: str
    precision: str
    arrival: str
    status: str = "ok"
    message: str = ""
    implementation: Optional[str] = None
    graph: Optional[str] = None
    parameters: Optional[int] = None
    arrival_rate_per_second: Optional[float] = None
    window_seconds: Optional[float] = None
    steps: Optional[int] = None
    samples: Optional[int] = None
    step_mean_seconds: Optional[float] = None
    step_p50_seconds: Optional[float] = None
    step_p99_seconds: Optional[float] = None
    latency_p50_seconds: Optional[float] = None
    latency_p99_seconds: Optional[float] = None
    throughput_per_second: Optional[float] = None
    utilization_mean_percent: Optional[float] = None
    utilization_p50_percent: Optional[float] = None
    utilization_p95_percent: Optional[float] = None
    memory_utilization_mean_percent: Optional[float] = None
    power_mean_watts: Optional[float] = None
    sm_clock_mean_megahertz: Optional[float] = None
    peak_memory_bytes: Optional[int] = None
    device_peak_bytes: Optional[int] = None
    device_baseline_bytes: Optional[int] = None
    device_before_bytes: Optional[int] = None
    allocator_peak_bytes: Optional[int] = None
    allocator_reserved_bytes: Optional[int] = None
    kernels: Optional[int] = None
    kernel_mean_seconds: Optional[float] = None
    kernel_pause_mean_seconds: Optional[float] = None
    active_seconds: Optional[float] = None

    @staticmethod
    def of(bench: Bench, job: Job) -> "SoloRow":
        return SoloRow(
            bench.session, bench.device_id, str(job), str(job.model), job.model.family, job.batch_size, job.mode,
            job.precision, job.arrival,
        )  # fmt: skip


def measure_solo(bench: Bench, job: Job) -> SoloRow:
    """Prepares the job, lets it settle, measures a window."""
    row = SoloRow.of(bench, job)
    with failures_recorded_in(row):
        worker = bench.worker()
        worker.ask(bench.timeout(), "release")  # else the peak is that of the point before
        released = monotonic()
        time.sleep(2 * bench.settings.sample_seconds)
        begun = monotonic()
        row.device_before_bytes = peak_used(bench.sampler.between(released, begun))
        prepared = worker.ask(bench.timeout(), "prepare", job=str(job))
        fill(row, prepared)
        row.graph = graph_file(job.model, prepared["implementation"])
        ran = run_window(bench, worker, job, prepared["step_seconds"])
        fill(row, ran)
        row.arrival_rate_per_second = arrival_rate(job, prepared["step_seconds"])
        note_device(bench, row, begun, ran)
        if bench.settings.count_kernels:
            note_kernels(bench, row, worker)
    return row


def note_device(bench: Bench, row: SoloRow, begun: float, ran: dict[str, Any]) -> None:
    """The device's counters: the window for rates, everything since the beginning for the peak."""
    fill(row, series_figures(bench.sampler.between(ran["begin"], ran["end"]), ran["end"]))
    row.device_peak_bytes = peak_used(bench.sampler.between(begun, ran["end"]))
    row.device_baseline_bytes = bench.baseline_bytes
    row.peak_memory_bytes = bench.above_baseline(row.device_peak_bytes)


def solo(bench: Bench, plan: Path) -> int:
    rows = RowFile(bench.settings.out / "solo.csv", SoloRow)
    jobs = ordered(read_jobs(plan), job_levels, bench.settings.seed)

    def measure(job: Job) -> str:
        row = measure_solo(bench, job)
        bench.record(rows, [row])
        return summary(
            row,
            shown("util", row.utilization_mean_percent, 1, "%"),
            shown("peak", row.peak_memory_bytes, MIB, "MiB"),
            shown("step", row.step_p50_seconds, 1e-3, "ms"),
        )

    left = measure_points(bench, pending(jobs, rows, "job", bench.settings.retry_errors), measure)
    bench.close_workers()
    export_graphs(bench, rows)
    return left


def export_graphs(bench: Bench, rows: RowFile) -> None:
    """Exports what the rows name and is not there yet, on the CPU, after all measuring."""
    named = {row["model"]: row["graph"] for row in rows.rows() if row["graph"]}
    missing = [model for model, graph in sorted(named.items()) if not (bench.settings.out / graph).exists()]
    export_models(bench, missing)


def export_models(bench: Bench, models: Sequence[str]) -> None:
    for number, model in enumerate(models):
        if bench.budget.left < 5:
            say(f"budget used: {len(models) - number} graphs are left; 'collect.py graphs' writes them")
            return
        if bench.exporter is None or not bench.exporter.alive:
            bench.exporter = Worker("cpu", {"CUDA_VISIBLE_DEVICES": ""})
        try:
            answer = bench.exporter.ask(bench.timeout(), "export", model=model, folder=str(bench.settings.out))
            say(f"graph {answer['graph']}")
        except PointFailure as failure:
            print(f"{model}: no graph: {failure.message}", file=sys.stderr)


def graphs(bench: Bench, plan: Optional[Path]) -> int:
    """Exports the graphs of a plan's models, or of the rows that are there; needs no GPU."""
    if plan is None:
        export_graphs(bench, RowFile(bench.settings.out / "solo.csv", SoloRow))
        return 0
    models = sorted({str(job.model) for job in ordered(read_jobs(plan), job_levels, bench.settings.seed)})
    written = bench.settings.out / "graphs"
    have = {path.name.rsplit(".", 3)[0] for path in written.glob("*.onnx.gz")}
    export_models(bench, [model for model in models if ModelSpec.parse(model).slug not in have])
    return 0
