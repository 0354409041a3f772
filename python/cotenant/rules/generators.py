"""Tensors that follow from shapes alone, or from chance."""

from __future__ import annotations

from ..calls import Call
from ..onnx import ELEMENT_TYPES
from .conversion import Conversion, rule

CONSTANTS = (
    "arange", "empty", "empty_like", "empty_permuted", "empty_strided", "eye", "fill", "full", "full_like", "linspace",
    "new_empty", "new_empty_strided", "new_full", "new_ones", "new_zeros", "ones", "ones_like", "scalar_tensor", "zero", "zeros",
    "zeros_like", "tril_indices", "triu_indices", "hann_window", "hamming_window", "blackman_window",
)  # fmt: skip
RANDOM = ("rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "normal", "uniform", "bernoulli", "randperm",
          "normal_functional", "exponential")  # fmt: skip


@rule(*CONSTANTS)
def constant(conversion: Conversion, call: Call) -> None:
    output = call.output
    zeros = conversion.inner("ConstantOfShape", [conversion.graph.integers(output.shape)], "constant")
    if output.dtype == "float32":
        conversion.names[output.name] = zeros
    else:
        conversion.emit("Cast", [zeros], output, to=ELEMENT_TYPES.get(output.dtype, 1))


@rule(*RANDOM)
def random(conversion: Conversion, call: Call) -> None:
    output = call.output
    kind = ELEMENT_TYPES.get(output.dtype, 1)
    conversion.emit("RandomNormal", [], output, shape=list(output.shape), dtype=kind)


@rule("_assert_async", "_assert_scalar", "_assert_tensor_metadata.default", "sym_constrain_range", "sym_constrain_range_for_size",
      "set", "_set_grad_enabled", "record_stream", "resize")  # fmt: skip
def nothing(conversion: Conversion, call: Call) -> None:
    """Checks and bookkeeping of PyTorch; what they return is what they were given."""
    source = next(call.values(), None)
    if source is not None and call.outputs and call.outputs[0] is not None:
        conversion.alias(call.output, source)
