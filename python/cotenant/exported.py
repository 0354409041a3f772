"""Programs of ``torch.export`` in memory."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch.fx.node import Node

from .calls import Call, Trace, Value
from .errors import TraceError
from .tracing import arguments_of, dtype_name, mapped


def is_program(model: Any) -> bool:
    """Whether it is a ``torch.export.ExportedProgram``, which PyTorch has from 2.1 on."""
    export = getattr(torch, "export", None)
    return export is not None and hasattr(export, "ExportedProgram") and isinstance(model, export.ExportedProgram)


def trace_of(program: Any) -> Trace:
    """The calls of an exported program, at the sizes that it was exported with."""
    result = Trace("ExportedProgram", f"torch {torch.__version__}")
    signature = program.graph_signature
    own = set(signature.user_inputs)
    weights = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    tied: dict[int, Value] = {}
    values: dict[Any, Any] = {}
    for node in program.graph_module.graph.nodes:
        if node.op == "placeholder":
            value = first_value(node)
            if value is not None and node.name in own:
                values[node] = value
                result.inputs.append(value)
            elif value is not None:
                stored = Value(value.name, value.shape, value.dtype, True)
                tensor = program.state_dict.get(weights.get(node.name))
                values[node] = stored if tensor is None else tied.setdefault(id(tensor), stored)
                if values[node] is stored:
                    result.stored.append(stored)
        elif node.op == "call_function":
            call(node, values, result)
        elif node.op == "output":
            returned = [values.get(item) for item in node.all_input_nodes if item.name in set(signature.user_outputs)]
            result.outputs = [value for value in returned if isinstance(value, Value)]
    return result


def call(node: Any, values: dict[Any, Any], result: Trace) -> None:
    if getattr(node.target, "__name__", "") == "getitem":
        source, index = node.args
        values[node] = values[source][index] if isinstance(values.get(source), tuple) else None
        return
    if not hasattr(node.target, "_schema"):
        if hasattr(node.target, "namespace") or "HigherOrder" in type(node.target).__name__:
            raise TraceError(f"{node.target} (a branch or loop inside the graph) cannot be counted: export the model without it")
        return  # arithmetic on sizes
    replaced = mapped(dict(arguments_of(node.target, node.args, node.kwargs)), lambda item: resolved(item, values))
    meta = node.meta.get("val")
    if isinstance(meta, (tuple, list)):
        outputs = tuple(value_of(item, f"{node.name}_{i}") for i, item in enumerate(meta))
        values[node] = outputs
    else:
        outputs = (value_of(meta, node.name),)
        values[node] = outputs[0]
    result.calls.append(Call(str(node.target), replaced, outputs))


def resolved(item: Any, values: dict[Any, Any]) -> Any:
    if isinstance(item, Node):
        found = values.get(item)
        return number(item.meta.get("val")) if found is None else found
    return number(item)


def number(item: Any) -> Any:
    """A symbolic size at its hint."""
    node = getattr(item, "node", None)
    return node.hint if node is not None and hasattr(node, "hint") else item


def first_value(node: Any) -> Optional[Value]:
    return value_of(node.meta.get("val"), node.name)


def value_of(tensor: Any, name: str) -> Optional[Value]:
    if not isinstance(tensor, torch.Tensor):
        return None
    return Value(name, tuple(int(number(extent)) for extent in tensor.shape), dtype_name(tensor))
