"""A job, step by step, in a worker process."""

from __future__ import annotations

import collections
import contextlib
import inspect
from typing import Any, Callable, Iterable, Iterator, Optional, TYPE_CHECKING

from .figures import kernel_figures, Span, Step, Window
from .models import build_model
from .pytorch import F, torch
from .timing import monotonic, sleep_until

if TYPE_CHECKING:
    from .plans import Job

STEPS_IN_FLIGHT = {"training": 2, "inference": 1}
FIRST_STEPS = 3


class JobRunner:
    """A prepared job: ``step`` starts one step and returns how to wait for its end.

    Inference takes one request at a time: upload, forward pass, answer copied back. Training keeps
    two steps in flight, as a loop that reads its loss one step late does. fp16 and bf16 mean
    converted weights for inference and automatic mixed precision for training.
    """

    def __init__(self, job: Job, device: str):
        self.job, self.device = job, device
        self.half = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(job.precision)
        set_matrix_precision(job.precision)
        built = build_model(job.model.name, job.model.options, device)
        self.implementation = built.implementation
        self.module = built.module
        self.parameters = sum(p.numel() for p in built.module.parameters())
        self.answer_bytes: Optional[int] = None
        self.host = built.input.sample(job.batch_size, torch.Generator().manual_seed(1))
        self._prepare_training() if job.mode == "training" else self._prepare_inference()
        if device == "cuda":
            self.host = self.host.pin_memory()

    def _prepare_inference(self) -> None:
        self.module.eval().requires_grad_(False)
        if self.half:
            self.module.to(self.half)
            self.host = self.host.to(self.half) if self.host.is_floating_point() else self.host

    def _prepare_training(self) -> None:
        self.module.train()
        fused = {"foreach": True} if "foreach" in inspect.signature(torch.optim.SGD).parameters else {}
        if self.job.model.family in ("bert", "gpt", "vit", "transformer", "convnext"):
            self.optimizer: torch.optim.Optimizer = torch.optim.AdamW(self.module.parameters(), 1e-4)
        else:
            self.optimizer = torch.optim.SGD(self.module.parameters(), 1e-3, momentum=0.9, **fused)
        self.scaler = gradient_scaler(self.device, self.job.precision == "fp16" and self.device == "cuda")
        self.targets: Optional[torch.Tensor] = None

    def step(self) -> Callable[[], None]:
        return self._training_step() if self.job.mode == "training" else self._inference_step()

    def _inference_step(self) -> Callable[[], None]:
        with torch.inference_mode():
            answer = self.module(self.host.to(self.device, non_blocking=True))
            answer = answer[:, -1] if answer.dim() == 3 else answer
            self.answer_bytes = answer.numel() * answer.element_size()
            answer.to("cpu")  # waits for the device
        return lambda: None

    def _training_step(self) -> Callable[[], None]:
        batch = self.host.to(self.device, non_blocking=True)
        self.optimizer.zero_grad(set_to_none=True)
        with mixed_precision(self.device, self.half):
            outputs = self.module(batch)
        loss = self._loss(outputs.float())
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        if self.device != "cuda":
            return lambda: None
        end = torch.cuda.Event()
        end.record()
        return end.synchronize

    def _loss(self, outputs: torch.Tensor) -> torch.Tensor:
        """Cross entropy over the classes; over the last axis for sequences; binary for one class."""
        if outputs.dim() == 3:
            outputs = outputs.flatten(0, 1)
        if outputs.shape[1] == 1:
            return F.binary_cross_entropy_with_logits(outputs, torch.ones_like(outputs))
        if self.targets is None:
            shape = (outputs.shape[0], *outputs.shape[2:])
            self.targets = torch.randint(outputs.shape[1], shape, device=outputs.device)
        return F.cross_entropy(outputs, self.targets)


def set_matrix_precision(precision: str) -> None:
    """TF32 for tf32 and for what mixed precision leaves in 32 bits; true fp32 for fp32."""
    torch.backends.cuda.matmul.allow_tf32 = precision != "fp32"
    torch.backends.cudnn.allow_tf32 = precision != "fp32"


def mixed_precision(device: str, half: Optional[torch.dtype]):
    if half is None:
        return contextlib.nullcontext()
    return torch.autocast(device, dtype=half)


def gradient_scaler(device: str, enabled: bool):
    if hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device, enabled=enabled)
    return torch.cuda.amp.GradScaler(enabled=enabled)


def run_steps(runner: JobRunner, window: Window, arrivals: Optional[Iterator[float]] = None) -> list[Step]:
    """Runs steps until the window is over; in a closed loop unless arrivals are given."""
    depth = STEPS_IN_FLIGHT[runner.job.mode]
    done: list[Step] = []
    flying: collections.deque = collections.deque()
    arrived = monotonic()
    while not is_over(window, done):
        arrived = next(arrivals) if arrivals else monotonic()
        sleep_until(arrived)
        flying.append((arrived, monotonic(), runner.step()))
        if len(flying) >= depth:
            done.append(land(flying.popleft()))
    done.extend(land(step) for step in flying)
    return done


def land(step: tuple[float, float, Callable[[], None]]) -> Step:
    arrived, begun, wait = step
    wait()
    return Step(arrived, begun, monotonic())


def is_over(window: Window, done: list[Step]) -> bool:
    now = monotonic()
    counted = sum(step.begun >= window.begin for step in done[-window.least_steps :])
    return now >= window.end and (counted >= window.least_steps or now >= window.latest_end)


def kernel_spans(events: Iterable[Any], device: str) -> list[Span]:
    """The kernels among a profiler's events; on the CPU, the operators that call no others."""
    return [
        Span(event.time_range.start * 1e-6, event.time_range.end * 1e-6)
        for event in events
        if (is_kernel(event) if device == "cuda" else not event.cpu_children)
    ]


def is_kernel(event: Any) -> bool:
    if "CUDA" not in str(event.device_type) or getattr(event, "is_user_annotation", False):
        return False
    return not event.name.startswith(("Memcpy", "Memset", "Optimizer.", "ProfilerStep", "##"))


def profile_kernels(runner: JobRunner, device: str) -> dict[str, Any]:
    from torch.profiler import ProfilerActivity, profile

    device_only, both = [ProfilerActivity.CUDA], [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    for activities in (device_only, both) if device == "cuda" else ([ProfilerActivity.CPU],):
        synchronize(device)
        with profile(activities=activities) as profiler:
            runner.step()()
            synchronize(device)
        spans = kernel_spans(profiler.events(), device)
        if spans:
            return kernel_figures(spans)
    raise RuntimeError("the profiler saw no kernels")


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
