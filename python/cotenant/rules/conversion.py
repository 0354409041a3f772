"""From a trace to an ONNX graph: a rule for each operator."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

from ..calls import Call, Trace, Value
from ..errors import InputError, UnsupportedOperatorError
from ..onnx import Attribute, OnnxGraph

Rule = Callable[["Conversion", Call], None]
RULES: dict[str, Rule] = {}
DOMAIN = "pytorch.aten"
UNKNOWN_POLICIES = ("refuse", "declare")


def rule(*operators: str) -> Callable[[Rule], Rule]:
    """Registers a rule for operators, by their base name (:attr:`Call.base`)."""

    def register(function: Rule) -> Rule:
        for name in operators:
            if name in RULES:
                raise ValueError(f"two rules for {name}")
            RULES[name] = function
        return function

    return register


class Conversion:
    """A graph in the making: which name a value has, and which call computed it."""

    def __init__(self, trace: Trace):
        self.graph = OnnxGraph(trace.name)
        self.names: dict[str, str] = {}
        self.producers: dict[str, Call] = {}
        self.packed: set[str] = set()
        self.weights: set[str] = set()
        self.read = {value.name for call in trace.calls for value in call.values()}
        self.read.update(value.name for value in trace.outputs)

    def ref(self, item: Any, dtype: str = "float32") -> Optional[str]:
        """The name in the graph of a value, or of a number as a constant; None of nothing."""
        if item is None:
            return None
        if not isinstance(item, Value):
            return self.graph.number(item, dtype)
        if item.is_stored and item.name not in self.names:
            self.names[item.name] = self.store(item)
        return self.names.setdefault(item.name, item.name)

    def store(self, value: Value) -> str:
        self.weights.add(value.name)
        return self.graph.weight(value.name, value.shape, value.dtype)

    def alias(self, output: Optional[Value], source: Value) -> None:
        """The output is its source under another name."""
        if output is not None:
            self.names[output.name] = self.ref(source) or source.name
            self.producers.pop(output.name, None)

    def emit(self, operator: str, inputs: Sequence[Any], output: Value, **attributes: Optional[Attribute]) -> None:
        """A node that computes a value of the trace."""
        names = [item if isinstance(item, str) else self.ref(item, self.dtype_beside(inputs)) for item in inputs]
        self.graph.node(operator, names, [self.ref(output)], "", **attributes)

    @staticmethod
    def dtype_beside(inputs: Sequence[Any]) -> str:
        return next((item.dtype for item in inputs if isinstance(item, Value)), "float32")

    def inner(self, operator: str, inputs: Sequence[Any], stem: str = "inner", **attributes: Optional[Attribute]) -> str:
        """A node whose output the trace does not know; its name."""
        name = self.graph.fresh(stem)
        names = [item if isinstance(item, str) else self.ref(item, self.dtype_beside(inputs)) for item in inputs]
        self.graph.node(operator, names, [name], "", **attributes)
        return name

    def reshape(self, source: Any, output: Value) -> None:
        self.emit("Reshape", [source, self.graph.integers(output.shape)], output)

    def reshaped(self, source: Any, shape: Sequence[int]) -> str:
        return self.inner("Reshape", [source, self.graph.integers(shape)], "reshaped")

    def producer(self, value: Any) -> Optional[Call]:
        return self.producers.get(value.name) if isinstance(value, Value) else None

    def declare_unknown(self, call: Call) -> None:
        outputs = [value for value in call.outputs if value is not None]
        self.graph.node(
            call.operator.replace("aten.", "", 1),
            [self.ref(value) for value in call.values()],
            [self.ref(value) for value in outputs],
            in_domain=DOMAIN,
        )
        for value in outputs:
            self.graph.declare(value.name, value.shape, value.dtype)


def to_onnx(trace: Trace, unknown_operators: str = "refuse") -> bytes:
    """The trace as an ONNX model without weights.

    :param unknown_operators: ``refuse`` raises and names all of them; ``declare`` writes them with the shapes of their
        outputs, so that what they read and write counts, and a prediction warns
    :raises UnsupportedOperatorError: naming every operator without a rule
    """
    if unknown_operators not in UNKNOWN_POLICIES:
        raise InputError(f"unknown_operators is {unknown_operators!r}: use one of {', '.join(UNKNOWN_POLICIES)}")
    conversion = Conversion(trace)
    graph = conversion.graph
    for value in trace.inputs:
        graph.input(value.name, value.shape, value.dtype)
    unknown = {call.operator for call in trace.calls if call.base not in RULES}
    if unknown and unknown_operators == "refuse":
        raise UnsupportedOperatorError(sorted(unknown))
    for call in trace.calls:
        convert(conversion, call)
    for value in trace.outputs:
        graph.output(conversion.ref(value) or value.name, value.shape, value.dtype)
    for value in trace.stored:  # a weight that nothing reads occupies memory as well
        if value.name not in conversion.weights | conversion.packed and not value.name.startswith("constant_"):
            conversion.store(value)
    return graph.to_bytes()


def convert(conversion: Conversion, call: Call) -> None:
    for output in call.outputs:
        if output is not None:
            conversion.producers[output.name] = call
    found = RULES.get(call.base)
    if found is None:
        conversion.declare_unknown(call)
    else:
        found(conversion, call)
