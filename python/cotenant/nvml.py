"""Counters of one GPU by NVML through ctypes; reads only."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Optional, Union

from .errors import CotenantError

NOT_AVAILABLE = (1 << 64) - 1
MAX_PROCESSES = 64


class CountersError(CotenantError):
    """NVML, or the GPU, is not there."""


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Utilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


class _Process(ctypes.Structure):
    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used_bytes", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


@dataclass(frozen=True)
class Counters:
    """One reading; None for what the device does not report.

    :ivar memory_bytes: of the one process on the GPU, else of the whole GPU
    :ivar processes: how many compute on it
    """

    utilization_percent: Optional[float]
    memory_bytes: Optional[int]
    processes: Optional[int]


class Nvml:
    """A GPU as NVML sees it.

    :param gpu: its index or UUID for NVML; by default the first of ``CUDA_VISIBLE_DEVICES``, else 0
    :param library: for tests
    """

    def __init__(self, gpu: Union[int, str, None] = None, library: Any = None):
        self._library = library or _load()
        if self._library.nvmlInit_v2():
            raise CountersError("NVML does not start: is the NVIDIA driver running?")
        chosen = gpu if gpu is not None else os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")[0].strip()
        self._handle = ctypes.c_void_p()
        if isinstance(chosen, str) and not chosen.isdigit():
            code = self._library.nvmlDeviceGetHandleByUUID(chosen.encode(), ctypes.byref(self._handle))
        else:
            code = self._library.nvmlDeviceGetHandleByIndex_v2(int(chosen), ctypes.byref(self._handle))
        if code:
            raise CountersError(f"GPU {chosen} is not there: NVML error {code}; pass gpu, an index or UUID of nvidia-smi -L")

    def product(self) -> str:
        """Such as ``NVIDIA A100-SXM4-40GB``, which the catalogue knows."""
        name = ctypes.create_string_buffer(96)
        self._get("nvmlDeviceGetName", name, 96)
        return name.value.decode(errors="replace")

    def read(self) -> Counters:
        utilization, memory = _Utilization(), _Memory()
        busy = float(utilization.gpu) if self._get("nvmlDeviceGetUtilizationRates", ctypes.byref(utilization)) else None
        used = memory.used if self._get("nvmlDeviceGetMemoryInfo", ctypes.byref(memory)) else None
        processes = self._processes()
        if processes is not None and len(processes) == 1 and processes[0] not in (0, NOT_AVAILABLE):
            used = processes[0]
        return Counters(busy, used, None if processes is None else len(processes))

    def _processes(self) -> Optional[list[int]]:
        """Bytes of each process."""
        count, found = ctypes.c_uint(MAX_PROCESSES), (_Process * MAX_PROCESSES)()
        if not self._get("nvmlDeviceGetComputeRunningProcesses_v3", ctypes.byref(count), found):
            return None
        return [found[i].used_bytes for i in range(min(count.value, MAX_PROCESSES))]

    def _get(self, function: str, *arguments: Any) -> bool:
        call = getattr(self._library, function, None)
        return call is not None and call(self._handle, *arguments) == 0


def _load() -> Any:
    for name in ("libnvidia-ml.so.1", "libnvidia-ml.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise CountersError("NVML cannot be loaded (libnvidia-ml.so.1): is an NVIDIA driver installed?")
