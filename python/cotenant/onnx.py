"""ONNX models without weights, written field by field [onnx.proto3; Protocol Buffers Encoding]."""

from __future__ import annotations

import math
import struct
from typing import Iterable, NamedTuple, Optional, Sequence, Union

Attribute = Union[int, float, str, Sequence[int]]

IR_VERSION = 10
OPSET = 21

#: TensorProto.DataType by the name that PyTorch uses.
ELEMENT_TYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "complex64": 14,
    "complex128": 15,
    "bfloat16": 16,
    "float8_e4m3fn": 17,
    "float8_e4m3fnuz": 18,
    "float8_e5m2": 19,
    "float8_e5m2fnuz": 20,
}
ELEMENT_BYTES = {
    "bool": 1, "uint8": 1, "int8": 1, "int16": 2, "float16": 2, "bfloat16": 2, "int32": 4, "uint32": 4, "float32": 4,
    "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip


COPIES = frozenset(("Cast", "Constant", "ConstantOfShape", "Expand", "Gather", "Identity", "Reshape", "Slice", "Transpose"))


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number_field(number: int, value: int) -> bytes:
    return varint(number << 3) + varint(value)


def bytes_field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def text_field(number: int, content: str) -> bytes:
    return bytes_field(number, content.encode("utf-8", "replace"))


def attribute_field(name: str, value: Attribute) -> bytes:
    """AttributeProto of an INT, FLOAT, STRING or INTS."""
    content = text_field(1, name)
    if isinstance(value, (bool, int)):
        content += number_field(3, int(value)) + number_field(20, 2)
    elif isinstance(value, float):
        content += varint(2 << 3 | 5) + float32_bytes(value) + number_field(20, 1)
    elif isinstance(value, str):
        content += text_field(4, value) + number_field(20, 3)
    else:
        content += b"".join(number_field(8, int(v)) for v in value) + number_field(20, 7)
    return bytes_field(5, content)


def value_info(name: str, shape: Sequence[int], dtype: str) -> bytes:
    dimensions = b"".join(bytes_field(1, number_field(1, extent)) for extent in shape)
    tensor = number_field(1, ELEMENT_TYPES.get(dtype, 0)) + bytes_field(2, dimensions)
    return text_field(1, name) + bytes_field(2, bytes_field(1, tensor))


def float32_bytes(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))


class Node(NamedTuple):
    """A node, and NodeProto as a field of GraphProto."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    content: bytes


class OnnxGraph:
    """A graph under construction. Values are names; shapes are those of the traced batch."""

    def __init__(self, name: str):
        self.name = name
        self._nodes: list[Node] = []
        self._initializers: dict[str, bytes] = {}
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._results: set[str] = set()
        self._values: dict[str, bytes] = {}
        self._numbers: set[str] = set()
        self._fresh = 0

    @property
    def node_count(self) -> int:
        return len(self._nodes)

    def fresh(self, stem: str) -> str:
        self._fresh += 1
        return f"{stem}:{self._fresh}"

    def input(self, name: str, shape: Sequence[int], dtype: str) -> None:
        self._inputs.append(bytes_field(11, value_info(name, shape, dtype)))

    def output(self, name: str, shape: Sequence[int], dtype: str) -> None:
        self._results.add(name)
        self._outputs.append(bytes_field(12, value_info(name, shape, dtype)))

    def declare(self, name: str, shape: Sequence[int], dtype: str) -> None:
        self._values[name] = bytes_field(13, value_info(name, shape, dtype))

    def weight(self, name: str, shape: Sequence[int], dtype: str) -> str:
        """A stored tensor whose data is declared as lying in another file, which is not written."""
        length = math.prod(shape) * ELEMENT_BYTES.get(dtype, 1)
        content = b"".join(number_field(1, extent) for extent in shape)
        content += number_field(2, ELEMENT_TYPES.get(dtype, 0)) + text_field(8, name)
        for key, value in (("location", "weights.bin"), ("length", str(length))):
            content += bytes_field(13, text_field(1, key) + text_field(2, value))
        self._initializers[name] = bytes_field(5, content + number_field(14, 1))
        return name

    def integers(self, values: Sequence[int]) -> str:
        """A stored vector of int64, such as a shape."""
        name = f"int64:{','.join(map(str, values))}"
        data = struct.pack(f"<{len(values)}q", *values)
        content = number_field(1, len(values)) + number_field(2, ELEMENT_TYPES["int64"])
        self._initializers[name] = bytes_field(5, content + text_field(8, name) + bytes_field(9, data))
        return name

    def integer(self, value: int) -> str:
        """A stored int64 without axes."""
        name = f"int64:{value}:scalar"
        content = number_field(2, ELEMENT_TYPES["int64"]) + text_field(8, name)
        self._initializers[name] = bytes_field(5, content + bytes_field(9, struct.pack("<q", value)))
        return name

    def number(self, value: float, dtype: str) -> str:
        """A constant number without axes, which is arithmetic and no weight."""
        name = f"{dtype}:{value}"
        if name not in self._numbers:
            self._numbers.add(name)
            content = number_field(2, ELEMENT_TYPES.get(dtype, 1)) + bytes_field(9, self._number_bytes(value, dtype))
            attribute = text_field(1, "value") + bytes_field(5, content) + number_field(20, 4)
            content = text_field(2, name) + text_field(4, "Constant") + bytes_field(5, attribute)
            self._nodes.append(Node("Constant", (), (name,), bytes_field(1, content)))
        return name

    @staticmethod
    def _number_bytes(value: float, dtype: str) -> bytes:
        if dtype == "float32":
            return float32_bytes(float(value))
        if dtype in ("int64", "int32", "int16", "int8"):
            return (int(value) & (1 << 64) - 1).to_bytes(8, "little")[: ELEMENT_BYTES[dtype]]
        return bytes(ELEMENT_BYTES.get(dtype, 4))  # no figure depends on numbers of the other types

    def node(
        self,
        operator: str,
        inputs: Iterable[Optional[str]],
        outputs: Iterable[Optional[str]],
        in_domain: str = "",
        **attributes: Optional[Attribute],
    ) -> None:
        """Adds a node; None among the inputs or outputs is one that is absent, None as an attribute is its default."""
        read, written = tuple(name or "" for name in inputs), tuple(name or "" for name in outputs)
        content = b"".join(text_field(1, name) for name in read)
        content += b"".join(text_field(2, name) for name in written)
        content += text_field(3, f"{operator}_{len(self._nodes)}") + text_field(4, operator)
        for name, value in attributes.items():
            if value is not None:
                content += attribute_field(name, value)
        if in_domain:
            content += text_field(7, in_domain)
        self._nodes.append(Node(operator, read, written, bytes_field(1, content)))

    def _read_nodes(self) -> list[Node]:
        """Without copies that nothing reads, such as the transposition of a weight that a Gemm turns by itself."""
        read, result = set(self._results), []
        for node in reversed(self._nodes):
            if node.operator not in COPIES or not read.isdisjoint(node.outputs):
                read.update(node.inputs)
                result.append(node)
        return result[::-1]

    def to_bytes(self) -> bytes:
        """ModelProto."""
        graph = b"".join(node.content for node in self._read_nodes()) + text_field(2, self.name)
        for part in (self._initializers.values(), self._inputs, self._outputs, self._values.values()):
            graph += b"".join(part)
        opsets = bytes_field(8, text_field(1, "") + number_field(2, OPSET))
        opsets += bytes_field(8, text_field(1, "pytorch.aten") + number_field(2, 1))
        return number_field(1, IR_VERSION) + text_field(2, "cotenant") + bytes_field(7, graph) + opsets
