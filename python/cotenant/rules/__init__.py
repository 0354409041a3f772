"""Rules from ATen operators to ONNX operators, by kind."""

from __future__ import annotations

from . import elementwise, generators, indexing, layers, matrices, movement, recurrent, reductions
from .conversion import Conversion, RULES, to_onnx

__all__ = ["Conversion", "RULES", "to_onnx"]
_KINDS = (elementwise, generators, indexing, layers, matrices, movement, recurrent, reductions)
