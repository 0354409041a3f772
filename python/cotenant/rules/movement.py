"""Views, and copies of numbers to other places."""

from __future__ import annotations

from typing import Sequence

from ..calls import Call, Value
from .conversion import Conversion, rule


@rule(
    "view", "_unsafe_view", "reshape", "_reshape_alias", "_reshape_copy", "flatten", "unflatten", "unsqueeze", "squeeze", "view_as",
    "reshape_as", "view_copy", "atleast_1d", "atleast_2d", "unsqueeze_copy", "squeeze_copy", "ravel",
)  # fmt: skip
def view(conversion: Conversion, call: Call) -> None:
    source, output = next(call.values()), call.output
    if source.dtype != output.dtype:  # a view of bits
        conversion.emit("Cast", [source], output, to=1)
    elif source.shape == output.shape:
        conversion.alias(output, source)
    else:
        conversion.reshape(source, output)


@rule("as_strided", "diagonal", "unfold", "unfold_copy", "im2col", "col2im", "diag_embed")
def strided(conversion: Conversion, call: Call) -> None:
    """Any choice of elements: as many as the output has, in its shape."""
    source, output = next(call.values()), call.output
    if source.elements == output.elements:
        conversion.reshape(source, output)
        return
    flat = conversion.reshaped(source, [source.elements])
    indices = conversion.inner("Expand", [conversion.graph.integer(0), conversion.graph.integers(output.shape)])
    conversion.emit("Gather", [flat, indices], output, axis=0)


def transposed(conversion: Conversion, source: Value, output: Value, permutation: Sequence[int]) -> None:
    conversion.emit("Transpose", [source], output, perm=list(permutation))


@rule("permute", "permute_copy")
def permute(conversion: Conversion, call: Call) -> None:
    source = call["self"]
    transposed(conversion, source, call.output, [source.axis(axis) for axis in call["dims"]])


@rule("t", "numpy_T", "mT", "adjoint", "t_copy")
def transpose_last(conversion: Conversion, call: Call) -> None:
    source = call["self"]
    if source.rank < 2:
        conversion.alias(call.output, source)
    else:
        axes = list(range(source.rank))
        transposed(conversion, source, call.output, [*axes[:-2], axes[-1], axes[-2]])


@rule("transpose", "swapaxes", "swapdims", "transpose_copy")
def transpose(conversion: Conversion, call: Call) -> None:
    source = call["self"]
    first = source.axis(call.get("dim0", call.get("axis0", 0)))
    second = source.axis(call.get("dim1", call.get("axis1", 0)))
    permutation = list(range(source.rank))
    permutation[first], permutation[second] = second, first
    transposed(conversion, source, call.output, permutation)


@rule("movedim", "moveaxis")
def movedim(conversion: Conversion, call: Call) -> None:
    data = call["self"]
    source, target = (
        [data.axis(a) for a in ([axes] if isinstance(axes, int) else axes)] for axes in (call["source"], call["destination"])
    )
    rest = iter(axis for axis in range(data.rank) if axis not in source)
    permutation = [source[target.index(axis)] if axis in target else next(rest) for axis in range(data.rank)]
    transposed(conversion, data, call.output, permutation)


@rule("expand", "expand_as", "broadcast_to", "expand_copy")
def expand(conversion: Conversion, call: Call) -> None:
    source, output = call["self"], call.output
    if source.shape == output.shape:
        conversion.alias(output, source)
    else:
        conversion.emit("Expand", [source, conversion.graph.integers(output.shape)], output)


@rule("repeat", "tile")
def repeat(conversion: Conversion, call: Call) -> None:
    source, output = call["self"], call.output
    times = list(call.get("repeats", call.get("dims", ())))
    if len(times) > source.rank:
        widened = conversion.reshaped(source, [1] * (len(times) - source.rank) + list(source.shape))
        conversion.emit("Tile", [widened, conversion.graph.integers(times)], output)
    else:
        times = [1] * (source.rank - len(times)) + times
        conversion.emit("Tile", [source, conversion.graph.integers(times)], output)


@rule("repeat_interleave")
def repeat_interleave(conversion: Conversion, call: Call) -> None:
    source, output, axis = call["self"], call.output, call.get("dim")
    if axis is None:
        source_shape: tuple[int, ...] = (source.elements,)
        axis = 0
    else:
        source_shape, axis = source.shape, source.axis(axis)
    times = output.shape[axis] // max(1, source_shape[axis])
    widened = conversion.reshaped(source, [*source_shape[: axis + 1], 1, *source_shape[axis + 1 :]])
    wide = [*source_shape[: axis + 1], times, *source_shape[axis + 1 :]]
    conversion.reshape(conversion.inner("Expand", [widened, conversion.graph.integers(wide)]), output)


@rule("cat", "concat", "concatenate")
def concatenate(conversion: Conversion, call: Call) -> None:
    parts = [part for part in call["tensors"] if part.shape != (0,)]
    output = call.output
    conversion.emit("Concat", parts, output, axis=output.axis(call.get("dim", 0)))


@rule("stack", "hstack", "vstack")
def stack(conversion: Conversion, call: Call) -> None:
    output = call.output
    if call.base != "stack":
        axis = 0 if call.base == "vstack" or output.rank == 1 else 1
        conversion.emit("Concat", list(call["tensors"]), output, axis=axis)
        return
    axis = output.axis(call.get("dim", 0))
    shape = [*output.shape[:axis], 1, *output.shape[axis + 1 :]]
    conversion.emit("Concat", [conversion.reshaped(part, shape) for part in call["tensors"]], output, axis=axis)


@rule("split", "split_with_sizes", "chunk", "unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk", "tensor_split", "split_copy",
      "split_with_sizes_copy")  # fmt: skip
def split(conversion: Conversion, call: Call) -> None:
    source, outputs = call["self"], [part for part in call.outputs if part is not None]
    if len(outputs) == 1:
        conversion.alias(outputs[0], source)
        return
    axis = source.axis(call.get("dim", 0))
    sizes = conversion.graph.integers([part.shape[axis] for part in outputs])
    conversion.graph.node("Split", [conversion.ref(source), sizes], [conversion.ref(part) for part in outputs], axis=axis)


@rule("unbind", "unbind_copy")
def unbind(conversion: Conversion, call: Call) -> None:
    source = call["self"]
    axis = source.axis(call.get("dim", 0))
    for index, output in enumerate(call.outputs):
        if output is not None:
            conversion.emit("Gather", [source, conversion.graph.integer(index)], output, axis=axis)


@rule("select", "select_copy")
def select(conversion: Conversion, call: Call) -> None:
    index = conversion.graph.integer(call["index"]) if isinstance(call["index"], int) else call["index"]
    conversion.emit("Gather", [call["self"], index], call.output, axis=call["self"].axis(call["dim"]))


@rule("slice", "slice_copy", "narrow", "narrow_copy")
def slice_(conversion: Conversion, call: Call) -> None:
    source, output = call["self"], call.output
    if source.shape == output.shape:
        conversion.alias(output, source)
        return
    axis, step = source.axis(call.get("dim", 0)), call.get("step", 1)
    start = call.get("start", 0)
    start = start if isinstance(start, int) else 0
    start = max(0, start + source.shape[axis] if start < 0 else start)
    end = start + (output.shape[axis] - 1) * step + 1
    bounds = [conversion.graph.integers([value]) for value in (start, end, axis, step)]
    conversion.emit("Slice", [source, *bounds], output)


@rule("flip")
def flip(conversion: Conversion, call: Call) -> None:
    axes = [call["self"].axis(axis) for axis in call["dims"]]
    bounds = [[-1] * len(axes), [-(2**31)] * len(axes), axes, [-1] * len(axes)]
    conversion.emit("Slice", [call["self"], *(conversion.graph.integers(b) for b in bounds)], call.output)


@rule("roll")
def roll(conversion: Conversion, call: Call) -> None:
    """The end of each axis before its beginning."""
    source, output = call["self"], call.output
    shifts, axes = list(call["shifts"]), list(call.get("dims", ()))
    if not axes:
        conversion.emit("Identity", [source], output)
        return
    current, shape = conversion.ref(source), source.shape
    for position, (shift, axis) in enumerate(zip(shifts, axes)):
        axis = source.axis(axis)
        cut = -shift % max(1, shape[axis])
        integers = conversion.graph.integers
        parts = [
            conversion.inner("Slice", [current, integers([start]), integers([end]), integers([axis])])
            for start, end in ((cut, shape[axis]), (0, cut))
        ]
        if position == len(axes) - 1:
            conversion.emit("Concat", parts, output, axis=axis)
        else:
            current = conversion.inner("Concat", parts, axis=axis)


@rule("pixel_shuffle", "pixel_unshuffle")
def pixel_shuffle(conversion: Conversion, call: Call) -> None:
    if call.base == "pixel_shuffle":
        conversion.emit("DepthToSpace", [call["self"]], call.output, blocksize=call["upscale_factor"], mode="CRD")
    else:
        conversion.emit("SpaceToDepth", [call["self"]], call.output, blocksize=call["downscale_factor"])


@rule("channel_shuffle", "native_channel_shuffle")
def channel_shuffle(conversion: Conversion, call: Call) -> None:
    source, groups = call["self"], call["groups"]
    batch, channels, *space = source.shape
    parted = conversion.reshaped(source, [batch, groups, channels // groups, *space])
    perm = [0, 2, 1, *range(3, 3 + len(space))]
    conversion.reshape(conversion.inner("Transpose", [parted], perm=perm), call.output)


@rule("constant_pad_nd", "pad", "reflection_pad1d", "reflection_pad2d", "reflection_pad3d", "replication_pad1d",
      "replication_pad2d", "replication_pad3d")  # fmt: skip
def pad(conversion: Conversion, call: Call) -> None:
    source, pads = call["self"], list(call.get("pad", call.get("padding", ())))
    begins, ends = [0] * source.rank, [0] * source.rank
    for i in range(len(pads) // 2):
        begins[source.rank - 1 - i], ends[source.rank - 1 - i] = pads[2 * i], pads[2 * i + 1]
    conversion.emit("Pad", [source, conversion.graph.integers(begins + ends)], call.output)
