"""Perceptrons and convolutional networks."""

from __future__ import annotations

import itertools
import math
from typing import Callable, Iterable, NamedTuple, Sequence

from .blocks import Branches, classifier, conv_norm, Gate, is_small, Options, relu, Residual
from .pytorch import F, nn, torch


def mlp(options: Options) -> nn.Module:
    width, layers = options.whole("width", 2048), options.whole("layers", 4)
    sizes = [options.whole("inputs", 784)] + [width] * layers
    body = itertools.chain.from_iterable((nn.Linear(a, b), relu()) for a, b in zip(sizes, sizes[1:]))
    return nn.Sequential(*body, nn.Linear(sizes[-1], options.whole("classes", 10)))


def alexnet(options: Options) -> nn.Module:
    features = nn.Sequential(
        nn.Conv2d(3, 64, 11, 4, 2), relu(), nn.MaxPool2d(3, 2),
        nn.Conv2d(64, 192, 5, padding=2), relu(), nn.MaxPool2d(3, 2),
        nn.Conv2d(192, 384, 3, padding=1), relu(), nn.Conv2d(384, 256, 3, padding=1), relu(),
        nn.Conv2d(256, 256, 3, padding=1), relu(), nn.MaxPool2d(3, 2), nn.AdaptiveAvgPool2d(6), nn.Flatten(),
    )  # fmt: skip
    return nn.Sequential(
        features, nn.Dropout(), nn.Linear(256 * 36, 4096), relu(), nn.Dropout(), nn.Linear(4096, 4096), relu(),
        nn.Linear(4096, options.whole("classes", 1000)),
    )  # fmt: skip


def vgg(*stages: int) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        layers: list[nn.Module] = []
        channels = 3
        for stage, count in enumerate(stages):
            for _ in range(count):
                width = min(64 << stage, 512)
                layers += [nn.Conv2d(channels, width, 3, padding=1), relu()]
                channels = width
            layers.append(nn.MaxPool2d(2))
        classes = options.whole("classes", 1000)
        if is_small(options):
            return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, classes))
        head = [nn.AdaptiveAvgPool2d(7), nn.Flatten(), nn.Linear(512 * 49, 4096), relu(), nn.Dropout()]
        return nn.Sequential(*layers, *head, nn.Linear(4096, 4096), relu(), nn.Dropout(), nn.Linear(4096, classes))

    return build


def image_stem(width: int, options: Options) -> nn.Sequential:
    if is_small(options):
        return conv_norm(3, width)
    return nn.Sequential(conv_norm(3, width, 7, 2), nn.MaxPool2d(3, 2, 1))


def basic_block(inputs: int, planes: int, stride: int) -> nn.Module:
    body = nn.Sequential(conv_norm(inputs, planes, 3, stride), conv_norm(planes, planes, act=None))
    shortcut = None if stride == 1 and inputs == planes else conv_norm(inputs, planes, 1, stride, act=None)
    return Residual(body, shortcut, relu())


def bottleneck_block(inputs: int, middle: int, outputs: int, stride: int, groups: int) -> nn.Module:
    body = nn.Sequential(
        conv_norm(inputs, middle, 1), conv_norm(middle, middle, 3, stride, groups), conv_norm(middle, outputs, 1, act=None)
    )
    shortcut = None if stride == 1 and inputs == outputs else conv_norm(inputs, outputs, 1, stride, act=None)
    return Residual(body, shortcut, relu())


def resnet(*stages: int, bottleneck: bool = False, groups: int = 1, width: int = 64) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        blocks: list[nn.Module] = [image_stem(64, options)]
        channels = 64
        for stage, count in enumerate(stages):
            planes = 64 << stage
            outputs = planes * 4 if bottleneck else planes
            for index in range(count):
                stride = 2 if stage > 0 and index == 0 else 1
                if bottleneck:
                    middle = planes * width // 64 * groups
                    blocks.append(bottleneck_block(channels, middle, outputs, stride, groups))
                else:
                    blocks.append(basic_block(channels, planes, stride))
                channels = outputs
        return nn.Sequential(*blocks, classifier(channels, options.whole("classes", 1000)))

    return build


def small_resnext(options: Options) -> nn.Module:
    """ResNeXt for 32×32 images: three stages, depth 9 blocks + 2 [Xie et al. 2017, section 5.3]."""
    cardinality, width = options.whole("cardinality", 2), options.whole("width", 16)
    count = (options.whole("depth", 11) - 2) // 9
    blocks: list[nn.Module] = [conv_norm(3, 64)]
    channels = 64
    for stage in range(3):
        middle = cardinality * width << stage
        for index in range(count):
            stride = 2 if stage > 0 and index == 0 else 1
            blocks.append(bottleneck_block(channels, middle, 2 * middle, stride, cardinality))
            channels = 2 * middle
    return nn.Sequential(*blocks, classifier(channels, options.whole("classes", 10)))


class WidenedShortcut(nn.Module):
    """PyramidNet's shortcut: pooled where the block halves the image, padded with empty channels."""

    def __init__(self, added: int, stride: int):
        super().__init__()
        self.added = added
        self.pool = nn.AvgPool2d(2) if stride == 2 else nn.Identity()

    def forward(self, x):
        return F.pad(self.pool(x), (0, 0, 0, 0, 0, self.added))


def pyramidnet(options: Options) -> nn.Module:
    """Additive PyramidNet of basic blocks, (depth - 2) / 6 a stage rounded down [Han et al. 2017]."""
    count = (options.whole("depth", 48) - 2) // 6
    step = options.real("alpha", 66) / (3 * count)
    exact, channels = 16.0, 16
    blocks: list[nn.Module] = [conv_norm(3, 16, act=None)]
    for stage, _ in itertools.product(range(3), range(count)):
        stride = 2 if stage > 0 and _ == 0 else 1
        exact += step
        outputs = round(exact)
        body = nn.Sequential(
            nn.BatchNorm2d(channels), conv_norm(channels, outputs, 3, stride), conv_norm(outputs, outputs, act=None)
        )
        blocks.append(Residual(body, WidenedShortcut(outputs - channels, stride)))
        channels = outputs
    return nn.Sequential(*blocks, nn.BatchNorm2d(channels), relu(), classifier(channels, options.whole("classes", 10)))


class DualPathBlock(nn.Module):
    """Adds on the first channels and concatenates the rest [Chen et al. 2017, figure 2]."""

    def __init__(self, inputs: int, middle: int, added: int, grown: int, stride: int, first: bool):
        super().__init__()
        self.added = added
        self.body = nn.Sequential(
            conv_norm(inputs, middle, 1), conv_norm(middle, middle, 3, stride, 32),
            conv_norm(middle, added + grown, 1, act=None),
        )  # fmt: skip
        self.shortcut = conv_norm(inputs, added + grown, 1, stride, act=None) if first else nn.Identity()

    def forward(self, x):
        x, y, d = self.shortcut(x), self.body(x), self.added
        return F.relu(torch.cat([x[:, :d] + y[:, :d], x[:, d:], y[:, d:]], 1))


def dual_path(options: Options) -> nn.Module:
    """DPN-92's widths; ``blocks=N`` puts N blocks in each of the four stages."""
    counts = [options.whole("blocks", 0)] * 4 if "blocks" in options else [3, 4, 20, 3]
    blocks: list[nn.Module] = [image_stem(64, options)]
    channels = 64
    for stage, (count, grown) in enumerate(zip(counts, (16, 32, 24, 128))):
        middle, added = 96 << stage, 256 << stage
        for index in range(count):
            stride = 2 if stage > 0 and index == 0 else 1
            blocks.append(DualPathBlock(channels, middle, added, grown, stride, index == 0))
            channels = added + (2 + index) * grown
    return nn.Sequential(*blocks, classifier(channels, options.whole("classes", 1000)))


class DenseLayer(nn.Module):
    def __init__(self, inputs: int, growth: int):
        super().__init__()
        self.body = nn.Sequential(
            nn.BatchNorm2d(inputs), relu(), conv_norm(inputs, 4 * growth, 1), nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)
        )

    def forward(self, x):
        return torch.cat([x, self.body(x)], 1)


def densenet(*stages: int, growth: int = 32, width: int = 64) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        layers: list[nn.Module] = [image_stem(width, options)]
        channels = width
        for stage, count in enumerate(stages):
            for _ in range(count):
                layers.append(DenseLayer(channels, growth))
                channels += growth
            if stage + 1 < len(stages):
                halve = nn.Conv2d(channels, channels // 2, 1, bias=False)
                layers += [nn.BatchNorm2d(channels), relu(), halve, nn.AvgPool2d(2)]
                channels //= 2
        return nn.Sequential(
            *layers, nn.BatchNorm2d(channels), relu(), classifier(channels, options.whole("classes", 1000))
        )

    return build


def inception(inputs: int, one: int, three: tuple[int, int], five: tuple[int, int], pooled: int) -> nn.Module:
    return Branches(
        conv_norm(inputs, one, 1),
        nn.Sequential(conv_norm(inputs, three[0], 1), conv_norm(*three)),
        nn.Sequential(conv_norm(inputs, five[0], 1), conv_norm(*five)),
        nn.Sequential(nn.MaxPool2d(3, 1, 1), conv_norm(inputs, pooled, 1)),
    )


def googlenet(options: Options) -> nn.Module:
    """GoogLeNet with batch normalisation and 3×3 in place of 5×5, as torchvision has it."""
    stem = [conv_norm(3, 192)] if is_small(options) else [
        conv_norm(3, 64, 7, 2), nn.MaxPool2d(3, 2, ceil_mode=True), conv_norm(64, 64, 1), conv_norm(64, 192),
        nn.MaxPool2d(3, 2, ceil_mode=True),
    ]  # fmt: skip
    return nn.Sequential(
        *stem,
        inception(192, 64, (96, 128), (16, 32), 32),
        inception(256, 128, (128, 192), (32, 96), 64),
        nn.MaxPool2d(3, 2, ceil_mode=True),
        inception(480, 192, (96, 208), (16, 48), 64),
        inception(512, 160, (112, 224), (24, 64), 64),
        inception(512, 128, (128, 256), (24, 64), 64),
        inception(512, 112, (144, 288), (32, 64), 64),
        inception(528, 256, (160, 320), (32, 128), 128),
        nn.MaxPool2d(2, 2, ceil_mode=True),
        inception(832, 256, (160, 320), (32, 128), 128),
        inception(832, 384, (192, 384), (48, 128), 128),
        classifier(1024, options.whole("classes", 1000), 0.2),
    )


def fire(inputs: int, squeezed: int, expanded: int) -> nn.Module:
    wide = nn.Sequential(nn.Conv2d(squeezed, expanded, 1), relu())
    wider = nn.Sequential(nn.Conv2d(squeezed, expanded, 3, padding=1), relu())
    return nn.Sequential(nn.Conv2d(inputs, squeezed, 1), relu(), Branches(wide, wider))


def squeezenet(version: str) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        pool = nn.MaxPool2d(3, 2, ceil_mode=True)
        if version == "1.0":
            first = [nn.Conv2d(3, 96, 3, padding=1)] if is_small(options) else [nn.Conv2d(3, 96, 7, 2)]
            body = [pool, fire(96, 16, 64), fire(128, 16, 64), fire(128, 32, 128), pool, fire(256, 32, 128),
                    fire(256, 48, 192), fire(384, 48, 192), fire(384, 64, 256), pool, fire(512, 64, 256)]  # fmt: skip
        else:
            first = [nn.Conv2d(3, 64, 3, 2)]
            body = [pool, fire(64, 16, 64), fire(128, 16, 64), pool, fire(128, 32, 128), fire(256, 32, 128), pool,
                    fire(256, 48, 192), fire(384, 48, 192), fire(384, 64, 256), fire(512, 64, 256)]  # fmt: skip
        head = [nn.Dropout(), nn.Conv2d(512, options.whole("classes", 1000), 1), relu()]
        return nn.Sequential(*first, relu(), *body, *head, nn.AdaptiveAvgPool2d(1), nn.Flatten())

    return build


class ChannelShuffle(nn.Module):
    """Interleaves the two halves of the channels."""

    def forward(self, x):
        n, c, h, w = x.shape
        return x.reshape(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


class ShuffleUnit(nn.Module):
    """One unit of ShuffleNet v2; the first of a stage halves the image [Ma et al. 2018, figure 3]."""

    def __init__(self, inputs: int, outputs: int, stride: int):
        super().__init__()
        half = outputs // 2
        entering = inputs if stride == 2 else half
        self.kept = None
        if stride == 2:
            self.kept = nn.Sequential(conv_norm(inputs, inputs, 3, 2, inputs, None), conv_norm(inputs, half, 1))
        self.body = nn.Sequential(
            conv_norm(entering, half, 1), conv_norm(half, half, 3, stride, half, None), conv_norm(half, half, 1)
        )
        self.shuffle = ChannelShuffle()

    def forward(self, x):
        if self.kept is not None:
            return self.shuffle(torch.cat([self.kept(x), self.body(x)], 1))
        kept, worked = x.chunk(2, 1)
        return self.shuffle(torch.cat([kept, self.body(worked)], 1))


def shufflenet(*widths: int) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        small = is_small(options)
        layers: list[nn.Module] = [conv_norm(3, 24, 3, 1 if small else 2)]
        if not small:
            layers.append(nn.MaxPool2d(3, 2, 1))
        channels = 24
        for width, count in zip(widths, (4, 8, 4)):
            for index in range(count):
                layers.append(ShuffleUnit(channels, width, 2 if index == 0 else 1))
                channels = width
        return nn.Sequential(
            *layers, conv_norm(channels, widths[3], 1), classifier(widths[3], options.whole("classes", 1000))
        )

    return build


def divisible(value: float, share: float = 0.9) -> int:
    """The multiple of 8 nearest to a width, but no less than ``share`` of it."""
    rounded = max(8, int(value + 4) // 8 * 8)
    return rounded if rounded >= share * value else rounded + 8


class InvertedBottleneck(NamedTuple):
    """What one block of the mobile networks looks like."""

    kernel: int
    expanded: int
    outputs: int
    stride: int
    act: Callable[[], nn.Module]
    squeezed: int = 0
    gate: tuple[Callable[[], nn.Module], Callable[[], nn.Module]] = (relu, nn.Hardsigmoid)

    def build(self, inputs: int) -> nn.Module:
        layers: list[nn.Module] = []
        if self.expanded != inputs:
            layers.append(conv_norm(inputs, self.expanded, 1, act=self.act))
        layers.append(conv_norm(self.expanded, self.expanded, self.kernel, self.stride, self.expanded, self.act))
        if self.squeezed:
            layers.append(Gate(self.expanded, self.squeezed, self.gate[0](), self.gate[1]()))
        layers.append(conv_norm(self.expanded, self.outputs, 1, act=None))
        body = nn.Sequential(*layers)
        return Residual(body) if self.stride == 1 and inputs == self.outputs else body


def mobile_network(stem: nn.Module, channels: int, blocks: Iterable[InvertedBottleneck]) -> list[nn.Module]:
    layers = [stem]
    for block in blocks:
        layers.append(block.build(channels))
        channels = block.outputs
    return layers


def mobilenet_v2(options: Options) -> nn.Module:
    """``channels=power`` doubles the channels from stage to stage, 16 to 1,024."""
    widths = [16 << i for i in range(7)] if options.get("channels") == "power" else [16, 24, 32, 64, 96, 160, 320]
    strides = (1, 1, 2, 2, 1, 2, 1) if is_small(options) else (1, 2, 2, 2, 1, 2, 1)
    blocks, channels = [], 32
    for width, factor, count, stride in zip(widths, (1, 6, 6, 6, 6, 6, 6), (1, 2, 3, 4, 3, 3, 1), strides):
        for index in range(count):
            blocks.append(InvertedBottleneck(3, channels * factor, width, stride if index == 0 else 1, nn.ReLU6))
            channels = width
    stem = conv_norm(3, 32, 3, 1 if is_small(options) else 2, act=nn.ReLU6)
    layers = mobile_network(stem, 32, blocks)
    last = conv_norm(channels, 1280, 1, act=nn.ReLU6)
    return nn.Sequential(*layers, last, classifier(1280, options.whole("classes", 1000), 0.2))


MOBILENET_V3_SMALL = (
    (3, 16, 16, 2, 1, 0), (3, 72, 24, 2, 0, 0), (3, 88, 24, 1, 0, 0), (5, 96, 40, 2, 1, 1), (5, 240, 40, 1, 1, 1),
    (5, 240, 40, 1, 1, 1), (5, 120, 48, 1, 1, 1), (5, 144, 48, 1, 1, 1), (5, 288, 96, 2, 1, 1), (5, 576, 96, 1, 1, 1),
    (5, 576, 96, 1, 1, 1),
)  # fmt: skip
MOBILENET_V3_LARGE = (
    (3, 16, 16, 1, 0, 0), (3, 64, 24, 2, 0, 0), (3, 72, 24, 1, 0, 0), (5, 72, 40, 2, 1, 0), (5, 120, 40, 1, 1, 0),
    (5, 120, 40, 1, 1, 0), (3, 240, 80, 2, 0, 1), (3, 200, 80, 1, 0, 1), (3, 184, 80, 1, 0, 1), (3, 184, 80, 1, 0, 1),
    (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1), (5, 672, 160, 2, 1, 1), (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1),
)  # fmt: skip


def mobilenet_v3(table: Sequence[tuple[int, ...]], last: int) -> Callable[[Options], nn.Module]:
    """From rows of kernel, expanded, outputs, stride, gate, hard swish [Howard et al. 2019, tables 1 and 2]."""

    def build(options: Options) -> nn.Module:
        blocks = [
            InvertedBottleneck(k, e, o, s, nn.Hardswish if swish else relu, divisible(e / 4) if gated else 0)
            for k, e, o, s, gated, swish in table
        ]
        layers = mobile_network(conv_norm(3, 16, 3, 2, act=nn.Hardswish), 16, blocks)
        wide = 6 * table[-1][2]
        head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(wide, last), nn.Hardswish(), nn.Dropout(0.2)]
        expand = conv_norm(table[-1][2], wide, 1, act=nn.Hardswish)
        return nn.Sequential(*layers, expand, *head, nn.Linear(last, options.whole("classes", 1000)))

    return build


def efficientnet(width: float, depth: float, dropout: float) -> Callable[[Options], nn.Module]:
    table = ((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
             (6, 3, 1, 320, 1))  # fmt: skip

    def build(options: Options) -> nn.Module:
        first = channels = divisible(32 * width)
        blocks = []
        for factor, kernel, stride, outputs, count in table:
            for index in range(math.ceil(count * depth)):
                squeezed = max(1, channels // 4)
                blocks.append(
                    InvertedBottleneck(
                        kernel, channels * factor, divisible(outputs * width), stride if index == 0 else 1, nn.SiLU,
                        squeezed, (nn.SiLU, nn.Sigmoid),
                    )  # fmt: skip
                )
                channels = divisible(outputs * width)
        layers = mobile_network(conv_norm(3, first, 3, 2, act=nn.SiLU), first, blocks)
        last = conv_norm(channels, 4 * channels, 1, act=nn.SiLU)
        return nn.Sequential(*layers, last, classifier(4 * channels, options.whole("classes", 1000), dropout))

    return build


def mnasnet(alpha: float) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        widths = [divisible(width * alpha) for width in (32, 16, 24, 40, 80, 96, 192, 320)]
        strides = (1, 2, 2, 1, 2, 1) if is_small(options) else (2, 2, 2, 1, 2, 1)
        channels = widths[1]
        blocks = []
        for outputs, kernel, stride, factor, count in zip(
            widths[2:], (3, 5, 5, 3, 5, 3), strides, (3, 3, 6, 6, 6, 6), (3, 3, 3, 2, 4, 1)
        ):
            for index in range(count):
                blocks.append(
                    InvertedBottleneck(kernel, channels * factor, outputs, stride if index == 0 else 1, relu)
                )
                channels = outputs
        first = widths[0]
        stem = nn.Sequential(
            conv_norm(3, first, 3, 1 if is_small(options) else 2), conv_norm(first, first, 3, 1, first),
            conv_norm(first, widths[1], 1, act=None),
        )  # fmt: skip
        layers = mobile_network(stem, widths[1], blocks)
        return nn.Sequential(*layers, conv_norm(channels, 1280, 1), classifier(1280, options.whole("classes", 1000), 0.2))

    return build


class ChannelNorm(nn.LayerNorm):
    """Layer normalisation over the channels of an image."""

    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ConvNextBlock(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.pointwise = nn.Sequential(
            nn.LayerNorm(width, 1e-6), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.scale = nn.Parameter(torch.full((width, 1, 1), 1e-6))

    def forward(self, x):
        return x + self.scale * self.pointwise(self.depthwise(x).permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def convnext(*counts: int) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        layers: list[nn.Module] = [nn.Conv2d(3, 96, 4, 4), ChannelNorm(96, 1e-6)]
        for stage, count in enumerate(counts):
            width = 96 << stage
            if stage:
                layers += [ChannelNorm(width // 2, 1e-6), nn.Conv2d(width // 2, width, 2, 2)]
            layers += [ConvNextBlock(width) for _ in range(count)]
        head = [nn.AdaptiveAvgPool2d(1), ChannelNorm(768, 1e-6), nn.Flatten()]
        return nn.Sequential(*layers, *head, nn.Linear(768, options.whole("classes", 1000)))

    return build
