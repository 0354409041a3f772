"""Predictions of GPU utilization, memory and step time for PyTorch models, before they run."""

from __future__ import annotations

__version__ = "0.1.0"
