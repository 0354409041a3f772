"""Arithmetic and activations: one result for each element."""

from __future__ import annotations

from typing import Any

from ..calls import Call, Value
from ..onnx import ELEMENT_TYPES
from .conversion import Conversion, rule

UNARY = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "bitwise_not": "Not", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "erfc": "Erf", "exp": "Exp",
    "exp2": "Exp", "expm1": "Exp", "floor": "Floor", "frac": "Floor", "isinf": "IsInf", "isnan": "IsNaN", "log": "Log", "log10": "Log",
    "log1p": "Log", "log2": "Log", "logical_not": "Not", "neg": "Neg", "reciprocal": "Reciprocal", "round": "Round",
    "sigmoid": "Sigmoid", "sign": "Sign", "sgn": "Sign", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh",
    "trunc": "Floor", "fix": "Floor", "relu": "Relu", "hardswish": "HardSwish", "hardsigmoid": "HardSigmoid", "mish": "Mish",
    "selu": "Selu", "softplus": "Softplus", "celu": "Celu", "elu": "Elu", "nan_to_num": "Identity", "relu6": "Clip",
}  # fmt: skip
BINARY = {
    "add": "Add", "sub": "Sub", "subtract": "Sub", "mul": "Mul", "multiply": "Mul", "div": "Div", "divide": "Div",
    "true_divide": "Div", "floor_divide": "Div", "pow": "Pow", "maximum": "Max", "minimum": "Min", "fmax": "Max",
    "fmin": "Min", "remainder": "Mod", "fmod": "Mod", "eq": "Equal", "ne": "Equal", "lt": "Less", "le": "LessOrEqual",
    "gt": "Greater", "ge": "GreaterOrEqual", "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor",
    "bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor", "__and__": "And", "__or__": "Or", "__xor__": "Xor",
}  # fmt: skip


def unary(operator: str) -> Any:
    def convert(conversion: Conversion, call: Call) -> None:
        source = next(call.values())
        conversion.emit(operator, [source], call.output)

    return convert


def binary(operator: str) -> Any:
    def convert(conversion: Conversion, call: Call) -> None:
        left = call.get("self", call.get("input"))
        conversion.emit(operator, [left, call["exponent"] if "exponent" in call.arguments else call["other"]], call.output)

    return convert


for _name, _operator in UNARY.items():
    rule(_name)(unary(_operator))
for _name, _operator in BINARY.items():
    rule(_name)(binary(_operator))


@rule("rsub")
def reversed_difference(conversion: Conversion, call: Call) -> None:
    conversion.emit("Sub", [call["other"], call["self"]], call.output)


@rule("square")
def square(conversion: Conversion, call: Call) -> None:
    conversion.emit("Mul", [call["self"], call["self"]], call.output)


@rule("rsqrt")
def inverse_root(conversion: Conversion, call: Call) -> None:
    conversion.emit("Reciprocal", [conversion.inner("Sqrt", [call["self"]])], call.output)


@rule("silu")
def silu(conversion: Conversion, call: Call) -> None:
    conversion.emit("Mul", [call["self"], conversion.inner("Sigmoid", [call["self"]])], call.output)


@rule("log_sigmoid_forward", "log_sigmoid")
def log_sigmoid(conversion: Conversion, call: Call) -> None:
    conversion.emit("Log", [conversion.inner("Sigmoid", [call["self"]])], call.output)


@rule("gelu")
def gelu(conversion: Conversion, call: Call) -> None:
    conversion.emit("Gelu", [call["self"]], call.output, approximate=call.get("approximate", "none"))


@rule("glu")
def gated(conversion: Conversion, call: Call) -> None:
    data: Value = call["self"]
    axis = data.axis(call.get("dim", -1))
    halves = [conversion.graph.fresh("half") for _ in range(2)]
    sizes = conversion.graph.integers([data.shape[axis] // 2] * 2)
    conversion.graph.node("Split", [conversion.ref(data), sizes], halves, axis=axis)
    conversion.emit("Mul", [halves[0], conversion.inner("Sigmoid", [halves[1]])], call.output)


@rule("leaky_relu")
def leaky_relu(conversion: Conversion, call: Call) -> None:
    conversion.emit("LeakyRelu", [call["self"]], call.output, alpha=float(call.get("negative_slope", 0.01)))


@rule("prelu", "_prelu_kernel")
def prelu(conversion: Conversion, call: Call) -> None:
    conversion.emit("PRelu", [call["self"], call["weight"]], call.output)


@rule("hardtanh", "clamp", "clip", "clamp_min", "clamp_max")
def clip(conversion: Conversion, call: Call) -> None:
    hard = call.base == "hardtanh"
    least = call.get("min_val", -1.0) if hard else call.get("min")
    most = call.get("max_val", 1.0) if hard else call.get("max")
    conversion.emit("Clip", [call["self"], least, most], call.output)


@rule("threshold")
def threshold(conversion: Conversion, call: Call) -> None:
    conversion.emit("ThresholdedRelu", [call["self"]], call.output, alpha=float(call["threshold"]))


@rule("softmax", "_softmax", "_safe_softmax")
def softmax(conversion: Conversion, call: Call) -> None:
    conversion.emit("Softmax", [call["self"]], call.output, axis=call["dim"])


@rule("log_softmax", "_log_softmax")
def log_softmax(conversion: Conversion, call: Call) -> None:
    conversion.emit("LogSoftmax", [call["self"]], call.output, axis=call["dim"])


@rule("addcmul", "addcdiv")
def add_product(conversion: Conversion, call: Call) -> None:
    product = conversion.inner("Mul" if call.base == "addcmul" else "Div", [call["tensor1"], call["tensor2"]])
    conversion.emit("Add", [call["self"], product], call.output)


@rule("lerp")
def interpolate(conversion: Conversion, call: Call) -> None:
    weighted = conversion.inner("Mul", [conversion.inner("Sub", [call["end"], call["self"]]), call["weight"]])
    conversion.emit("Add", [call["self"], weighted], call.output)


@rule("masked_fill")
def masked_fill(conversion: Conversion, call: Call) -> None:
    value = conversion.ref(call["value"], call["self"].dtype)
    conversion.emit("Where", [call["mask"], value, call["self"]], call.output)


@rule("where")
def where(conversion: Conversion, call: Call) -> None:
    dtype = call.output.dtype
    sides = [conversion.ref(call[side], dtype) for side in ("self", "other")]
    conversion.emit("Where", [call["condition"], *sides], call.output)


@rule("_to_copy", "to", "type_as", "_autocast_to_reduced_precision", "_autocast_to_full_precision", "float", "half")
def cast(conversion: Conversion, call: Call) -> None:
    source, output = next(call.values()), call.output
    if source.dtype == output.dtype:
        conversion.alias(output, source)
    else:
        conversion.emit("Cast", [source], output, to=ELEMENT_TYPES.get(output.dtype, 1))


@rule(
    "alias", "clone", "contiguous", "detach", "detach_copy", "dropout", "feature_dropout", "lift", "lift_fresh", "lift_fresh_copy",
    "native_dropout", "positive", "resolve_conj", "resolve_neg", "view_as_real_copy", "requires_grad", "_assert_tensor_metadata",
    "alpha_dropout",
)  # fmt: skip
def same(conversion: Conversion, call: Call) -> None:
    """The same numbers: dropout does nothing in a forward pass for inference."""
    if call.outputs and call.outputs[0] is not None:
        conversion.alias(call.output, next(call.values()))
