"""Servers of language models (vLLM) and generation with transformers: what they take of a GPU.

The rows have the columns of the sets that './cotenant evaluate llm --data llm:FOLDER' reads.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Optional

from .figures import peak_used
from .files import RowFile
from .plans import Plan, PlanError, read_plan
from .session import Bench, failures_recorded_in, fill, measure_points, ordered, pending, shown, summary
from .timing import monotonic
from .workers import PointFailure

ENGINES = ("vllm", "transformers")
GIB = 1 << 30
MODEL = re.compile(r"[A-Za-z0-9/][A-Za-z0-9._/-]{0,255}")
SERVES = "Application startup complete"


class LanguageRun(NamedTuple):
    """One start of an engine, perhaps beside a server of vLLM that holds its memory meanwhile."""

    engine: str
    model: str
    arguments: str = ""
    prompt_tokens: int = 1024
    generated_tokens: int = 128
    beside: str = ""

    def __str__(self) -> str:
        text = f"{self.engine} {self.model} {self.arguments}".strip()
        tokens = "" if self.engine == "vllm" else f" {self.prompt_tokens}+{self.generated_tokens}"
        return text + tokens + (f" beside {self.beside}" if self.beside else "")


def run_of_line(line: dict[str, str]) -> Iterator[LanguageRun]:
    engine, model, beside = line["engine"].strip(), line["model"].strip(), (line.get("beside") or "").strip()
    if engine not in ENGINES:
        raise PlanError(f"engine '{engine}' is none of {', '.join(ENGINES)}")
    for name in [model, *beside.split()[:1]]:
        if not MODEL.fullmatch(name):
            raise PlanError(f"model '{name}' is not a repository or folder")
    tokens = [count(line.get(name) or default, name) for name, default in (("prompt_tokens", "1024"), ("generated_tokens", "128"))]
    yield LanguageRun(engine, model, (line.get("arguments") or "").strip(), *tokens, beside)


def count(text: str, name: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,6}", text.strip()):
        raise PlanError(f"{name} '{text}' is not a whole number from 1")
    return int(text)


def read_runs(path: Path) -> Plan:
    return read_plan(path, run_of_line, ("engine", "model"))


def run_levels(run: LanguageRun) -> dict[str, Any]:
    """The factors that a set of starts should be balanced over."""
    return {"engine": run.engine, "model": run.model, "alone": not run.beside}


@dataclass
class ServerRow:
    """A start of vLLM, with the columns of vllm_h100.csv and what NVML saw of the process."""

    run: str
    session: str
    family: str
    model: str
    gpu: str
    status: str = "ok"
    message: str = ""
    beside: str = ""
    vllm_version: Optional[str] = None
    gpu_total_gib: Optional[float] = None
    args: str = ""
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    max_model_len: Optional[int] = None
    dtype: Optional[str] = None
    quantization: Optional[str] = None
    kv_cache_dtype: str = "auto"
    gpu_memory_utilization: Optional[float] = None
    max_num_batched_tokens: Optional[int] = None
    max_num_seqs: Optional[int] = None
    enforce_eager: str = "false"
    init_cuda_gib: Optional[float] = None
    weights_gib: Optional[float] = None
    activation_peak_gib: Optional[float] = None
    non_torch_increase_gib: Optional[float] = None
    cuda_graph_estimated_gib: Optional[float] = None
    cuda_graph_actual_gib: Optional[float] = None
    kv_cache_gib: Optional[float] = None
    kv_cache_tokens: Optional[int] = None
    nvml_used_gib: Optional[float] = None
    start_seconds: Optional[float] = None
    log: str = ""


@dataclass
class GenerationRow:
    """A generation with transformers, with the columns of qwen_inference.csv."""

    run: str
    session: str
    model: str
    gpu: str
    status: str = "ok"
    message: str = ""
    beside: str = ""
    quantization: str = "BF16"
    prompt_tokens: Optional[int] = None
    generated_tokens: Optional[int] = None
    batch: int = 1
    gpus: int = 1
    transformers: Optional[str] = None
    torch: Optional[str] = None
    memory_total_gib: Optional[float] = None
    reserved_gib: Optional[float] = None
    nvml_used_gib: Optional[float] = None
    tokens_per_s: Optional[float] = None


FIGURES = {
    "vllm_version": (r"\bversion (\d+\.\d+[\w.+]*)", str),
    "max_model_len": (r"Using max model len (\d+)", int),
    "max_num_batched_tokens": (r"max_num_batched_tokens(?: to |=)(\d+)", int),
    "max_num_seqs": (r"max_num_seqs to (\d+)", int),
    "gpu_total_gib": (r"init memory snapshot:.* total_memory=([\d.]+) ?GiB", float),
    "init_cuda_gib": (r"init memory snapshot:.* cuda_memory=([\d.]+) ?GiB", float),
    "gpu_memory_utilization": (r"Requested memory: ([\d.]+) \(util\)", float),
    "weights_gib": (r"Model loading took ([\d.]+) GiB", float),
    "activation_peak_gib": (r"torch peak memory increase: ([\d.]+) ?GiB", float),
    "non_torch_increase_gib": (r"non-torch forward increase memory: ([\d.]+) ?GiB", float),
    "kv_cache_gib": (r"Available KV cache memory: ([\d.]+) GiB", float),
    "kv_cache_tokens": (r"GPU KV cache size: ([\d,]+) tokens", lambda text: int(text.replace(",", ""))),
    "cuda_graph_estimated_gib": (r"([\d.]+) GiB \(estimated\)", float),
    "cuda_graph_actual_gib": (r"([\d.]+) GiB \(actual\)|Graph capturing finished.* took ([\d.]+) GiB", float),
}
ARGUMENTS = {
    "tensor_parallel": ("tensor-parallel-size", int), "pipeline_parallel": ("pipeline-parallel-size", int),
    "dtype": ("dtype", str), "quantization": ("quantization", str), "kv_cache_dtype": ("kv-cache-dtype", str),
    "gpu_memory_utilization": ("gpu-memory-utilization", float), "max_num_seqs": ("max-num-seqs", int),
    "max_num_batched_tokens": ("max-num-batched-tokens", int), "max_model_len": ("max-model-len", int),
}  # fmt: skip


def log_figures(log: str) -> dict[str, Any]:
    """What a start says of its memory; the last occurrence counts. Nothing of the text is evaluated."""
    found = {}
    for name, (pattern, kind) in FIGURES.items():
        values = [next(filter(None, match.groups())) for match in re.finditer(pattern, log)]
        if values:
            found[name] = kind(values[-1])
    return found


def argument_figures(arguments: str) -> dict[str, Any]:
    words, found = shlex.split(arguments), {}
    for column, (flag, kind) in ARGUMENTS.items():
        for at, word in enumerate(words):
            name, _, value = word.partition("=")
            if name.lstrip("-").replace("_", "-") == flag:
                text = value or (words[at + 1] if at + 1 < len(words) else "")
                with contextlib.suppress(ValueError):
                    found[column] = kind(text)
    if "--enforce-eager" in words:
        found["enforce_eager"] = "true"
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server of vLLM in a session of its own; its log is a file."""

    def __init__(self, bench: Bench, model: str, arguments: str, log: Path):
        self.log_file = log
        log.parent.mkdir(parents=True, exist_ok=True)
        command = ["vllm", "serve", model, *shlex.split(arguments), "--host", "127.0.0.1", "--port", str(free_port())]
        environment = {**os.environ, "VLLM_LOGGING_LEVEL": "DEBUG", "CUDA_VISIBLE_DEVICES": str(bench.settings.gpu)}
        with log.open("wb") as stream:
            try:
                self.process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT,
                    env=environment, start_new_session=True,
                )  # fmt: skip
            except FileNotFoundError as error:
                raise PointFailure("unsupported", "vllm is not installed") from error

    def text(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def wait(self, seconds: float) -> float:
        """Until it serves; the seconds that took."""
        begun = monotonic()
        while SERVES not in self.text():
            if self.process.poll() is not None:
                raise PointFailure("error", f"vllm ended with {self.process.returncode}: {self.last_words()}")
            if monotonic() - begun > seconds:
                raise PointFailure("timeout", f"vllm did not serve within {seconds:.0f} s")
            time.sleep(0.05)
        return monotonic() - begun

    def last_words(self) -> str:
        errors = [line for line in self.text().splitlines() if "Error" in line]
        return (errors or self.text().splitlines() or ["no log"])[-1][-200:]

    def close(self) -> None:
        """Ends the session that this process has started, workers included."""
        for kind in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, kind)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(timeout=20)
                return


@contextlib.contextmanager
def server(bench: Bench, model: str, arguments: str, log: Path) -> Iterator[Server]:
    started = Server(bench, model, arguments, log)
    try:
        yield started
    finally:
        started.close()


@contextlib.contextmanager
def neighbour(bench: Bench, run: LanguageRun) -> Iterator[None]:
    """The server beside which it is measured, once it serves; none where it runs alone."""
    if not run.beside:
        yield
        return
    model, _, arguments = run.beside.partition(" ")
    with server(bench, model, arguments, log_of(bench, f"beside-{run}")) as held:
        held.wait(bench.timeout())
        yield


def log_of(bench: Bench, name: str) -> Path:
    return bench.settings.out / "llm" / "logs" / (re.sub(r"[^A-Za-z0-9.=+-]+", "_", name)[:150] + ".log")


def used_since(bench: Bench, begun: float, before: Optional[int]) -> Optional[float]:
    """What NVML saw beyond what was in use before."""
    used = peak_used(bench.sampler.between(begun, monotonic()))
    return None if used is None or before is None else max(0, used - before) / GIB


def in_use(bench: Bench) -> Optional[int]:
    begun = monotonic()
    time.sleep(max(0.2, bench.settings.settle_seconds))
    return peak_used(bench.sampler.between(begun, monotonic()))


def family(model: str) -> str:
    """Models of one family are left out together: the name without sizes and variants."""
    return re.split(r"[-_.]?\d+(?:\.\d+)?[bBmM]\b", model.rstrip("/").rpartition("/")[2].lower())[0]


def measure_server(bench: Bench, run: LanguageRun) -> ServerRow:
    row = ServerRow(str(run), bench.session, family(run.model), run.model, bench.device_id, beside=run.beside)
    row.args = f"vllm serve {run.model} {run.arguments}".strip()
    fill(row, argument_figures(run.arguments))
    with failures_recorded_in(row), neighbour(bench, run):
        before, begun, log = in_use(bench), monotonic(), log_of(bench, str(run))
        row.log = str(log.relative_to(bench.settings.out))
        with server(bench, run.model, run.arguments, log) as started:
            try:
                row.start_seconds = started.wait(bench.timeout())
                time.sleep(bench.settings.settle_seconds)
                row.nvml_used_gib = used_since(bench, begun, before)
            finally:
                fill(row, {**log_figures(started.text()), **argument_figures(run.arguments)})
    if row.status == "ok" and row.weights_gib is None:
        row.status, row.message = "error", "its log states no memory"
    return row


def measure_generation(bench: Bench, run: LanguageRun) -> GenerationRow:
    row = GenerationRow(str(run), bench.session, run.model, bench.device_id, beside=run.beside)
    row.prompt_tokens, row.generated_tokens = run.prompt_tokens, run.generated_tokens
    with failures_recorded_in(row), neighbour(bench, run):
        before, begun = in_use(bench), monotonic()
        fill(row, generated(bench, run))
        row.nvml_used_gib = used_since(bench, begun, before)
    return row


def generated(bench: Bench, run: LanguageRun) -> dict[str, Any]:
    """Runs generation.py in a process of its own; its last line is one JSON object."""
    command = [
        sys.executable, str(Path(__file__).with_name("generation.py")),
        run.model, str(run.prompt_tokens), str(run.generated_tokens), bench.settings.device,
    ]  # fmt: skip
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": str(bench.settings.gpu)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=bench.timeout(), env=environment, check=False)
        answer = json.loads((done.stdout.strip().splitlines() or ["{}"])[-1])
    except subprocess.TimeoutExpired as error:
        raise PointFailure("timeout", f"no answer within {error.timeout:.0f} s") from error
    except ValueError:
        answer = {}
    if "memory_total_gib" not in answer:
        words = (done.stderr.strip().splitlines() or ["it said nothing"])[-1][-200:]
        raise PointFailure(answer.get("status", "error"), answer.get("message", words))
    return answer


def languages(bench: Bench, plan: Path) -> int:
    bench.close_workers()
    folder = bench.settings.out / "llm"
    files = {
        "vllm": (RowFile(folder / "vllm_h100.csv", ServerRow), measure_server),
        "transformers": (RowFile(folder / "qwen_inference.csv", GenerationRow), measure_generation),
    }
    runs = ordered(read_runs(plan), run_levels, bench.settings.seed)

    def measure(run: LanguageRun) -> str:
        rows, measured = files[run.engine]
        row = measured(bench, run)
        bench.record(rows, [row])
        return summary(row, shown("used", row.nvml_used_gib, 1, "GiB"))

    left = [
        run for run in runs
        if pending([run], files[run.engine][0], "run", bench.settings.retry_errors)
    ]  # fmt: skip
    return measure_points(bench, left, measure)
