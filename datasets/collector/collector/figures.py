"""What steps, kernels and counters say about a window."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Sequence


class Step(NamedTuple):
    """When a step was requested, begun and done, in seconds of the monotonic clock."""

    arrived: float
    begun: float
    done: float


@dataclass(frozen=True)
class Window:
    """The time in which steps count. They run from now on, and on until enough have counted."""

    begin: float
    end: float
    least_steps: int = 1
    latest_end: float = 0.0


def quantile(values: Sequence[float], share: float) -> Optional[float]:
    """The smallest value that at least this share of the values does not exceed."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def mean(values: Sequence[float]) -> Optional[float]:
    return math.fsum(values) / len(values) if values else None


def step_figures(steps: Sequence[Step], window: Window, batch_size: int) -> dict[str, Any]:
    """What the steps inside a window say.

    A step's own time starts when it began or when its predecessor was done, whichever is later, so
    that steps that overlap in flight are not counted twice.
    """
    inside: list[Step] = []
    times: list[float] = []
    for before, step in zip([None, *steps[:-1]], steps):
        if step.begun >= window.begin and (step.done <= window.end or window.least_steps > 1):
            inside.append(step)
            times.append(step.done - max(step.begun, before.done if before else step.begun))
    end = max([window.end, *(step.done for step in inside)]) if window.least_steps > 1 else window.end
    latencies = [step.done - step.arrived for step in inside]
    return {
        "begin": window.begin,
        "end": end,
        "window_seconds": end - window.begin,
        "steps": len(inside),
        "step_mean_seconds": mean(times),
        "step_p50_seconds": quantile(times, 0.5),
        "step_p99_seconds": quantile(times, 0.99),
        "latency_p50_seconds": quantile(latencies, 0.5),
        "latency_p99_seconds": quantile(latencies, 0.99),
        "throughput_per_second": len(inside) * batch_size / (end - window.begin),
    }


class Span(NamedTuple):
    begin_seconds: float
    end_seconds: float


def kernel_figures(spans: Sequence[Span]) -> dict[str, Any]:
    """Count, mean time, and mean pause between one kernel's end and the next one's begin."""
    ordered = sorted(spans)
    pauses, reached = [], None
    for span in ordered:
        if reached is not None:
            pauses.append(max(0.0, span.begin_seconds - reached))
        reached = span.end_seconds if reached is None else max(reached, span.end_seconds)
    times = [span.end_seconds - span.begin_seconds for span in ordered]
    return {
        "kernels": len(ordered),
        "kernel_mean_seconds": mean(times),
        "kernel_pause_mean_seconds": mean(pauses),
        "active_seconds": math.fsum(times),
    }


class Reading(NamedTuple):
    """One look at the device's counters; None where a counter is not supported."""

    seconds: float
    utilization_percent: Optional[float]
    memory_utilization_percent: Optional[float]
    used_memory_bytes: Optional[int]
    power_watts: Optional[float]
    sm_clock_megahertz: Optional[float]


class TimedValue(NamedTuple):
    value: float
    seconds: float


def timed_values(readings: Sequence[Reading], end: float, counter: str) -> list[TimedValue]:
    """Each reading of a counter with how long it held: until the next one, the last until the end."""
    ends = [reading.seconds for reading in readings[1:]] + [end]
    pairs = ((getattr(reading, counter), until - reading.seconds) for reading, until in zip(readings, ends))
    return [TimedValue(float(value), max(0.0, held)) for value, held in pairs if value is not None]


def weighted_mean(values: Sequence[TimedValue]) -> Optional[float]:
    total = math.fsum(item.seconds for item in values)
    return math.fsum(item.value * item.seconds for item in values) / total if total > 0 else None


def weighted_quantile(values: Sequence[TimedValue], share: float) -> Optional[float]:
    """The smallest value that the counter did not exceed for at least this share of the time."""
    total = math.fsum(item.seconds for item in values)
    passed = 0.0
    for item in sorted(values):
        passed += item.seconds
        if total > 0 and passed >= share * total * (1 - 1e-12):
            return item.value
    return None


def series_figures(readings: Sequence[Reading], end: float) -> dict[str, Any]:
    """What the device's counters say about a window."""
    utilization = timed_values(readings, end, "utilization_percent")
    return {
        "samples": len(readings),
        "utilization_mean_percent": weighted_mean(utilization),
        "utilization_p50_percent": weighted_quantile(utilization, 0.5),
        "utilization_p95_percent": weighted_quantile(utilization, 0.95),
        "memory_utilization_mean_percent": weighted_mean(timed_values(readings, end, "memory_utilization_percent")),
        "power_mean_watts": weighted_mean(timed_values(readings, end, "power_watts")),
        "sm_clock_mean_megahertz": weighted_mean(timed_values(readings, end, "sm_clock_megahertz")),
    }


def peak_used(readings: Sequence[Reading]) -> Optional[int]:
    return max((r.used_memory_bytes for r in readings if r.used_memory_bytes is not None), default=None)
