"""The coefficients of a profile file."""

from __future__ import annotations

import collections
import math
from dataclasses import dataclass
from typing import Iterable, Optional, Sequence, TYPE_CHECKING

from . import MIB, VERSION
from .figures import timed_values, weighted_mean
from .plans import ModelSpec
from .pytorch import torch

if TYPE_CHECKING:
    from .session import Bench


@dataclass(frozen=True)
class Fit:
    """Coefficients by the names of the profile file, and the names of those that are missing."""

    values: dict[str, float]
    missing: tuple[str, ...]


def number(row: dict[str, str], column: str) -> float:
    return float(row[column]) if row[column] else math.nan


def straight_line(points: Iterable[tuple[float, float]]) -> Optional[tuple[float, float]]:
    """Slope and intercept by least squares; None without two different abscissae."""
    known = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    if len({x for x, _ in known}) < 2:
        return None
    mean_x, mean_y = (math.fsum(values) / len(known) for values in zip(*known))
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in known) / math.fsum((x - mean_x) ** 2 for x, _ in known)
    return slope, mean_y - slope * mean_x


def slope_through_origin(points: Iterable[tuple[float, float]]) -> Optional[float]:
    known = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y) and x > 0]
    return math.fsum(x * y for x, y in known) / math.fsum(x * x for x, _ in known) if known else None


def fit_active_time(points: Sequence[tuple[int, int, float]]) -> Optional[dict[str, float]]:
    """k1 to k5 of k_act(b, r) = (k1·b² + k2·b + k3)/(r + k4) + k5 [iGniter, equation 11].

    For a given k4 the other four are linear, so k4 is searched over and the rest solved for
    (variable projection). Residuals are relative; k4 is at least 0.
    """
    times = torch.tensor([t for _, _, t in points], dtype=torch.float64)
    batches = torch.tensor([float(b) for b, _, _ in points], dtype=torch.float64)
    shares = torch.tensor([float(r) for _, r, _ in points], dtype=torch.float64)
    if len(points) < 6 or len(set(batches.tolist())) < 3 or len(set(shares.tolist())) < 3:
        return None

    def solve(k4: float) -> tuple[float, list[float]]:
        parts = [batches**2 / (shares + k4), batches / (shares + k4), 1 / (shares + k4), torch.ones_like(times)]
        rows = torch.stack(parts, 1) / times[:, None]
        found = torch.linalg.lstsq(rows, torch.ones_like(times)[:, None], driver="gelsd").solution
        return float(((rows @ found)[:, 0] - 1).square().sum()), found[:, 0].tolist()

    best = min([0.0] + [0.01 * 1.1**i for i in range(100)], key=lambda k4: solve(k4)[0])
    k1, k2, k3, k5 = solve(best)[1]
    return {"k1": k1, "k2": k2, "k3": k3, "k4": best, "k5": k5}


def fit_workload(rows: Sequence[dict[str, str]], idle_watts: Optional[float]) -> Fit:
    """A workload's coefficients from its rows, in milliseconds and percent as the profile file has them."""
    good = [row for row in rows if row["status"] == "ok"]
    alone = [row for row in good if row["neighbours"] == "0"]
    active = [(int(r["batch_size"]), int(r["share_percent"]), 1e3 * number(r, "active_seconds")) for r in alone]
    active = [point for point in active if point[2] > 0]
    values: dict[str, float] = fit_active_time(active) or {}
    values.update(fit_demand(alone, idle_watts))
    values.update(fit_kernels(alone))
    sensitivity = fit_cache_sensitivity(good)
    if sensitivity is not None:
        values["cache_sensitivity"] = sensitivity
    return Fit(values, tuple(name for name in WORKLOAD_COEFFICIENTS if name not in values))


def requests_per_second(row: dict[str, str]) -> float:
    seconds = number(row, "active_seconds")
    return int(row["batch_size"]) / seconds if seconds > 0 else math.nan


def fit_demand(alone: Sequence[dict[str, str]], idle_watts: Optional[float]) -> dict[str, float]:
    """Power above idle and L2 utilization as lines over the requests a second."""
    values: dict[str, float] = {}
    idle = math.nan if idle_watts is None else idle_watts
    power = straight_line((requests_per_second(r), number(r, "power_mean_watts") - idle) for r in alone)
    cache = straight_line((requests_per_second(r), number(r, "l2_utilization_percent")) for r in alone)
    if power:
        values["power_slope"], values["power_intercept_watts"] = power
    if cache:
        values["l2_slope"], values["l2_intercept_percent"] = cache
    return values


def fit_kernels(alone: Sequence[dict[str, str]]) -> dict[str, float]:
    """Kernels, their scheduling delay together, and the bytes of a sample, from the smallest whole-device run."""
    whole = sorted((int(r["batch_size"]), r) for r in alone if r["share_percent"] == "100" and r["kernels"])
    if not whole:
        return {}
    batch, row = whole[0]
    kernels = number(row, "kernels")
    values = {"kernels": kernels, "input_bytes": number(row, "input_bytes") / batch}
    if row["output_bytes"]:
        values["output_bytes"] = number(row, "output_bytes") / batch
    if row["kernel_pause_mean_seconds"]:
        values["scheduling_ms"] = 1e3 * number(row, "kernel_pause_mean_seconds") * kernels
    return values


def fit_cache_sensitivity(good: Sequence[dict[str, str]]) -> Optional[float]:
    """Growth of the active time beside one equal neighbour, over that neighbour's L2 utilization."""

    def at(neighbours: str) -> Optional[dict[str, str]]:
        found = (r for r in good if (r["neighbours"], r["batch_size"], r["share_percent"]) == (neighbours, "16", "50"))
        return next(found, None)

    alone, beside = at("0"), at("1")
    if alone is None or beside is None:
        return None
    growth = number(beside, "active_seconds") / number(alone, "active_seconds") - 1
    slope = slope_through_origin([(number(alone, "l2_utilization_percent"), growth)])
    return None if slope is None else max(0.0, slope)


def fit_device(rows: Sequence[dict[str, str]], known: dict[str, Optional[float]]) -> Fit:
    """The device's coefficients; α_f and the scheduling delay come from the runs with neighbours."""
    values = {name: value for name, value in known.items() if value is not None}
    good = [row for row in rows if row["status"] == "ok" and row["kernel_pause_mean_seconds"]]
    alone = {(r["model"], r["precision"]): r for r in good if r["neighbours"] == "0" and r["share_percent"] == "100"}
    delays = []
    for row in (r for r in good if r["neighbours"] != "0" and (r["model"], r["precision"]) in alone):
        solo_pause = number(alone[row["model"], row["precision"]], "kernel_pause_mean_seconds")
        delays.append((1.0 + int(row["neighbours"]), 1e3 * (number(row, "kernel_pause_mean_seconds") - solo_pause)))
    line = straight_line(delays)
    if line and rows and any(r["mps"] == "shares" for r in rows):
        values["scheduling_slope_ms"], values["scheduling_intercept_ms"] = line
    slope = fit_frequency_slope(good, values)
    if slope is not None:
        values["frequency_slope_mhz_per_watt"] = slope
    return Fit(values, tuple(name for name in DEVICE_COEFFICIENTS if name not in values))


def fit_frequency_slope(good: Sequence[dict[str, str]], known: dict[str, float]) -> Optional[float]:
    """Clock lost for each watt that the tenants would draw together beyond the limit.

    The demand is idle power and as many times the solo draw at the same batch as there are tenants.
    """
    if not {"max_power_watts", "max_frequency_mhz", "idle_power_watts"} <= known.keys():
        return None
    idle, limit, highest = (known[k] for k in ("idle_power_watts", "max_power_watts", "max_frequency_mhz"))
    drawn = {(r["model"], r["share_percent"]): number(r, "power_mean_watts") - idle for r in good if r["neighbours"] == "0"}
    points = []
    for row in (r for r in good if r["neighbours"] != "0"):
        own = drawn.get((row["model"], row["share_percent"]), math.nan)
        points.append((idle + (1 + int(row["neighbours"])) * own - limit, number(row, "sm_clock_mean_megahertz") - highest))
    slope = slope_through_origin(points)
    return None if slope is None else min(0.0, slope)


WORKLOAD_COEFFICIENTS = (
    "k1", "k2", "k3", "k4", "k5", "cache_sensitivity", "power_slope", "power_intercept_watts", "l2_slope",
    "l2_intercept_percent", "kernels", "scheduling_ms", "input_bytes", "output_bytes",
)  # fmt: skip
DEVICE_COEFFICIENTS = (
    "max_power_watts", "max_frequency_mhz", "idle_power_watts", "pcie_bytes_per_ms", "frequency_slope_mhz_per_watt",
    "scheduling_slope_ms", "scheduling_intercept_ms", "share_unit_percent",
)  # fmt: skip


def profile_line(kind: str, name: str, fit: Fit, order: Sequence[str], more: str = "") -> str:
    """A line of the profile file; a comment that names what is missing where it is incomplete."""
    cells = " ".join(f"{key}={exact(fit.values[key])}" for key in order if key in fit.values)
    line = " ".join(part for part in (kind, name, more, cells) if part)
    return line if not fit.missing else f"# incomplete, missing {', '.join(fit.missing)}: {line}"


def exact(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def profile_text(bench: Bench, rows: Sequence[dict[str, str]], transfers: Optional[dict[str, float]]) -> str:
    """The profile file of everything measured so far."""
    idle = weighted_mean(timed_values(bench.idle, bench.idle[-1].seconds if bench.idle else 0.0, "power_watts"))
    known = {
        "max_power_watts": bench.facts.power_limit_watts,
        "max_frequency_mhz": bench.facts.max_sm_clock_megahertz,
        "idle_power_watts": idle,
        "pcie_bytes_per_ms": transfers and PCIE_PROBE_BYTES / (1e3 * transfers["upload_seconds"]),
        "share_unit_percent": 2.5,
    }
    lines = ["cotenant-profiles 1", f"# measured by collect.py {VERSION} on {bench.facts.product}, session {bench.session}"]
    lines.append(profile_line("device", bench.device_id, fit_device(rows, known), DEVICE_COEFFICIENTS))
    by_model = collections.defaultdict(list)
    for row in rows:
        by_model[f"{ModelSpec.parse(row['model']).slug}-{row['precision']}"].append(row)
    for name, own in sorted(by_model.items()):
        fit = fit_workload(own, idle)
        lines.append(profile_line("workload", name, fit, WORKLOAD_COEFFICIENTS, f"device={bench.device_id}"))
    return "\n".join(lines) + "\n"


PCIE_PROBE_BYTES = 64 * MIB
