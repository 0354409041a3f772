"""The graph of a model, and its prediction."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any, Optional, Union

from .archive import MAX_FILE_BYTES, read_archive
from .calls import Trace
from .client import Client
from .command import Command
from .errors import ArchiveError, CotenantError, InputError
from .prediction import Prediction, Run
from .rules import to_onnx

#: What a document that no exporter wrote leads to.
DAMAGE = (ArithmeticError, AttributeError, LookupError, StopIteration, TypeError, ValueError, struct.error)
#: By the type of weights.
PRECISIONS = {"torch.float32": "fp32", "torch.float16": "fp16", "torch.bfloat16": "bf16"}
#: What answers: a service's client or the local command.
Backend = Union[Client, Command]


def backend(service: Union[Backend, str, None] = None) -> Backend:
    """The service at a URL, or that of ``COTENANT_URL``; without one the local command."""
    if isinstance(service, (Client, Command)):
        return service
    if service is not None or os.environ.get("COTENANT_URL"):
        return Client(service)
    return Command()


def graph(model: Any, example_inputs: Any = None, unknown_operators: str = "refuse") -> bytes:
    """The model as an ONNX graph without weights, for ``cotenant predict`` or :meth:`Client.put_model`.

    Nothing of it needs a GPU, and no weight is read, copied or made.

    :param model: a ``torch.nn.Module`` (on any device, ``meta`` included), a function without parameters that makes one,
        a ``torch.export.ExportedProgram``, or the path of a ``.pt2`` or ``.onnx`` file
    :param example_inputs: of modules: a tensor, a tuple of positional or a mapping of keyword arguments; of their values none
        matters, and a tensor on ``meta`` does
    :param unknown_operators: ``refuse`` those without a rule, or ``declare`` them, which counts what they read and write
    :raises TraceError: the model depends on values of tensors, has unknown operators, or fails
    :raises ArchiveError: a damaged or hostile .pt2
    """
    if isinstance(model, (str, Path)):
        return _of_file(Path(model), unknown_operators)
    return to_onnx(_trace(model, example_inputs), unknown_operators)


def _of_file(path: Path, unknown_operators: str) -> bytes:
    if path.suffix not in (".onnx", ".pt2"):
        raise InputError(f"{path} is neither .onnx nor .pt2: export the model with torch.export.save, or pass the module")
    if not path.is_file():
        raise InputError(f"{path} is not a file")
    if path.suffix == ".pt2":
        try:
            return to_onnx(read_archive(path), unknown_operators)
        except DAMAGE as error:
            if isinstance(error, CotenantError):
                raise
            raise ArchiveError(
                f"{path}: the graph is damaged ({type(error).__name__}: {str(error)[:100]}): export it again with torch.export.save"
            ) from error
    if path.stat().st_size > MAX_FILE_BYTES:
        raise InputError(f"{path} has more than {MAX_FILE_BYTES >> 30} GiB: save it with its weights as external data")
    return path.read_bytes()


def _trace(model: Any, example_inputs: Any) -> Trace:
    try:
        from . import exported, tracing
    except ImportError as error:
        if error.name and not error.name.startswith("torch"):
            raise
        raise InputError(
            "tracing needs PyTorch 1.13 or newer in this Python: install it, or pass the path of a .pt2 or .onnx file"
        ) from error
    if exported.is_program(model):
        return exported.trace_of(model)
    if example_inputs is None:
        raise InputError("example_inputs is missing: pass the arguments of one forward pass")
    return tracing.trace(model, example_inputs)


def predict(
    model: Any,
    example_inputs: Any = None,
    device: str = "h100-80gb",
    mode: str = "training",
    optimizer: Optional[str] = "adamw",
    precision: Optional[str] = None,
    *,
    batch_size: Optional[int] = None,
    checkpointing: Optional[str] = None,
    framework: Optional[str] = None,
    request_rate: Optional[float] = None,
    coverage: Optional[float] = None,
    unknown_operators: str = "refuse",
    service: Union[Backend, str, None] = None,
) -> Prediction:
    """Utilization, peak memory and step time of a model on a device, before it runs.

    :param model: and ``example_inputs``, ``unknown_operators``: see :func:`graph`
    :param device: an id or product name of the catalogue, such as ``h100-80gb``
    :param precision: that of a module's weights by default, fp32 of anything else
    :param batch_size: samples per step, when other than in the example inputs
    :param service: a client, a command or the URL of a service; by default ``COTENANT_URL``, else the local command
    :raises CotenantError: see :mod:`cotenant.errors`

    The other parameters are those of :class:`~cotenant.prediction.Run`.
    """
    run = Run(mode, precision or precision_of(model), optimizer, batch_size, checkpointing, framework, request_rate, coverage)
    if device == "all":
        raise InputError("device is 'all': cotenant.find_max_batch tries the whole catalogue")
    answers = backend(service)
    return answers.predict_graph(graph(model, example_inputs, unknown_operators), device, run, name_of(model))


def precision_of(model: Any) -> str:
    """The precision of a module's weights; of anything else, fp32."""
    parameters = None if isinstance(model, type) else getattr(model, "parameters", None)
    types = (str(one.dtype) for one in parameters()) if callable(parameters) else ()
    return next((PRECISIONS[of] for of in types if of in PRECISIONS), "fp32")


def name_of(model: Any) -> str:
    """A short name for messages, safe as a file's."""
    name = Path(model).stem if isinstance(model, (str, Path)) else type(model).__name__
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name)[:60] or "model"
