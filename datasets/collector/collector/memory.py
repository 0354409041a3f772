"""Used memory over a job's whole life."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from . import MIB
from .figures import peak_used, Reading
from .files import RowFile, write_whole
from .plans import Job, job_levels, read_jobs
from .session import Bench, failures_recorded_in, measure_points, ordered, pending, shown, summary
from .timing import monotonic


@dataclass
class MemoryRow:
    """The used-memory series of one job, from before its process starts until after it has ended."""

    session: str
    device: str
    job: str
    status: str = "ok"
    message: str = ""
    series: Optional[str] = None
    samples: Optional[int] = None
    context_at_seconds: Optional[float] = None
    ramp_at_seconds: Optional[float] = None
    steady_at_seconds: Optional[float] = None
    finish_at_seconds: Optional[float] = None
    end_at_seconds: Optional[float] = None
    peak_memory_bytes: Optional[int] = None


def measure_memory(bench: Bench, job: Job) -> MemoryRow:
    row = MemoryRow(bench.session, bench.device_id, str(job))
    begun = monotonic()
    with failures_recorded_in(row):
        live_once(bench, job, row, begun)
    bench.close_workers()
    time.sleep(bench.settings.settle_seconds)
    row.end_at_seconds = monotonic() - begun
    readings = [r for r in bench.sampler.between(begun, monotonic()) if r.used_memory_bytes is not None]
    row.samples = len(readings)
    if readings:
        row.series = f"series/{job.slug}.csv"
        row.peak_memory_bytes = max(0, (peak_used(readings) or 0) - (bench.baseline_bytes or 0))
        write_whole(bench.settings.out / row.series, series_text(readings, bench.facts.memory_bytes).encode())
    elif row.status == "ok":
        row.status, row.message = "unsupported", "the device does not tell its used memory"
    return row


def live_once(bench: Bench, job: Job, row: MemoryRow, begun: float) -> None:
    """A process's whole life: context, model and first steps, steady state, end."""
    settings = bench.settings
    time.sleep(settings.settle_seconds)
    row.context_at_seconds = monotonic() - begun
    worker = bench.worker()
    worker.ask(bench.timeout(), "describe")
    row.ramp_at_seconds = monotonic() - begun
    worker.ask(bench.timeout(), "prepare", job=str(job))
    row.steady_at_seconds = monotonic() - begun
    now = monotonic()
    worker.ask(bench.timeout(), "run", begin=now, end=now + settings.window_seconds)
    row.finish_at_seconds = monotonic() - begun


def series_text(readings: Sequence[Reading], capacity_bytes: int) -> str:
    """The series as 'cotenant forecast --series' reads it."""
    offset = time.time() - monotonic()
    lines = ["timestamp_seconds,used_memory_bytes,capacity_bytes"]
    lines += [f"{r.seconds + offset:.6f},{r.used_memory_bytes},{capacity_bytes}" for r in readings]
    return "\n".join(lines) + "\n"


def memory(bench: Bench, plan: Path) -> int:
    bench.close_workers()  # no context but the job's own may be in the series
    rows = RowFile(bench.settings.out / "memory.csv", MemoryRow)
    jobs = ordered(read_jobs(plan), job_levels, bench.settings.seed)

    def measure(job: Job) -> str:
        row = measure_memory(bench, job)
        bench.record(rows, [row])
        return summary(row, shown("peak", row.peak_memory_bytes, MIB, "MiB"))

    return measure_points(bench, pending(jobs, rows, "job", bench.settings.retry_errors), measure)
