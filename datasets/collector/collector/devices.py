"""Devices and what their counters say."""

from __future__ import annotations

import collections
import contextlib
import csv
import ctypes
import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Optional, Sequence

from . import MIB
from .figures import Reading
from .timing import monotonic


@dataclass(frozen=True)
class DeviceFacts:
    """What does not change while we measure."""

    product: str
    memory_bytes: int
    driver: Optional[str] = None
    power_limit_watts: Optional[float] = None
    max_sm_clock_megahertz: Optional[float] = None
    mig_enabled: bool = False


class DeviceError(RuntimeError):
    """The device, or the library that reads its counters, is not there."""


class NvmlMemory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class NvmlUtilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


def nvml_library() -> Any:
    """NVML by ctypes, else the library that an installed pynvml finds."""
    for name in ("libnvidia-ml.so.1", "libnvidia-ml.so"):
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name)
    try:
        import pynvml

        pynvml.nvmlInit()
        return pynvml.nvmlLib
    except Exception as error:  # noqa: BLE001  pynvml has its own hierarchy, and it may be absent
        raise DeviceError(f"NVML cannot be loaded (libnvidia-ml.so.1, pynvml): {error}") from error


class NvmlDevice:
    """One GPU as NVML sees it; reads only. A counter that is not supported reads as None."""

    GRAPHICS_CLOCK_SM = 1

    def __init__(self, library: Any, index: int):
        self.library = library
        self.handle = ctypes.c_void_p()
        code = library.nvmlInit_v2()
        if code:
            raise DeviceError(f"NVML does not start: error {code}")
        code = library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(self.handle))
        if code:
            raise DeviceError(f"GPU {index} is not there: NVML error {code}")

    def _get(self, function: str, *arguments: Any) -> bool:
        call = getattr(self.library, function, None)
        return call is not None and call(self.handle, *arguments) == 0

    def _number(self, function: str, *arguments: Any) -> Optional[int]:
        value = ctypes.c_uint()
        return value.value if self._get(function, *arguments, ctypes.byref(value)) else None

    def read(self) -> Reading:
        utilization, memory = NvmlUtilization(), NvmlMemory()
        has_utilization = self._get("nvmlDeviceGetUtilizationRates", ctypes.byref(utilization))
        has_memory = self._get("nvmlDeviceGetMemoryInfo", ctypes.byref(memory))
        milliwatts = self._number("nvmlDeviceGetPowerUsage")
        return Reading(
            monotonic(),
            float(utilization.gpu) if has_utilization else None,
            float(utilization.memory) if has_utilization else None,
            memory.used if has_memory else None,
            milliwatts / 1000 if milliwatts is not None else None,
            self._number("nvmlDeviceGetClockInfo", self.GRAPHICS_CLOCK_SM),
        )

    def facts(self) -> DeviceFacts:
        name, driver, memory = ctypes.create_string_buffer(96), ctypes.create_string_buffer(96), NvmlMemory()
        self._get("nvmlDeviceGetName", name, 96)
        self.library.nvmlSystemGetDriverVersion(driver, 96)
        self._get("nvmlDeviceGetMemoryInfo", ctypes.byref(memory))
        limit = self._number("nvmlDeviceGetEnforcedPowerLimit")
        mig, pending = ctypes.c_uint(), ctypes.c_uint()
        has_mig = self._get("nvmlDeviceGetMigMode", ctypes.byref(mig), ctypes.byref(pending))
        return DeviceFacts(
            name.value.decode(errors="replace") or "unknown",
            memory.total,
            driver.value.decode(errors="replace") or None,
            limit / 1000 if limit is not None else None,
            self._number("nvmlDeviceGetMaxClockInfo", self.GRAPHICS_CLOCK_SM),
            has_mig and mig.value == 1,
        )


class CpuStandIn:
    """Stands in for a GPU where there is none: the CPU time and memory of the worker processes.

    It has no memory utilization, power or clock, so the path of counters that are not supported is
    walked too.
    """

    PRODUCT = "fake GPU: worker processes on the CPU"
    SPAN_SECONDS = 0.1

    def __init__(self, process_ids: Callable[[], Iterable[int]]):
        self.process_ids = process_ids
        self.history: collections.deque = collections.deque()
        self.ticks_per_second = os.sysconf("SC_CLK_TCK")
        self.page_bytes = os.sysconf("SC_PAGE_SIZE")

    def read(self) -> Reading:
        now, ticks, pages = monotonic(), 0, 0
        for process_id in self.process_ids():
            with contextlib.suppress(OSError, IndexError, ValueError):
                cells = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
                ticks += int(cells[11]) + int(cells[12])
                pages += int(cells[21])
        self.history.append((now, ticks))
        while len(self.history) > 2 and self.history[1][0] <= now - self.SPAN_SECONDS:
            self.history.popleft()
        then, before = self.history[0]
        busy = (ticks - before) / self.ticks_per_second / (now - then) if now > then else 0.0
        return Reading(now, min(100.0, max(0.0, 100 * busy)), None, pages * self.page_bytes, None, None)

    def facts(self) -> DeviceFacts:
        memory = os.sysconf("SC_PHYS_PAGES") * self.page_bytes
        return DeviceFacts(self.PRODUCT, memory)


CATALOGUE = "catalogue.csv"
CATALOGUE_FOLDERS = (Path(__file__).parent.parent, Path(__file__).parents[3] / "domain/src/main/resources/dev/cotenant/domain/device")
UNSPOKEN = re.compile(r"nvidia|tesla|geforce|hbm[0-9]e?|sxm[56]|[0-9]+gb")  # words that only one of the two names has
MIN_USABLE = 0.85  # what a driver reports of a card's memory


def catalogue(folders: Sequence[Path] = CATALOGUE_FOLDERS) -> list[dict[str, str]]:
    """The project's devices: beside collect.py, or where the repository has them."""
    for folder in folders:
        if (folder / CATALOGUE).exists():
            with (folder / CATALOGUE).open(newline="", encoding="utf-8") as stream:
                return list(csv.DictReader(stream))
    raise DeviceError(
        f"{folders[0] / CATALOGUE} is missing: write it with './cotenant devices --csv', or use --device-name"
    )


def product_words(name: str) -> set[str]:
    """The words that tell a product from its siblings: the form factor is one, the memory is not."""
    text = re.sub(r"([0-9]) ?gb\b", r"\1gb", re.sub(r"\(.*\)", "", name.lower()))
    return {word for word in re.split(r"[^a-z0-9]+", text) if word and not UNSPOKEN.fullmatch(word)}


def device_id(facts: DeviceFacts) -> str:
    """The device's id in the project's catalogue, else one made of its product name."""
    if facts.product == CpuStandIn.PRODUCT:
        return "fake-gpu"
    words, mib = product_words(facts.product), facts.memory_bytes / MIB
    for device in catalogue():
        memory = int(device["memory_mib"])
        if not facts.mig_enabled and words == product_words(device["product_name"]) and MIN_USABLE * memory <= mib <= memory:
            return device["id"]
    made = re.sub(r"[^a-z0-9]+", "-", facts.product.lower()).strip("-") or "unknown"
    return f"{made}-mig" if facts.mig_enabled else made


class Sampler(threading.Thread):
    """Reads the device at a steady pace, in the supervisor, so that no worker is disturbed."""

    def __init__(self, device: Any, period_seconds: float):
        super().__init__(daemon=True)
        self.device, self.period = device, period_seconds
        self.readings: collections.deque = collections.deque(maxlen=int(3600 / period_seconds))
        self.stopped = threading.Event()

    def run(self) -> None:
        due = monotonic()
        while not self.stopped.is_set():
            self.readings.append(self.device.read())
            due = max(due + self.period, monotonic())
            self.stopped.wait(max(0.0, due - monotonic()))

    def stop(self) -> None:
        self.stopped.set()
        if self.is_alive():
            self.join(timeout=5)

    def between(self, begin: float, end: float) -> list[Reading]:
        return [reading for reading in list(self.readings) if begin <= reading.seconds <= end]
