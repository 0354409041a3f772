"""Worker processes and MPS, as the supervisor sees them."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Optional

from .timing import monotonic

WORKER_COMMAND = [sys.executable, str(Path(__file__).parent.parent / "collect.py"), "worker"]


class PointFailure(Exception):
    """Why a point has no measurement; becomes the status and the message of its row."""

    def __init__(self, status: str, message: str):
        super().__init__(message)
        self.status, self.message = status, message


class Worker:
    """A worker process and the two pipes to it."""

    def __init__(self, device: str, environment: dict[str, str]):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [*WORKER_COMMAND, device],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={**os.environ, **environment}, start_new_session=True,
        )  # fmt: skip
        self.answers: queue.Queue = queue.Queue()
        self.sent = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            self.answers.put(line)
        self.answers.put(None)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def send(self, do: str, **arguments: Any) -> None:
        self.sent += 1
        try:
            print(json.dumps({"number": self.sent, "do": do, **arguments}), file=self.process.stdin, flush=True)
        except OSError as error:
            raise PointFailure("error", f"the worker is gone ({self.last_words()}): {error}") from error

    def receive(self, timeout_seconds: float) -> dict[str, Any]:
        """The answer to the last request; a worker that is late or broken for good is ended."""
        end = monotonic() + timeout_seconds
        answer: dict[str, Any] = {}
        while answer.get("number") != self.sent:  # what a failed point has left unread is skipped
            answer = self._next_answer(max(0.1, end - monotonic()), timeout_seconds)
        if "failure" not in answer:
            return answer["ok"]
        if answer["failure"]["status"] == "broken-device":
            self.kill()
        raise PointFailure(**answer["failure"])

    def _next_answer(self, wait_seconds: float, timeout_seconds: float) -> dict[str, Any]:
        try:
            line = self.answers.get(timeout=wait_seconds)
        except queue.Empty:
            self.kill()
            raise PointFailure("timeout", f"no answer within {timeout_seconds:.0f} s") from None
        if line is None:
            self.process.wait(timeout=10)
            raise PointFailure("error", f"the worker ended with {self.process.returncode}: {self.last_words()}")
        return json.loads(line)

    def ask(self, timeout_seconds: float, do: str, **arguments: Any) -> dict[str, Any]:
        self.send(do, **arguments)
        return self.receive(timeout_seconds)

    def last_words(self) -> str:
        self.log.seek(max(0, self.log.seek(0, os.SEEK_END) - 300))
        return " ".join(self.log.read().decode(errors="replace").split()) or "it said nothing"

    def kill(self) -> None:
        if self.alive:
            self.process.kill()
        self.process.wait(timeout=30)

    def close(self) -> None:
        """Lets the worker end by itself, so that its memory is given back in order."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=8)
        except subprocess.TimeoutExpired:
            self.kill()
        self.log.close()


class MpsDaemon:
    """CUDA's multi-process service under a folder of our own; nothing else on the machine sees it."""

    CONTROL = "nvidia-cuda-mps-control"

    def __init__(self, folder: Path):
        self.environment = {
            "CUDA_MPS_PIPE_DIRECTORY": str(folder / "pipe"),
            "CUDA_MPS_LOG_DIRECTORY": str(folder / "log"),
        }
        for path in self.environment.values():
            Path(path).mkdir(parents=True, exist_ok=True)

    def start(self) -> Optional[str]:
        """Starts the daemon; says why where it cannot."""
        if shutil.which(self.CONTROL) is None:
            return f"{self.CONTROL} is not installed"
        try:
            self._control(["-d"], "")
        except (OSError, subprocess.SubprocessError) as error:
            return f"{self.CONTROL} does not start: {error}"
        return None

    def stop(self) -> None:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            self._control([], "quit\n")

    def _control(self, arguments: list[str], text: str) -> None:
        subprocess.run(
            [self.CONTROL, *arguments], input=text, text=True, check=True, timeout=20, capture_output=True,
            env={**os.environ, **self.environment},
        )  # fmt: skip

    def worker_environment(self, share: int) -> dict[str, str]:
        return {**self.environment, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(share)}
