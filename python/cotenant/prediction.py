"""Predictions as REST and ``cotenant predict --json`` give them; every name has its unit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional

from .errors import InputError, InvalidResponseError

MODES = ("training", "inference")
GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Run:
    """How a model runs.

    :ivar mode: ``training`` or ``inference``
    :ivar precision: ``fp32``, ``tf32``, ``fp16``, ``bf16``, ``amp`` or ``amp-bf16``
    :ivar optimizer: of training: ``adam``, ``adamw``, ``sgd``, ``momentum``, ``rmsprop`` or ``adagrad``
    :ivar batch_size: samples per step; None is that of the example inputs
    :ivar checkpointing: of activations in training: ``none`` or ``segments``
    :ivar framework: ``pytorch``, ``pytorch-1`` or ``pytorch-2``
    :ivar request_rate: of inference, requests per second of one sample each
    :ivar coverage: share of cases in which each bound is to hold, 0.5 to 0.999
    """

    mode: str = "training"
    precision: str = "fp32"
    optimizer: Optional[str] = "adamw"
    batch_size: Optional[int] = None
    checkpointing: Optional[str] = None
    framework: Optional[str] = None
    request_rate: Optional[float] = None
    coverage: Optional[float] = None

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InputError(f"mode is {self.mode!r}: use one of {', '.join(MODES)}")
        if self.batch_size is not None and (isinstance(self.batch_size, bool) or self.batch_size < 1):
            raise InputError(f"batch_size is {self.batch_size!r}: use a whole number from 1")

    def settings(self) -> dict[str, str]:
        """What is set, by the names of REST; the optimizer only of training."""
        named = {
            "batch": self.batch_size,
            "mode": self.mode,
            "precision": self.precision,
            "optimizer": self.optimizer if self.mode == "training" else None,
            "checkpointing": self.checkpointing,
            "framework": self.framework,
            "request_rate": self.request_rate,
            "coverage": self.coverage,
        }
        return {name: str(value) for name, value in named.items() if value is not None}


@dataclass(frozen=True)
class Bounds:
    """A prediction with one-sided bounds.

    :ivar coverage: the share of similar cases in which each bound holds; None where it is not known
    :ivar calibration_group: the held-out rows that decided the bounds, where measured runs did
    """

    mean: float
    lower: Optional[float]
    upper: float
    coverage: Optional[float]
    calibration_group: Optional[str] = None
    calibration_rows: Optional[int] = None

    @staticmethod
    def of(document: Any, name: str) -> Bounds:
        if not isinstance(document, Mapping):
            raise InvalidResponseError(f"the answer has no {name}: it is not a prediction of Cotenant")
        calibration = document.get("calibration") or {}
        return Bounds(
            number(document, "mean", name),
            None if document.get("lower") is None else number(document, "lower", name),
            number(document, "upper", name),
            None if document.get("coverage") is None else number(document, "coverage", name),
            calibration.get("group"),
            calibration.get("rows"),
        )

    def scaled(self, factor: float) -> Bounds:
        lower = None if self.lower is None else self.lower * factor
        return Bounds(self.mean * factor, lower, self.upper * factor, self.coverage, self.calibration_group, self.calibration_rows)

    def text(self, unit: str, divisor: float = 1, digits: int = 1) -> str:
        least = "" if self.lower is None else f"{self.lower / divisor:.{digits}f}–"
        level = ", assumed" if self.coverage is None else f" at {100 * self.coverage:g} %"
        return f"{self.mean / divisor:.{digits}f} {unit} ({least}{self.upper / divisor:.{digits}f}{level})".replace("  (", " (")


def number(document: Mapping[str, Any], key: str, where: str) -> float:
    value = document.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidResponseError(f"{where} of the answer has no number {key!r}: it is not a prediction of Cotenant")
    return float(value)


@dataclass(frozen=True)
class Prediction:
    """Utilization, peak memory and step time of one workload on one device.

    :ivar step_time_seconds: wall time of one step
    :ivar capacity_per_second: samples per second of back-to-back steps
    :ivar measured_here: the cluster's own runs of this configuration, where they decide
    :ivar warnings: what limits the prediction
    :ivar document: the whole answer
    """

    device: str
    mode: str
    precision: str
    batch_size: int
    utilization_percent: Bounds
    peak_memory_bytes: Bounds
    step_time_seconds: Optional[Bounds]
    capacity_per_second: Optional[Bounds]
    model_version: str
    measured_here: Optional[Mapping[str, Any]]
    warnings: tuple[str, ...]
    document: Mapping[str, Any] = field(repr=False)

    @staticmethod
    def of(document: Any) -> Prediction:
        """Reads a prediction.

        :raises InvalidResponseError: it is none
        """
        if not isinstance(document, Mapping):
            raise InvalidResponseError("the answer is not a JSON object, so it is not a prediction of Cotenant")
        step, capacity = (document.get(key) for key in ("step_time_seconds", "capacity_per_second"))
        return Prediction(
            str(document.get("device", "")),
            str(document.get("mode", "")),
            str(document.get("precision", "")),
            int(number(document, "batch_size", "the prediction")),
            Bounds.of(document.get("utilization_percent"), "utilization_percent"),
            Bounds.of(document.get("peak_memory_bytes"), "peak_memory_bytes"),
            None if step is None else Bounds.of(step, "step_time_seconds"),
            None if capacity is None else Bounds.of(capacity, "capacity_per_second"),
            str(document.get("model_version", "")),
            document.get("measured_here"),
            tuple(map(str, document.get("warnings") or ())),
            document,
        )

    def __str__(self) -> str:
        lines = [
            f"{self.mode} on {self.device}, {self.precision}, batch {self.batch_size}",
            f"  utilization  {self.utilization_percent.text('%')}",
            f"  peak memory  {self.peak_memory_bytes.text('GiB', GIBIBYTE, 2)}",
        ]
        if self.step_time_seconds is not None:
            lines.append(f"  step time    {self.step_time_seconds.text('ms', 0.001)}")
        if self.capacity_per_second is not None:
            lines.append(f"  samples/s    {self.capacity_per_second.text('')}")
        if self.measured_here:
            measured = ", ".join(map(str, self.measured_here.get("targets", ())))
            lines.append(f"  measured     {measured}: {self.measured_here.get('runs')} runs of this cluster")
        return "\n".join([*lines, *(f"warning: {line}" for line in self.warnings)])


@dataclass(frozen=True)
class Device:
    """A GPU product of the catalogue."""

    id: str
    product_name: str
    memory_bytes: int
    document: Mapping[str, Any] = field(repr=False)

    @staticmethod
    def of(document: Any) -> Device:
        if not isinstance(document, Mapping) or not isinstance(document.get("id"), str):
            raise InvalidResponseError("the answer is not a list of devices of Cotenant")
        memory = int(number(document, "memory_bytes", str(document["id"])))
        return Device(document["id"], str(document.get("product_name", "")), memory, document)
