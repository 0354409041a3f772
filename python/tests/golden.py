"""Figures of the networks as PyTorch's own exporter writes them: ``python3 -m tests.golden`` renews ``golden.json``.

Needs the command (``COTENANT_COMMAND``) and a PyTorch whose exporter can write them, such as Debian's 1.13.
"""

from __future__ import annotations

import io
import itertools
import json
import warnings
from pathlib import Path
from typing import Any

from cotenant import Command, Run

FILE = Path(__file__).with_suffix(".json")
DEVICE = "a100-40gb"
RUN = Run(precision="fp32", optimizer="adam")


def figures(command: Command, graph: bytes) -> dict[str, Any]:
    """What a graph amounts to."""
    features, prediction = command.features(graph), command.predict_graph(graph, DEVICE, RUN)
    return {
        "multiply_accumulates": features["multiply_accumulates"],
        "parameters": features["parameters"],
        "peak_memory_bytes": prediction.peak_memory_bytes.mean,
    }


def exported(module: Any, inputs: tuple) -> bytes:
    """The exporter's file. Weights are made different from each other, or it stores equal ones once."""
    import torch

    target = io.BytesIO()
    with torch.no_grad():
        for tensor in itertools.chain(module.parameters(), module.buffers()):
            if tensor.is_floating_point():
                tensor.uniform_(0.5, 1.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(module.eval(), inputs, target, opset_version=17)
    return target.getvalue()


def main() -> None:
    from .models import NETWORKS

    command = Command()
    found = {name: figures(command, exported(make(), inputs(batch))) for name, (make, inputs, batch) in NETWORKS.items()}
    FILE.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
