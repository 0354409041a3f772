"""What a traced model does: calls of ATen operators on tensors with shapes."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Optional


@dataclass(frozen=True)
class Value:
    """A tensor of the trace.

    :ivar name: unique
    :ivar shape: extents at the traced batch
    :ivar dtype: as PyTorch names it, without ``torch.``
    :ivar is_stored: a parameter, a buffer or a constant
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    is_stored: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def is_floating(self) -> bool:
        return "float" in self.dtype

    def axis(self, index: int) -> int:
        """An axis counted from the front."""
        return index + self.rank if index < 0 else index


@dataclass(frozen=True)
class Call:
    """One call of an operator.

    :ivar operator: its full name, such as ``aten.add.Tensor``
    :ivar arguments: by the name in the operator's schema; those that were not passed may be absent
    :ivar outputs: one for each result; None for what is no tensor
    """

    operator: str
    arguments: Mapping[str, Any]
    outputs: tuple[Optional[Value], ...]

    @property
    def base(self) -> str:
        """The name without namespace of ATen, overload and the underscores of in-place operators."""
        parts = self.operator.split(".")
        name = parts[1] if parts[0] == "aten" and len(parts) > 1 else ".".join(parts[:2])
        return name[:-1] if name.endswith("_") and not name.endswith("__") else name

    @property
    def output(self) -> Value:
        """The first result.

        :raises TypeError: it is no tensor, which no operator with a rule has
        """
        if not self.outputs or self.outputs[0] is None:
            raise TypeError(f"{self.operator} has no tensor as its first result")
        return self.outputs[0]

    def get(self, name: str, default: Any = None) -> Any:
        found = self.arguments.get(name)
        return default if found is None else found

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    def values(self) -> Iterator[Value]:
        """The tensors among the arguments."""
        yield from values_in(self.arguments.values())


def values_in(nested: Any) -> Iterator[Value]:
    if isinstance(nested, Value):
        yield nested
    elif isinstance(nested, Mapping):
        yield from values_in(nested.values())
    elif hasattr(nested, "__iter__") and not isinstance(nested, (str, bytes)):
        for item in nested:
            yield from values_in(item)


@dataclass
class Trace:
    """A model as the operators that it calls, in order.

    :ivar name: of the model's class or file
    :ivar source: ``torch 1.13`` or ``pt2``
    """

    name: str
    source: str
    inputs: list[Value] = field(default_factory=list)
    stored: list[Value] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)

    @property
    def parameter_bytes(self) -> int:
        from .onnx import ELEMENT_BYTES

        return sum(value.elements * ELEMENT_BYTES.get(value.dtype, 1) for value in self.stored)
