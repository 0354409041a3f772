"""What networks are made of."""

from __future__ import annotations

from typing import NamedTuple, Optional

from .pytorch import nn, torch


class InputKind(NamedTuple):
    """What one sample of a model's input looks like."""

    shape: tuple[int, ...]
    vocabulary: int = 0  # above 0: the elements are token numbers below it

    def sample(self, batch_size: int, generator: Optional[torch.Generator] = None) -> torch.Tensor:
        shape = (batch_size, *self.shape)
        if self.vocabulary:
            return torch.randint(self.vocabulary, shape, generator=generator)
        return torch.randn(shape, generator=generator)


class Options(dict):
    """A model's options as numbers; a word stays a word."""

    def whole(self, key: str, default: int) -> int:
        return int(self.get(key, default))

    def real(self, key: str, default: float) -> float:
        return float(self.get(key, default))


def relu() -> nn.Module:
    return nn.ReLU(inplace=True)


def conv_norm(inputs: int, outputs: int, kernel: int = 3, stride: int = 1, groups: int = 1, act=relu) -> nn.Sequential:
    """Convolution without bias, batch normalisation, activation."""
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)]
    layers.append(nn.BatchNorm2d(outputs))
    return nn.Sequential(*layers, act()) if act else nn.Sequential(*layers)


def classifier(features: int, classes: int, dropout: float = 0.0) -> nn.Sequential:
    """Mean over the image, dropout, one linear layer."""
    head: list[nn.Module] = [nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    if dropout:
        head.append(nn.Dropout(dropout))
    return nn.Sequential(*head, nn.Linear(features, classes))


def is_small(options: Options) -> bool:
    """Whether the first layers keep the resolution, as is usual for images of 32 pixels."""
    return options.get("stem") == "small"


class Residual(nn.Module):
    """after(body(x) + shortcut(x))."""

    def __init__(self, body: nn.Module, shortcut: Optional[nn.Module] = None, after: Optional[nn.Module] = None):
        super().__init__()
        self.body, self.shortcut, self.after = body, shortcut or nn.Identity(), after or nn.Identity()

    def forward(self, x):
        return self.after(self.body(x) + self.shortcut(x))


class Branches(nn.Module):
    """The concatenation of what several modules make of the same input."""

    def __init__(self, *branches: nn.Module):
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


class Gate(nn.Module):
    """Squeeze and excitation."""

    def __init__(self, channels: int, squeezed: int, inner: nn.Module, outer: nn.Module):
        super().__init__()
        self.scale = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, squeezed, 1), inner, nn.Conv2d(squeezed, channels, 1), outer
        )

    def forward(self, x):
        return x * self.scale(x)
