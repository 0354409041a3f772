"""Groups of jobs side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from .figures import peak_used, Reading, series_figures
from .files import RowFile
from .plans import Group, group_levels, Job, read_groups
from .session import (
    arrival_rate,
    Bench,
    failures_recorded_in,
    fill,
    measure_points,
    ordered,
    pending,
    run_window,
    say,
    summary,
    WorkerKey,
)
from .timing import monotonic
from .workers import PointFailure, Worker


@dataclass
class PairRow:
    """One member of a group that ran side by side."""

    session: str
    device: str
    group: str
    member: int
    tenants: int
    job: str
    share_percent: Optional[int]
    mps: str
    status: str = "ok"
    message: str = ""
    window_seconds: Optional[float] = None
    steps: Optional[int] = None
    solo_step_mean_seconds: Optional[float] = None
    step_mean_seconds: Optional[float] = None
    step_p50_seconds: Optional[float] = None
    step_p99_seconds: Optional[float] = None
    latency_p99_seconds: Optional[float] = None
    slowdown: Optional[float] = None
    solo_utilization_mean_percent: Optional[float] = None
    samples: Optional[int] = None
    utilization_mean_percent: Optional[float] = None
    memory_utilization_mean_percent: Optional[float] = None
    power_mean_watts: Optional[float] = None
    sm_clock_mean_megahertz: Optional[float] = None
    device_peak_bytes: Optional[int] = None
    allocator_peak_bytes: Optional[int] = None


@dataclass
class SeriesRow:
    """The device while a group ran."""

    group: str
    seconds: float
    utilization_percent: Optional[float]
    memory_utilization_percent: Optional[float]
    used_memory_bytes: Optional[int]
    power_watts: Optional[float]
    sm_clock_megahertz: Optional[float]


@dataclass(frozen=True)
class Member:
    """A job of a group with its worker."""

    job: Job
    share: Optional[int]
    worker: Worker
    step_seconds: float


class PairBench:
    """Measures groups; each job's solo run is measured once a session and share."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.rows = RowFile(bench.settings.out / "pairs.csv", PairRow)
        self.series = RowFile(bench.settings.out / "pairs-series.csv", SeriesRow)
        self.solo_runs: dict[tuple[Job, Optional[int]], dict[str, Any]] = {}

    def measure(self, group: Group) -> str:
        rows = [self._row(group, member) for member in range(len(group.jobs))]
        with failures_recorded_in(*rows):
            self._require_shares(group)
            members = self._prepare(group)
            alone = [self._solo(members, i) for i in range(len(members))]
            together, readings = self._together(members)
            self._note(rows, alone, together, readings)
        self.bench.record(self.rows, rows)
        return self._summary(rows)

    def _row(self, group: Group, member: int) -> PairRow:
        share = group.share(member) if group.shares else None
        mps = "shares" if group.shares else "off"
        job = str(group.jobs[member])
        return PairRow(
            self.bench.session, self.bench.device_id, str(group), member, len(group.jobs), job, share, mps
        )

    def _require_shares(self, group: Group) -> None:
        if group.shares and self.bench.mps is None:
            raise PointFailure("unsupported", f"no MPS shares: {self.bench.mps_objection}")

    def _prepare(self, group: Group) -> list[Member]:
        """One worker a member; others may stay, idle and empty, for another group."""
        bench = self.bench
        keys = [WorkerKey(i, group.share(i) if group.shares else None) for i in range(len(group.jobs))]
        bench.make_room(keys)
        workers = [bench.worker(key) for key in keys]
        for worker in list(bench.workers.values()):
            worker.ask(bench.timeout(), "release")
        members = []
        for job, key, worker in zip(group.jobs, keys, workers):
            prepared = worker.ask(bench.timeout(), "prepare", job=str(job))
            members.append(Member(job, key.share_percent, worker, prepared["step_seconds"]))
        return members

    def _solo(self, members: list[Member], index: int) -> dict[str, Any]:
        member = members[index]
        key = (member.job, member.share)
        if key not in self.solo_runs:
            ran = run_window(self.bench, member.worker, member.job, member.step_seconds)
            readings = self.bench.sampler.between(ran["begin"], ran["end"])
            self.solo_runs[key] = {**ran, **series_figures(readings, ran["end"])}
        return self.solo_runs[key]

    def _together(self, members: list[Member]) -> tuple[list[dict[str, Any]], list[Reading]]:
        """All run until the common window is over; only steps inside it count."""
        settings = self.bench.settings
        begin = monotonic() + settings.settle_seconds + 0.1
        end = begin + settings.window_seconds
        for member in members:
            rate = arrival_rate(member.job, member.step_seconds) or 0.0
            member.worker.send("run", begin=begin, end=end, rate=rate, seed=settings.seed)
        failures, together = [], []
        for member in members:
            try:
                together.append(member.worker.receive(self.bench.timeout()))
            except PointFailure as failure:
                failures.append(failure)
        if failures:
            raise failures[0]
        return together, self.bench.sampler.between(begin, end)

    def _note(self, rows, alone, together, readings) -> None:
        device = series_figures(readings, together[0]["end"])
        for row, before, ran in zip(rows, alone, together):
            fill(row, {**device, **ran})
            row.device_peak_bytes = peak_used(readings)
            row.solo_step_mean_seconds = before["step_mean_seconds"]
            row.solo_utilization_mean_percent = before["utilization_mean_percent"]
            if not row.steps:
                row.status, row.message = "too-slow", "no step began and ended inside the window"
            elif before["step_mean_seconds"]:
                row.slowdown = row.step_mean_seconds / before["step_mean_seconds"]
        begin = readings[0].seconds if readings else 0.0
        series = (SeriesRow(rows[0].group, **{**r._asdict(), "seconds": r.seconds - begin}) for r in readings)
        self.series.append(*series)

    @staticmethod
    def _summary(rows: list[PairRow]) -> str:
        shown = next((row for row in rows if row.status != "ok"), rows[0])
        return summary(shown, "slowdown " + " ".join(f"{row.slowdown:.2f}" if row.slowdown else "-" for row in rows))


def pairs(bench: Bench, plan: Path) -> int:
    measured = PairBench(bench)
    groups = ordered(read_groups(plan), group_levels, bench.settings.seed)
    if any(group.shares for group in groups):
        bench.start_mps()
        say("MPS shares: yes" if bench.mps else f"MPS shares: no, {bench.mps_objection}")
    waiting = pending(groups, measured.rows, "group", bench.settings.retry_errors)
    return measure_points(bench, waiting, measured.measure)
