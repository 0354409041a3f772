"""The largest batch of a model on each device, and the device that is cheapest for it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Callable, Generator, Iterable, Mapping, Optional, Sequence, Union

from .api import Backend, backend, graph, name_of, precision_of
from .errors import CommandError, CotenantError, InputError, InvalidRequestError
from .prediction import Bounds, Device, GIBIBYTE, Prediction, Run

MAX_BATCH = 1 << 20

#: Yields batches and is sent their predictions.
Search = Generator[int, Prediction, "DeviceMaxBatch"]


@dataclass(frozen=True)
class DeviceMaxBatch:
    """A model on one device.

    :ivar limit_bytes: the device's memory less the headroom
    :ivar largest_batch: with a peak memory whose upper bound is within the limit; 0 where one sample is above it
    :ivar prediction: at that batch, at one sample where none fits; None where the device cannot run it
    :ivar cost_per_million_samples: price by samples per second at that batch, in the unit of the price
    :ivar refusal: why the device cannot run it, such as for want of a number format
    """

    device: str
    limit_bytes: int
    largest_batch: int
    prediction: Optional[Prediction]
    price_per_hour: Optional[float] = None
    cost_per_million_samples: Optional[Bounds] = None
    refusal: Optional[str] = None

    def __str__(self) -> str:
        if self.prediction is None:
            return f"{self.device}: {self.refusal}"
        memory = self.prediction.peak_memory_bytes.text("GiB", GIBIBYTE, 2)
        if not self.largest_batch:
            return f"{self.device}: one sample needs {memory}, the limit is {self.limit_bytes / GIBIBYTE:.2f} GiB"
        speed = self.prediction.capacity_per_second
        if self.cost_per_million_samples is not None:
            worth = f", {self.cost_per_million_samples.text('per million samples', 1, 4)}"
        else:
            worth = "" if speed is None else f", {speed.text('samples/s')}"
        return f"{self.device}: batch {self.largest_batch}, {memory}{worth}"


@dataclass(frozen=True)
class MaxBatch:
    """A model on several devices: with prices the cheapest first, else the fastest; those without room last."""

    devices: tuple[DeviceMaxBatch, ...]

    @property
    def cheapest(self) -> Optional[DeviceMaxBatch]:
        """The least cost per sample by its mean, at the largest batch; None without prices or where nothing fits."""
        priced = [found for found in self.devices if found.largest_batch and found.cost_per_million_samples is not None]
        return priced[0] if priced else None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of the predictions, each once."""
        warnings = [warning for found in self.devices if found.prediction is not None for warning in found.prediction.warnings]
        return tuple(dict.fromkeys(warnings))

    def __str__(self) -> str:
        return "\n".join([*map(str, self.devices), *(f"warning: {warning}" for warning in self.warnings)])


def find_max_batch(
    model: Any,
    example_inputs: Any = None,
    devices: Union[Mapping[str, float], Iterable[str], str, None] = None,
    mode: str = "training",
    optimizer: Optional[str] = "adamw",
    precision: Optional[str] = None,
    *,
    checkpointing: Optional[str] = None,
    coverage: Optional[float] = None,
    headroom_percent: float = 5.0,
    unknown_operators: str = "refuse",
    service: Union[Backend, str, None] = None,
) -> MaxBatch:
    """The largest batch on each device, and the cheapest device.

    :param model: and ``example_inputs``: see :func:`cotenant.graph`; the first axis of the first input is the batch
    :param devices: an id of the catalogue, several, or ids with prices per hour; by default the whole catalogue without prices
    :param precision: that of a module's weights by default, fp32 of anything else
    :param headroom_percent: of a device's memory that stays free
    :raises CotenantError: see :mod:`cotenant.errors`
    """
    if not 0 <= headroom_percent < 100:
        raise InputError(f"headroom_percent is {headroom_percent!r}: use a number from 0 to below 100")
    answers = backend(service)
    catalogue = {device.id: device for device in answers.devices()}
    prices = dict(devices) if isinstance(devices, Mapping) else {}
    for name, price in prices.items():
        if not price > 0 or math.isinf(price):
            raise InputError(f"the price of {name} is {price!r}: use a number above 0")
    precision = precision or precision_of(model)
    data, run = graph(model, example_inputs, unknown_operators), Run(mode, precision, optimizer, 1, checkpointing, coverage=coverage)

    def resolved(name: str) -> str:
        return answers.predict_graph(data, name, replace(run, precision="fp32"), name_of(model)).device

    wanted = catalogue if devices is None else [devices] if isinstance(devices, str) else devices
    chosen = {name: known(name, catalogue, resolved) for name in wanted}
    if not chosen:
        raise InputError("devices is empty: name at least one, or pass none for the whole catalogue")
    searches = {
        device.id: on_device(device.id, int(device.memory_bytes * (1 - headroom_percent / 100))) for device in chosen.values()
    }

    def answered(questions: list[tuple[str, int]]) -> list[Union[Prediction, CotenantError]]:
        return list(answers.predict_graphs(data, questions, run, name_of(model)))

    found = in_rounds(searches, answered)
    return MaxBatch(tuple(sorted((priced(found[device.id], prices.get(name)) for name, device in chosen.items()), key=order)))


def in_rounds(
    searches: Mapping[str, Search], answered: Callable[[list[tuple[str, int]]], Sequence[Union[Prediction, CotenantError]]]
) -> dict[str, DeviceMaxBatch]:
    """Runs the searches of all devices side by side: the batches that they want next are one call."""
    found: dict[str, DeviceMaxBatch] = {}
    wanted = {device: next(search) for device, search in searches.items()}
    while wanted:
        questions = list(wanted.items())
        for (device, _), answer in zip(questions, answered(questions)):
            try:
                if isinstance(answer, CotenantError):
                    wanted[device] = searches[device].throw(answer)
                else:
                    wanted[device] = searches[device].send(answer)
            except StopIteration as end:
                found[device] = end.value
                del wanted[device]
    return found


def known(name: str, catalogue: Mapping[str, Device], resolved: Callable[[str], str]) -> Device:
    """A device by its id, or by another name that the service knows it by."""
    found = catalogue.get(name) or catalogue.get(resolved(name))
    if found is None:
        raise InputError(f"unknown device {name!r}: use one of {', '.join(sorted(catalogue))}")
    return found


def on_device(device: str, limit: int) -> Search:
    """Yields the batch whose prediction it wants next, and returns what fits."""
    try:
        first = yield 1
    except (InvalidRequestError, CommandError) as error:
        if not is_about_device(error):
            raise
        return DeviceMaxBatch(device, limit, 0, None, refusal=str(error))
    if first.peak_memory_bytes.upper > limit:
        return DeviceMaxBatch(device, limit, 0, first)
    batch, prediction = yield from largest(limit, first)
    return DeviceMaxBatch(device, limit, batch, prediction)


def is_about_device(error: Exception) -> bool:
    """A number format that the device lacks, not a question that no device can answer."""
    return getattr(error, "code", "") == "precision-unavailable" or "does not compute" in str(error)


def largest(limit: int, first: Prediction) -> Generator[int, Prediction, tuple[int, Prediction]]:
    """The largest batch within the limit.

    Peak memory is nearly linear in the batch, so each guess lies on the line through the two batches around the
    limit, then one beside it; every other guess halves the interval, which bounds their number by twice the logarithm.
    """
    low, high = (1, first), None
    while high is None and low[0] < MAX_BATCH:
        batch = min(MAX_BATCH, low[0] * 8)
        tried = (batch, (yield batch))
        if tried[1].peak_memory_bytes.upper <= limit:
            low = tried
        else:
            high = tried
    turn = 0
    while high is not None and high[0] - low[0] > 1:
        turn += 1
        middle = (low[0] + high[0]) // 2 if turn % 3 == 0 else crossing(low, high, limit)
        batch = max(low[0] + 1, min(high[0] - 1, middle))
        tried = (batch, (yield batch))
        if tried[1].peak_memory_bytes.upper <= limit:
            low = tried
        else:
            high = tried
    return low


def crossing(low: tuple[int, Prediction], high: tuple[int, Prediction], limit: int) -> int:
    """Where the line of the upper bounds meets the limit; rounded to the nearer side, so that both sides close in."""
    least, most = low[1].peak_memory_bytes.upper, high[1].peak_memory_bytes.upper
    exact = low[0] + (limit - least) / (most - least) * (high[0] - low[0])
    return math.floor(exact) if math.floor(exact) > low[0] else math.ceil(exact)


def priced(found: DeviceMaxBatch, price_per_hour: Optional[float]) -> DeviceMaxBatch:
    rate = None if found.prediction is None else found.prediction.capacity_per_second
    if price_per_hour is None or not found.largest_batch or rate is None or not rate.lower:
        return replace(found, price_per_hour=price_per_hour)
    million = price_per_hour / 3600 * 1e6
    cost = replace(rate, mean=million / rate.mean, lower=million / rate.upper, upper=million / rate.lower)
    return replace(found, price_per_hour=price_per_hour, cost_per_million_samples=cost)


def order(found: DeviceMaxBatch) -> tuple[bool, bool, float, str]:
    cost = found.cost_per_million_samples
    rate = 0.0
    if found.prediction is not None and found.prediction.capacity_per_second is not None:
        rate = found.prediction.capacity_per_second.mean
    return not found.largest_batch, cost is None, -rate if cost is None else cost.mean, found.device
