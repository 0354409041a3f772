"""Networks of the tests; importing this needs PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as functional
from torch import nn


class Residual(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.first_norm = nn.BatchNorm2d(outputs)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.second_norm = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = functional.relu(self.first_norm(self.first(x)), inplace=True)
        return functional.relu(self.second_norm(self.second(y)) + self.shortcut(x))


def cnn() -> nn.Module:
    stem = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    blocks = [Residual(64, 64, 1), Residual(64, 128, 2), Residual(128, 256, 2)]
    return nn.Sequential(*stem, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000))


class Block(nn.Module):
    """A decoder's block with its attention written out."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.norm, self.norm_of_layers = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.inward(self.norm(x)).split(width, -1)
        query, key, value = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in parts)
        scores = (query @ key.transpose(-2, -1)) * (width // self.heads) ** -0.5
        mask = torch.tril(torch.ones(length, length, device=x.device))
        weights = scores.masked_fill(mask == 0, float("-inf")).softmax(-1)
        x = x + self.outward((weights @ value).transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(functional.gelu(self.widen(self.norm_of_layers(x))))


class Decoder(nn.Module):
    """Embeddings, blocks and a head whose weight is that of the embeddings."""

    def __init__(self, words: int = 1000, width: int = 256, blocks: int = 2):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(128, width)
        self.blocks = nn.Sequential(*(Block(width, 8) for _ in range(blocks)))
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.head(self.blocks(self.words(tokens) + self.places(places)))


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(1000, 64)
        self.steps = nn.LSTM(64, 128, 2, batch_first=True, bidirectional=True)
        self.tags = nn.Linear(256, 5)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.tags(self.steps(self.words(tokens))[0][:, -1])


class Mixed(nn.Module):
    """Depthwise convolution, squeeze and excitation, transposed convolution, resizing."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.depthwise = nn.Conv2d(3, 16, 3, 2, 1), nn.Conv2d(16, 16, 3, 1, 1, groups=16)
        self.squeeze, self.excite = nn.Conv2d(16, 8, 1), nn.Conv2d(8, 16, 1)
        self.norm, self.up = nn.GroupNorm(4, 16), nn.ConvTranspose2d(16, 8, 2, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.silu(self.depthwise(functional.hardswish(self.stem(x))))
        weights = torch.sigmoid(self.excite(functional.relu(self.squeeze(functional.adaptive_avg_pool2d(x, 1)))))
        x = functional.interpolate(self.up(self.norm(x * weights)), scale_factor=2, mode="bilinear")
        return torch.cat([x, x.flip(-1)], 1).mean((2, 3))


def encoder() -> nn.Module:
    layer = nn.TransformerEncoderLayer(256, 8, 1024, activation="gelu", batch_first=True)
    return nn.TransformerEncoder(layer, 2)


def images(batch: int, side: int) -> tuple[torch.Tensor]:
    return (torch.zeros(batch, 3, side, side),)


def tokens(batch: int, length: int) -> tuple[torch.Tensor]:
    return (torch.zeros(batch, length, dtype=torch.int64),)


#: Networks with the inputs at a batch.
NETWORKS = {
    "cnn": (cnn, lambda batch: images(batch, 224), 8),
    "encoder": (encoder, lambda batch: (torch.zeros(batch, 128, 256),), 4),
    "decoder": (Decoder, lambda batch: tokens(batch, 64), 4),
    "tagger": (Tagger, lambda batch: tokens(batch, 32), 4),
    "mixed": (Mixed, lambda batch: images(batch, 64), 4),
}


class DataDependent(nn.Module):
    def __init__(self, kind: str):
        super().__init__()
        self.kind = kind

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.kind == "branch":
            return x if x.sum() > 0 else -x
        if self.kind == "item":
            return x * x.max().item()
        return x[x > 0] if self.kind == "mask" else torch.nonzero(x)
