"""Graphs: ONNX without weights."""

from __future__ import annotations

import gzip
import inspect
import io
import itertools
import warnings
from pathlib import Path
from typing import Any, Iterator, NamedTuple, TYPE_CHECKING

from .files import write_whole
from .models import build_model, BuiltModel
from .pytorch import torch

if TYPE_CHECKING:
    from .plans import ModelSpec

LENGTH_DELIMITED = 2
MODEL_GRAPH, GRAPH_INITIALIZER = 7, 5
TENSOR_RAW_DATA, TENSOR_EXTERNAL_DATA, TENSOR_DATA_LOCATION = 9, 13, 14
TENSOR_DATA_FIELDS = (4, 5, 6, 7, TENSOR_RAW_DATA, 10, 11)
SMALL_TENSOR_BYTES = 2048  # what a shape computation may need stays in the graph


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def write_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class WireField(NamedTuple):
    """One field of a protobuf message: its number, the whole of it, and its content."""

    number: int
    whole: memoryview
    content: memoryview


def wire_fields(data: memoryview) -> Iterator[WireField]:
    """The fields of a message [Protocol Buffers Encoding]."""
    at = 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            content = at
            _, at = read_varint(data, at)
        elif kind == LENGTH_DELIMITED:
            length, at = read_varint(data, at)
            content, at = at, at + length
        elif kind in (1, 5):
            content, at = at, at + (8 if kind == 1 else 4)
        else:
            raise ValueError(f"wire type {kind} at byte {start}")
        yield WireField(key >> 3, data[start:at], data[content:at])


def wire_message(number: int, content: bytes) -> bytes:
    return write_varint(number << 3 | LENGTH_DELIMITED) + write_varint(len(content)) + content


def without_weights(model: bytes) -> bytes:
    """The same ONNX model with its weights declared as lying in another file, which is not written."""
    out = bytearray()
    for part in wire_fields(memoryview(model)):
        out += wire_message(MODEL_GRAPH, graph_without_weights(part.content)) if part.number == MODEL_GRAPH else part.whole
    return bytes(out)


def graph_without_weights(graph: memoryview) -> bytes:
    out = bytearray()
    for part in wire_fields(graph):
        if part.number == GRAPH_INITIALIZER and len(part.content) > SMALL_TENSOR_BYTES:
            out += wire_message(GRAPH_INITIALIZER, tensor_without_data(part.content))
        else:
            out += part.whole
    return bytes(out)


def tensor_without_data(tensor: memoryview) -> bytes:
    length = sum(len(part.content) for part in wire_fields(tensor) if part.number in TENSOR_DATA_FIELDS)
    kept = b"".join(bytes(p.whole) for p in wire_fields(tensor) if p.number not in (*TENSOR_DATA_FIELDS, 13, 14))
    entries = (("location", "weights.bin"), ("length", str(length)))
    external = b"".join(
        wire_message(TENSOR_EXTERNAL_DATA, wire_message(1, key.encode()) + wire_message(2, value.encode()))
        for key, value in entries
    )
    return kept + external + write_varint(TENSOR_DATA_LOCATION << 3) + write_varint(1)


def export_onnx(built: BuiltModel) -> bytes:
    """The model as the exporter writes it for inference, with a symbolic batch."""
    target = io.BytesIO()
    settings: dict[str, Any] = dict(
        input_names=["input"], output_names=["output"], dynamic_axes={"input": {0: "batch"}, "output": {0: "batch"}},
        opset_version=17,
    )  # fmt: skip
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        settings["dynamo"] = False  # the tracing exporter, which every release so far has
    with torch.no_grad():
        for tensor in itertools.chain(built.module.parameters(), built.module.buffers()):
            if tensor.is_floating_point():
                tensor.uniform_(0.5, 1.5)  # else the exporter stores tensors of equal value, such as zeros, once
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(built.module.eval(), (built.input.sample(2),), target, **settings)
    return target.getvalue()


def graph_file(spec: ModelSpec, implementation: str) -> str:
    return f"graphs/{spec.slug}.{implementation}.onnx.gz"


def write_graph(spec: ModelSpec, folder: Path) -> str:
    """Exports a model below a folder and returns the file's path relative to it."""
    built = build_model(spec.name, spec.options, "cpu")
    name = graph_file(spec, built.implementation)
    content = gzip.compress(without_weights(export_onnx(built)), 9, mtime=0)
    write_whole(folder / name, content)
    return name
