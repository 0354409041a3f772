"""Predictions of GPU utilization, memory and step time for PyTorch models, before they run."""

from __future__ import annotations

from typing import Any, Optional, Union

from .api import graph, predict
from .client import AsyncClient, Client
from .command import Command
from .errors import CotenantError
from .max_batch import DeviceMaxBatch, MaxBatch, find_max_batch
from .measuring import Measurement, measure
from .prediction import Bounds, Device, Prediction, Run

__version__ = "0.1.0"
__all__ = [
    "AsyncClient", "Bounds", "Client", "Command", "CotenantError", "Device", "DeviceMaxBatch", "MaxBatch", "Measurement",
    "Prediction", "Run", "find_max_batch", "graph", "measure", "predict", "register",
]  # fmt: skip


def register(
    name: str,
    model: Any,
    example_inputs: Any = None,
    service: Union[Client, str, None] = None,
    replaced_sha256: Optional[str] = None,
) -> dict[str, Any]:
    """Registers a model's graph at a service, for annotations of pods (``cotenant.dev/model``) and measured runs.

    A name that means another graph is replaced only where ``replaced_sha256`` is that graph's, or ``"*"``.
    """
    client = service if isinstance(service, Client) else Client(service)
    return client.put_model(name, graph(model, example_inputs), replaced_sha256)
