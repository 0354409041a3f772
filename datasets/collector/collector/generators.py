"""Networks that give images."""

from __future__ import annotations

from .blocks import conv_norm, Options, relu
from .pytorch import F, nn, torch


def dcgan(options: Options) -> nn.Module:
    """Generator and discriminator in a row, 64×64 images [Radford et al. 2016]: a generator's step."""
    width = options.whole("width", 64)
    layers: list[nn.Module] = [nn.Unflatten(1, (100, 1, 1)), nn.ConvTranspose2d(100, 8 * width, 4, bias=False)]
    layers += [nn.BatchNorm2d(8 * width), relu()]
    for factor in (4, 2, 1):
        layers += [nn.ConvTranspose2d(2 * factor * width, factor * width, 4, 2, 1, bias=False)]
        layers += [nn.BatchNorm2d(factor * width), relu()]
    layers += [nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False), nn.Tanh()]
    layers += [nn.Conv2d(3, width, 4, 2, 1, bias=False), nn.LeakyReLU(0.2)]
    for factor in (1, 2, 4):
        layers += [nn.Conv2d(factor * width, 2 * factor * width, 4, 2, 1, bias=False)]
        layers += [nn.BatchNorm2d(2 * factor * width), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers, nn.Conv2d(8 * width, 1, 4, bias=False), nn.Flatten())


def double_conv(inputs: int, outputs: int) -> nn.Module:
    return nn.Sequential(conv_norm(inputs, outputs), conv_norm(outputs, outputs))


class UNet(nn.Module):
    """U-Net with batch normalisation and padded convolutions [Ronneberger et al. 2015]."""

    def __init__(self, width: int, classes: int):
        super().__init__()
        widths = [width << i for i in range(5)]
        self.down = nn.ModuleList([double_conv(a, b) for a, b in zip([3, *widths], widths)])
        self.widen = nn.ModuleList([nn.ConvTranspose2d(2 * w, w, 2, 2) for w in reversed(widths[:-1])])
        self.up = nn.ModuleList([double_conv(2 * w, w) for w in reversed(widths[:-1])])
        self.out = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        kept = []
        for level, block in enumerate(self.down):
            x = block(x if level == 0 else F.max_pool2d(x, 2))
            kept.append(x)
        kept.pop()
        for widen, block in zip(self.widen, self.up):
            x = block(torch.cat([kept.pop(), widen(x)], 1))
        return self.out(x)


def unet(options: Options) -> nn.Module:
    return UNet(options.whole("width", 64), options.whole("classes", 2))
