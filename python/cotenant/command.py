"""The local command as a backend: no service needed."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Optional, Sequence, Union

from .errors import CommandError, InvalidResponseError, NoBackendError
from .prediction import Device, Prediction, Run

#: Options of the command whose names differ from those of REST.
OPTIONS = {"request_rate": "request-rate"}
#: The first use of a clone builds the project.
TIMEOUT_SECONDS = 600.0


class Command:
    """``cotenant`` on this machine.

    :param command: the command line that starts it; by default ``COTENANT_COMMAND``, else ``cotenant`` on the PATH
    :param timeout_seconds: of one call
    """

    def __init__(self, command: Union[str, Sequence[str], None] = None, timeout_seconds: float = TIMEOUT_SECONDS):
        chosen = command or os.environ.get("COTENANT_COMMAND") or shutil.which("cotenant")
        if not chosen:
            raise NoBackendError(
                "no service and no command: set COTENANT_URL to a service (./cotenant serve), or COTENANT_COMMAND to the path of "
                "the command, or put cotenant on the PATH"
            )
        self.command = shlex.split(chosen) if isinstance(chosen, str) else list(chosen)
        self.timeout_seconds = timeout_seconds

    def __repr__(self) -> str:
        return f"Command({shlex.join(self.command)!r})"

    def predict_graph(self, graph: bytes, device: str, run: Run, name: str = "model") -> Prediction:
        """The prediction of an ONNX model.

        :raises CommandError: with what the command wrote
        """
        with tempfile.TemporaryDirectory(prefix="cotenant-") as folder:
            path = Path(folder, f"{name}.onnx")
            path.write_bytes(graph)
            options = [f"--{OPTIONS.get(key, key)}={value}" for key, value in run.settings().items()]
            answers = self._json_lines("predict", str(path), f"--device={device}", *options)
        if len(answers) != 1:
            raise InvalidResponseError(f"{self.command[0]} predict printed {len(answers)} answers in place of one")
        return Prediction.of(answers[0])

    def predict_graphs(
        self, graph: bytes, questions: Sequence[tuple[str, int]], run: Run, name: str = "model"
    ) -> list[Union[Prediction, CommandError]]:
        """Predictions of an ONNX model on devices at batches, by one call of the command.

        :param questions: ids of the catalogue with samples per batch
        :returns: in the order of the questions; what the command wrote where a device cannot run the model
        :raises CommandError: with what the command wrote about all of them
        """
        devices = {device for device, _ in questions}
        batches = ",".join(str(batch) for batch in sorted({batch for _, batch in questions}))
        settings = {key: value for key, value in run.settings().items() if key != "batch"}
        with tempfile.TemporaryDirectory(prefix="cotenant-") as folder:
            path = Path(folder, f"{name}.onnx")
            path.write_bytes(graph)
            options = [f"--{OPTIONS.get(key, key)}={value}" for key, value in settings.items()]
            device = devices.pop() if len(devices) == 1 else "all"
            lines = ["predict", str(path), f"--device={device}", f"--batches={batches}", *options, "--json"]
            try:
                printed, said = self._run(*lines)
            except CommandError as error:
                if device == "all":
                    raise
                return [error] * len(questions)
        found = {(answer.device, answer.batch_size): answer for answer in map(Prediction.of, self._parsed("predict", printed))}
        return [found.get(question) or self._refusal(question[0], said) for question in questions]

    def _refusal(self, device: str, said: str) -> CommandError:
        for line in said.splitlines():
            if f"device {device} " in line:
                return CommandError(line)
        complaint = " ".join(said.strip().splitlines()[-3:])
        raise InvalidResponseError(f"{self.command[0]} predict printed no answer for the device {device}. {complaint}".rstrip(". ") + ".")

    def features(self, graph: bytes) -> dict[str, Any]:
        """The features of an ONNX model: multiply-accumulates, parameters, bytes."""
        with tempfile.TemporaryDirectory(prefix="cotenant-") as folder:
            path = Path(folder, "model.onnx")
            path.write_bytes(graph)
            return dict(self._json_lines("features", str(path))[0])

    def devices(self) -> list[Device]:
        """The catalogue."""
        return [Device.of(line) for line in self._json_lines("devices")]

    def _json_lines(self, *arguments: str) -> list[Any]:
        return self._parsed(arguments[0], self._run(*arguments, "--json")[0])

    def _parsed(self, name: str, text: str) -> list[Any]:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError as error:
            raise InvalidResponseError(f"{self.command[0]} {name} printed no JSON: {text[:200]!r}") from error

    def _run(self, *arguments: str) -> tuple[str, str]:
        """Standard output and standard error."""
        line = [*self.command, *arguments]
        try:
            done = subprocess.run(
                line, stdin=subprocess.DEVNULL, capture_output=True, timeout=self.timeout_seconds, check=False
            )
        except OSError as error:
            raise CommandError(
                f"{self.command[0]} cannot be run ({error.strerror}): set COTENANT_COMMAND to the path of the command"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise CommandError(f"{shlex.join(line[:2])} did not end within {self.timeout_seconds:g} seconds") from error
        if done.returncode:
            raise CommandError(self._complaint(done.stderr, done.returncode), done.returncode)
        return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    @staticmethod
    def _complaint(stderr: bytes, code: int) -> str:
        lines: list[str] = stderr.decode("utf-8", "replace").strip().splitlines()
        said: Optional[str] = "\n".join(lines[-5:]) if lines else None
        return said or f"the command ended with exit code {code} and without a message"
