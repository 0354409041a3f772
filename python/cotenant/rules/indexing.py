"""Elements by their indices."""

from __future__ import annotations

from ..calls import Call
from .conversion import Conversion, rule


@rule("index_select")
def index_select(conversion: Conversion, call: Call) -> None:
    conversion.emit("Gather", [call["self"], call["index"]], call.output, axis=call["self"].axis(call["dim"]))


@rule("gather", "take_along_dim")
def gather(conversion: Conversion, call: Call) -> None:
    index = call.get("index", call.get("indices"))
    conversion.emit("GatherElements", [call["self"], index], call.output, axis=call["self"].axis(call.get("dim", 0)))


@rule("index", "_unsafe_index")
def index(conversion: Conversion, call: Call) -> None:
    """One index tensor is a Gather; several are gathered together and laid out as the output says."""
    source, output = call["self"], call.output
    indexed = [(axis, found) for axis, found in enumerate(call["indices"]) if found is not None]
    if len(indexed) == 1:
        axis, found = indexed[0]
        conversion.emit("Gather", [source, found], output, axis=axis)
        return
    axes = [axis for axis, _ in indexed]
    front = source
    if axes != list(range(len(axes))):
        rest = [axis for axis in range(source.rank) if axis not in axes]
        front = conversion.inner("Transpose", [source], perm=[*axes, *rest])
    common = broadcast([found.shape for _, found in indexed])
    shape = conversion.graph.integers(common)
    columns = [
        conversion.reshaped(conversion.inner("Expand", [found, shape]) if found.shape != common else found, [*common, 1])
        for _, found in indexed
    ]
    positions = conversion.inner("Concat", columns, axis=len(common))
    conversion.reshape(conversion.inner("GatherND", [front, positions]), output)


def broadcast(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(max(extents) for extents in zip(*padded))


@rule("index_put", "_unsafe_index_put", "_index_put_impl", "scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy",
      "masked_scatter", "slice_scatter", "select_scatter", "diagonal_scatter", "index_fill")  # fmt: skip
def scatter(conversion: Conversion, call: Call) -> None:
    """The data with some elements replaced."""
    conversion.emit("ScatterND", list(call.values())[:3], call.output)


@rule("copy")
def copy(conversion: Conversion, call: Call) -> None:
    source, output = call["src"], call.output
    if source.shape == output.shape:
        conversion.alias(output, source)
    else:
        conversion.emit("Expand", [source, conversion.graph.integers(output.shape)], output)


@rule("tril", "triu")
def triangle(conversion: Conversion, call: Call) -> None:
    diagonal = conversion.graph.integer(call.get("diagonal", 0))
    conversion.emit("Trilu", [call["self"], diagonal], call.output, upper=int(call.base == "triu"))


@rule("one_hot")
def one_hot(conversion: Conversion, call: Call) -> None:
    depth = conversion.graph.integer(call.output.shape[-1])
    conversion.emit("OneHot", [call["self"], depth, conversion.graph.integers([0, 1])], call.output)
