"""The main loop of a worker process."""

from __future__ import annotations

import contextlib
import gc
import json
import math
import os
import platform
import signal
import sys
from pathlib import Path
from typing import Any, Callable, Optional

from .figures import quantile, step_figures, Window
from .graphs import write_graph
from .jobs import FIRST_STEPS, JobRunner, profile_kernels, run_steps, synchronize
from .plans import Job, ModelSpec
from .pytorch import torch, torchvision
from .timing import monotonic, poisson_arrivals


class WorkerService:
    """Answers requests, one JSON object a line, until its input ends."""

    def __init__(self, device: str):
        self.device = device
        self.runner: Optional[JobRunner] = None
        self.requests: dict[str, Callable[..., dict[str, Any]]] = {
            "describe": self.describe,
            "prepare": self.prepare,
            "run": self.run,
            "kernels": self.kernels,
            "counters": self.counters,
            "transfers": self.transfers,
            "export": self.export,
            "release": self.release,
        }

    def answer(self, line: str) -> dict[str, Any]:
        """Whatever goes wrong is an answer too: this is the edge of the process."""
        number = None
        try:
            request = json.loads(line)
            number = request.pop("number", None)
            return {"number": number, "ok": self.requests[request.pop("do")](**request)}
        except Exception as error:  # noqa: BLE001
            failure = describe_failure(error)
        self.release_quietly()  # only now do the failed frames no longer hold tensors
        return {"number": number, "failure": failure}

    def describe(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "torchvision": getattr(torchvision, "__version__", None),
        }
        if self.device == "cuda":
            properties = torch.cuda.get_device_properties(0)
            torch.empty(1, device="cuda")
            found.update(
                device_name=properties.name,
                visible_multiprocessors=properties.multi_processor_count,
                cuda=torch.version.cuda,
                cudnn=torch.backends.cudnn.version(),
                l2_bytes=getattr(properties, "L2_cache_size", None),
            )
        return found

    def prepare(self, job: str) -> dict[str, Any]:
        self.release()
        if self.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        self.runner = runner = JobRunner(Job.parse(job), self.device)
        for _ in range(FIRST_STEPS):
            runner.step()()
        times: list[float] = []
        while not times or (len(times) < 20 and math.fsum(times) < 0.2):
            begun = monotonic()
            runner.step()()
            times.append(monotonic() - begun)
        return {
            "implementation": runner.implementation,
            "parameters": runner.parameters,
            "step_seconds": quantile(times, 0.5),
            "input_bytes": runner.host.numel() * runner.host.element_size(),
            "output_bytes": runner.answer_bytes,
        }

    def run(self, begin: float, end: float, least_steps: int = 1, latest_end: float = 0.0, rate: float = 0.0, seed: int = 1):
        runner = self._runner()
        window = Window(begin, end, least_steps, latest_end)
        arrivals = poisson_arrivals(rate, monotonic(), seed) if rate else None
        figures = step_figures(run_steps(runner, window, arrivals), window, runner.job.batch_size)
        if self.device == "cuda":
            figures["allocator_peak_bytes"] = torch.cuda.max_memory_allocated()
            figures["allocator_reserved_bytes"] = torch.cuda.max_memory_reserved()
        return figures

    def kernels(self) -> dict[str, Any]:
        return profile_kernels(self._runner(), self.device)

    def counters(self) -> dict[str, Any]:
        """One step between the profiler's start and stop marks, for a counter tool around us."""
        runner = self._runner()
        synchronize(self.device)
        torch.cuda.cudart().cudaProfilerStart()
        runner.step()()
        synchronize(self.device)
        torch.cuda.cudart().cudaProfilerStop()
        return {}

    def transfers(self, size_bytes: int, repeats: int = 20) -> dict[str, Any]:
        """Median seconds to move so many bytes to the device and back, from pinned memory."""
        here = torch.zeros(size_bytes, dtype=torch.uint8)
        here = here.pin_memory() if self.device == "cuda" else here
        there = torch.empty_like(here, device=self.device)
        return {
            "upload_seconds": quantile([self._timed(there, here) for _ in range(repeats)], 0.5),
            "download_seconds": quantile([self._timed(here, there) for _ in range(repeats)], 0.5),
        }

    def _timed(self, target: torch.Tensor, source: torch.Tensor) -> float:
        synchronize(self.device)
        begun = monotonic()
        target.copy_(source, non_blocking=True)
        synchronize(self.device)
        return monotonic() - begun

    def export(self, model: str, folder: str) -> dict[str, Any]:
        return {"graph": write_graph(ModelSpec.parse(model), Path(folder))}

    def release(self) -> dict[str, Any]:
        self.runner = None
        gc.collect()
        if self.device == "cuda":
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        return {}

    def release_quietly(self) -> None:
        """After a failure; the failure itself shows a context that is broken for good."""
        with contextlib.suppress(RuntimeError):
            self.release()

    def _runner(self) -> JobRunner:
        if self.runner is None:
            raise RuntimeError("no job is prepared")
        return self.runner


def describe_failure(error: BaseException) -> dict[str, str]:
    message = " ".join(str(error).split()) or type(error).__name__
    return {"status": failure_status(error, message), "message": f"{type(error).__name__}: {message}"[:300]}


def failure_status(error: BaseException, message: str) -> str:
    memory = ("out of memory", "not enough memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
    if isinstance(error, MemoryError) or any(text in message for text in memory):
        return "out-of-memory"
    unsupported = ("not implemented for", "not supported", "unsupported", "could not create a primitive")
    if any(text in message for text in unsupported):
        return "unsupported"
    return "broken-device" if "CUDA error" in message or "CUDNN_STATUS" in message else "error"


def serve(device: str) -> int:
    """The main loop of a worker; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if device == "cpu":
        torch.set_num_threads(1)
    service = WorkerService(device)
    for line in sys.stdin:
        print(json.dumps(service.answer(line)), file=answers, flush=True)
    return 0
