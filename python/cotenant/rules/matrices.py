"""Matrix products and attention.

PyTorch folds the leading axes of a product into one before it calls its kernels; a product that lies between such views
is written on the tensors around them, as exporters write it.
"""

from __future__ import annotations

import math
from typing import Any, Optional

from ..calls import Call, Value
from .conversion import Conversion, rule

FOLDING = {"view", "_unsafe_view", "reshape", "_reshape_alias", "expand", "clone"}


def unfolded(conversion: Conversion, folded: Value, leading: int) -> Value:
    """The tensor whose leading axes were folded into ``folded``, else ``folded`` itself."""
    kept = folded.shape[leading:]
    current = found = folded
    while True:
        call = conversion.producer(current)
        if call is None or call.base not in FOLDING:
            return found
        current = next(call.values())
        if current.rank > len(kept) and current.shape[-len(kept) :] == kept and current.elements <= folded.elements:
            found = current


def spread(value: Value, leading: tuple[int, ...], kept: int) -> bool:
    """Whether the axes before the last ``kept`` ones broadcast to ``leading``."""
    own = value.shape[:-kept]
    padded = (1,) * (len(leading) - len(own)) + own
    return len(own) <= len(leading) and all(a in (1, b) for a, b in zip(padded, leading))


def batched_product(conversion: Conversion, left: Value, right: Value) -> tuple[str, Optional[tuple[int, ...]]]:
    """Left times right, on the tensors before the batch axes were folded; the shape that has, None of the folded one."""
    first, second = unfolded(conversion, left, 1), unfolded(conversion, right, 1)
    leading = max((v.shape[:-2] for v in (first, second)), key=math.prod)
    fits = all(spread(v, leading, 2) for v in (first, second)) and math.prod(leading) == left.shape[0]
    if not fits:
        return conversion.inner("MatMul", [left, right], "product"), None
    shape = (*leading, left.shape[1], right.shape[2])
    return conversion.inner("MatMul", [first, second], "product"), shape


@rule("bmm")
def bmm(conversion: Conversion, call: Call) -> None:
    output = call.output
    product, shape = batched_product(conversion, call["self"], call["mat2"])
    if shape is None or shape == output.shape:
        conversion.names[output.name] = product
    else:
        conversion.reshape(product, output)


@rule("baddbmm")
def add_bmm(conversion: Conversion, call: Call) -> None:
    product = conversion.inner("MatMul", [call["batch1"], call["batch2"]], "product")
    if call.get("beta", 1) == 0:
        conversion.names[call.output.name] = product
    else:
        conversion.emit("Add", [product, call["self"]], call.output)


def linear_layer(conversion: Conversion, data: Value, weight: Any, bias: Any, output: Value, is_turned: bool) -> None:
    """data · weight (turned: its transpose) + bias; ``output`` has the folded or the unfolded shape."""
    source = unfolded(conversion, data, 1) if data.rank == 2 else data
    if source.rank == 2:
        conversion.emit("Gemm", [source, weight, *([] if bias is None else [bias])], output, transB=int(is_turned))
        return
    factor = conversion.inner("Transpose", [weight], "turned", perm=[1, 0]) if is_turned else conversion.ref(weight)
    whole = output.shape == (*source.shape[:-1], output.shape[-1])
    result = conversion.inner("MatMul", [source, factor], "product")
    if bias is not None:
        result = conversion.inner("Add", [bias, result], "sum")
    if whole:
        conversion.names[output.name] = result
    else:
        conversion.reshape(result, output)


def turned_weight(conversion: Conversion, factor: Value) -> tuple[Value, bool]:
    """A stored weight under a transposition, and whether there is one."""
    call = conversion.producer(factor)
    if call is not None and call.base in ("t", "transpose", "permute", "numpy_T") and factor.rank == 2:
        source = next(call.values())
        if source.is_stored and source.shape == factor.shape[::-1]:
            return source, True
    return factor, False


@rule("addmm")
def addmm(conversion: Conversion, call: Call) -> None:
    weight, is_turned = turned_weight(conversion, call["mat2"])
    bias = None if call.get("beta", 1) == 0 else call["self"]
    linear_layer(conversion, call["mat1"], weight, bias, call.output, is_turned)


@rule("mm")
def mm(conversion: Conversion, call: Call) -> None:
    weight, is_turned = turned_weight(conversion, call["mat2"])
    if weight.is_stored:
        linear_layer(conversion, call["self"], weight, None, call.output, is_turned)
    else:
        conversion.emit("MatMul", [call["self"], call["mat2"]], call.output)


@rule("linear")
def linear(conversion: Conversion, call: Call) -> None:
    data, weight = call["input"], call["weight"]
    if data.rank == 1:
        turned = conversion.inner("Transpose", [weight], "turned", perm=[1, 0])
        conversion.emit("MatMul", [data, turned], call.output)
    else:
        linear_layer(conversion, data, weight, call.get("bias"), call.output, True)


@rule("matmul", "mv", "dot", "vdot", "inner", "chain_matmul")
def matmul(conversion: Conversion, call: Call) -> None:
    conversion.emit("MatMul", list(call.values())[:2], call.output)


@rule("addmv")
def addmv(conversion: Conversion, call: Call) -> None:
    product = conversion.inner("MatMul", [call["mat"], call["vec"]], "product")
    conversion.emit("Add", [product, call["self"]], call.output)


@rule("outer", "ger")
def outer(conversion: Conversion, call: Call) -> None:
    left = conversion.reshaped(call["self"], [call["self"].elements, 1])
    conversion.emit("Mul", [left, call["vec2"]], call.output)


@rule("einsum")
def einsum(conversion: Conversion, call: Call) -> None:
    conversion.emit("Einsum", list(call["tensors"]), call.output, equation=call["equation"])


@rule("bilinear", "_trilinear")
def bilinear(conversion: Conversion, call: Call) -> None:
    if call.base == "_trilinear":
        conversion.declare_unknown(call)
        return
    operands = [call["input1"], call["weight"], call["input2"]]
    conversion.emit("Einsum", operands, call.output, equation="...i,oij,...j->...o")


@rule(
    "scaled_dot_product_attention", "_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu",
    "_scaled_dot_product_efficient_attention", "_scaled_dot_product_cudnn_attention", "_scaled_dot_product_fused_attention_overrideable",
    "_scaled_dot_product_attention_math", "_scaled_dot_product_attention_math_for_mps", "_scaled_dot_product_attention",
)  # fmt: skip
def attention(conversion: Conversion, call: Call) -> None:
    """Fused attention as PyTorch's exporter writes it: queries and keys both scaled, which tells it from a written-out one."""
    query, key, value = call["query"], call["key"], call["value"]
    if query.rank == 4 and key.shape[1] != query.shape[1]:
        key, value = (grouped(conversion, part, query.shape[1]) for part in (key, value))
    root = float(math.sqrt(call.get("scale") or 1 / math.sqrt(max(1, query.shape[-1]))))
    scaled = conversion.inner("Mul", [query, root], "scaled")
    axes = list(range(query.rank))
    turned = conversion.inner("Transpose", [key], "turned", perm=[*axes[:-2], axes[-1], axes[-2]])
    number = conversion.ref(root)
    scores = conversion.inner("MatMul", [scaled, conversion.inner("Mul", [turned, number], "scaled")], "scores")
    mask = call.get("attn_mask", call.get("attn_bias"))
    if mask is None and call.get("is_causal", False):
        extents = conversion.graph.integers([query.shape[-2], call["key"].shape[-2]])
        mask = conversion.inner("Trilu", [conversion.inner("ConstantOfShape", [extents])], "causal", upper=0)
    if isinstance(mask, Value) and not mask.is_floating:
        mask = conversion.inner("Where", [mask, conversion.graph.number(0.0, "float32"), conversion.graph.number(-1e9, "float32")])
    if mask is not None:
        scores = conversion.inner("Add", [scores, mask], "scores")
    weights = conversion.inner("Softmax", [scores], "weights", axis=-1)
    conversion.emit("MatMul", [weights, value], call.output)


def grouped(conversion: Conversion, part: Value, heads: int) -> str:
    """Keys or values of grouped queries, repeated for each head of their group."""
    batch, own, length, width = part.shape
    parted = conversion.reshaped(part, [batch, own, 1, length, width])
    wide = conversion.graph.integers([batch, own, heads // own, length, width])
    return conversion.reshaped(conversion.inner("Expand", [parted, wide]), [batch, heads, length, width])
