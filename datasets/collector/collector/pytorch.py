"""PyTorch, and torchvision where it is installed."""

import sys

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError as missing:
    sys.exit(f"collect.py needs PyTorch in {sys.executable} ({missing}); on Debian: apt-get install python3-torch")

try:
    import torchvision
except (ImportError, RuntimeError):  # a build that does not fit the installed torch raises the latter
    torchvision = None

__all__ = ["F", "nn", "torch", "torchvision"]
