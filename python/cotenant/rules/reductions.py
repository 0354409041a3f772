"""Sums, extremes, orders."""

from __future__ import annotations

from typing import Any, Optional

from ..calls import Call, Value
from .conversion import Conversion, rule

REDUCTIONS = {
    "sum": "ReduceSum", "mean": "ReduceMean", "amax": "ReduceMax", "amin": "ReduceMin", "prod": "ReduceProd", "all": "ReduceMin",
    "any": "ReduceMax", "logsumexp": "ReduceLogSumExp", "linalg_vector_norm": "ReduceL2", "norm": "ReduceL2",
    "nansum": "ReduceSum", "frobenius_norm": "ReduceL2",
}  # fmt: skip


def axes_of(call: Call) -> list[int]:
    axes = call.get("dim")
    rank = next(call.values()).rank
    if axes is None or axes == [] or axes == ():
        return list(range(rank))
    return [a + rank if a < 0 else a for a in ([axes] if isinstance(axes, int) else axes)]


def reduce(conversion: Conversion, operator: str, source: Any, axes: list[int], output: Value, rank: int) -> None:
    """Whether reduced axes stay follows from the rank of the output."""
    keeps = int(output.rank == rank)
    conversion.emit(operator, [source, conversion.graph.integers(axes)], output, keepdims=keeps)


def reduction(operator: str) -> Any:
    def convert(conversion: Conversion, call: Call) -> None:
        source, output, axes = next(call.values()), call.output, axes_of(call)
        is_pooling = operator == "ReduceMean" and source.rank > 3 and sorted(axes) == list(range(2, source.rank))
        if is_pooling and output.rank == source.rank:  # what adaptive pooling to one pixel calls
            conversion.emit("GlobalAveragePool", [source], output)
        else:
            reduce(conversion, operator, source, axes, output, source.rank)

    return convert


for _name, _operator in REDUCTIONS.items():
    rule(_name)(reduction(_operator))


def deviation(conversion: Conversion, source: Value, axes: list[int]) -> str:
    """Squares of deviations from the mean."""
    mean = conversion.inner("ReduceMean", [source, conversion.graph.integers(axes)], "mean", keepdims=1)
    difference = conversion.inner("Sub", [source, mean])
    return conversion.inner("Mul", [difference, difference])


@rule("var", "std")
def variance(conversion: Conversion, call: Call) -> None:
    source, output, axes = call["self"], call.output, axes_of(call)
    squares = deviation(conversion, source, axes)
    if call.base == "var":
        reduce(conversion, "ReduceMean", squares, axes, output, source.rank)
    else:
        keeps = int(output.rank == source.rank)
        mean = conversion.inner("ReduceMean", [squares, conversion.graph.integers(axes)], keepdims=keeps)
        conversion.emit("Sqrt", [mean], output)


@rule("var_mean", "std_mean")
def variance_and_mean(conversion: Conversion, call: Call) -> None:
    source, axes = call["self"], axes_of(call)
    reduce(conversion, "ReduceMean", deviation(conversion, source, axes), axes, call.output, source.rank)
    if call.outputs[1] is not None:
        reduce(conversion, "ReduceMean", source, axes, call.outputs[1], source.rank)


@rule("max", "min")
def extreme(conversion: Conversion, call: Call) -> None:
    source, name = call["self"], call.base.capitalize()
    other: Optional[Value] = call.get("other")
    if other is not None:
        conversion.emit(name, [source, other], call.output)
        return
    axes = axes_of(call)
    reduce(conversion, f"Reduce{name}", source, axes, call.output, source.rank)
    if len(call.outputs) > 1 and call.outputs[1] is not None:
        keeps = int(call.outputs[1].rank == source.rank)
        conversion.emit(f"Arg{name}", [source], call.outputs[1], axis=axes[0], keepdims=keeps)


@rule("argmax", "argmin")
def position(conversion: Conversion, call: Call) -> None:
    source, output = call["self"], call.output
    operator = "ArgMax" if call.base == "argmax" else "ArgMin"
    if call.get("dim") is None:
        flat = conversion.reshaped(source, [source.elements])
        conversion.emit(operator, [flat], output, axis=0, keepdims=0)
    else:
        conversion.emit(operator, [source], output, axis=source.axis(call["dim"]), keepdims=int(output.rank == source.rank))


@rule("topk", "sort", "kthvalue", "argsort")
def order(conversion: Conversion, call: Call) -> None:
    source = call["self"]
    axis = source.axis(call.get("dim", -1))
    count = conversion.graph.integers([call["k"] if call.base == "topk" else source.shape[axis] if source.rank else 1])
    found = [conversion.graph.fresh("ordered"), conversion.graph.fresh("order")]
    conversion.graph.node("TopK", [conversion.ref(source), count], found, axis=axis)
    for name, output in zip(found[1:] if call.base == "argsort" else found, call.outputs):
        if output is None:
            continue
        if call.base == "kthvalue":
            first = conversion.graph.integer(0)
            conversion.emit("Gather", [name, first], output, axis=axis)
        else:
            conversion.names[output.name] = name


@rule("cumsum", "cumprod", "logcumsumexp")
def running_sum(conversion: Conversion, call: Call) -> None:
    conversion.emit("CumSum", [call["self"], conversion.graph.integer(call["dim"])], call.output)
