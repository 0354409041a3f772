"""LSTM, GRU and RNN, a node for each layer."""

from __future__ import annotations

from typing import Any

from ..calls import Call, Value
from .conversion import Conversion, rule

OPERATORS = {"lstm": ("LSTM", 4), "gru": ("GRU", 3), "rnn_tanh": ("RNN", 1), "rnn_relu": ("RNN", 1)}


@rule(*OPERATORS)
def recurrent(conversion: Conversion, call: Call) -> None:
    """Weights are packed as ONNX has them, directions first; the packed ones take the place of the model's own."""
    operator, gates = OPERATORS[call.base]
    data, output = call["input"], call.output
    directions = 2 if call["bidirectional"] else 1
    per_direction = len(call["params"]) // (call["num_layers"] * directions)
    batch_first = call["batch_first"]
    steps, batch = (data.shape[1], data.shape[0]) if batch_first else data.shape[:2]
    hidden = output.shape[-1] // directions
    current: Any = conversion.inner("Transpose", [data], perm=[1, 0, 2]) if batch_first else data
    for layer in range(call["num_layers"]):
        first = layer * directions * per_direction
        own = call["params"][first : first + directions * per_direction]
        weights = packed(conversion, own, directions, per_direction, gates * hidden)
        everything = conversion.inner(
            operator,
            [current, *weights],
            hidden_size=hidden,
            direction="bidirectional" if directions == 2 else None,
            linear_before_reset=1 if operator == "GRU" else None,
        )
        turned = conversion.inner("Transpose", [everything], perm=[0, 2, 1, 3])
        current = conversion.reshaped(turned, [steps, batch, directions * hidden])
    if batch_first:
        conversion.emit("Transpose", [current], output, perm=[1, 0, 2])
    else:
        conversion.names[output.name] = current
    for state in (part for part in call.outputs[1:] if part is not None and part.name in conversion.read):
        conversion.reshape(conversion.inner("Slice", state_slice(conversion, current, state)), state)


def packed(conversion: Conversion, params: list[Value], directions: int, per_direction: int, rows: int) -> list[str]:
    """W, R and B of one layer: [directions, rows, inputs], [directions, rows, hidden], [directions, 2 rows]."""
    result = []
    for i in range(2):
        columns = params[i].shape[1]
        result.append(conversion.graph.weight(f"{params[i].name}:packed", [directions, rows, columns], params[i].dtype))
    if per_direction >= 4:
        result.append(conversion.graph.weight(f"{params[2].name}:packed", [directions, 2 * rows], params[2].dtype))
    conversion.packed.update(value.name for value in params)
    return result


def state_slice(conversion: Conversion, everything: str, state: Value) -> list[str]:
    """As many elements of the output as the last state has."""
    integers = conversion.graph.integers
    flat = conversion.reshaped(everything, [-1])
    return [flat, integers([0]), integers([state.elements]), integers([0])]
