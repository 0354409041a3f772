"""The models that a plan can name."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Callable, Iterable

from .blocks import InputKind, Options
from .convolutional import (
    MOBILENET_V3_LARGE,
    MOBILENET_V3_SMALL,
    alexnet,
    convnext,
    densenet,
    dual_path,
    efficientnet,
    googlenet,
    mlp,
    mnasnet,
    mobilenet_v2,
    mobilenet_v3,
    pyramidnet,
    resnet,
    shufflenet,
    small_resnext,
    squeezenet,
    vgg,
)
from .generators import dcgan, unet
from .pytorch import nn, torch, torchvision
from .sequences import BERT_VOCABULARY, GPT_VOCABULARY, decoder, encoder, lstm, small_transformer, vision_transformer


@dataclass(frozen=True)
class Architecture:
    """How a model is built, and which options it has."""

    family: str
    build: Callable[[Options], nn.Module]
    input: Callable[[Options], InputKind]
    options: tuple[str, ...]
    in_torchvision: bool = False


@dataclass(frozen=True)
class BuiltModel:
    module: nn.Module
    input: InputKind
    implementation: str


def build_model(name: str, stated: Iterable[tuple[str, str]], device: str) -> BuiltModel:
    """Builds on the device, so that no time goes into drawing weights on the CPU."""
    architecture = ARCHITECTURES[name]
    options = Options(stated)
    shipped = architecture.in_torchvision and torchvision is not None and set(options) <= {"image", "classes"}
    with torch_device(device):
        module = torchvision_model(name, options) if shipped else architecture.build(options)
    return BuiltModel(module.to(device), architecture.input(options), "torchvision" if shipped else "own")


def torch_device(device: str):
    """The context in which modules are created on a device, where this PyTorch has one."""
    target = torch.device(device)
    return target if hasattr(target, "__enter__") else contextlib.nullcontext()


def torchvision_model(name: str, options: Options) -> nn.Module:
    more: dict[str, Any] = {"num_classes": options.whole("classes", 1000)}
    if name == "googlenet":
        more.update(aux_logits=False, init_weights=False)
    if name.startswith("vit") and "image" in options:
        more["image_size"] = options.whole("image", 224)
    return getattr(torchvision.models, name)(weights=None, **more)


def images(side: int) -> Callable[[Options], InputKind]:
    return lambda options: InputKind((3, options.whole("image", side), options.whole("image", side)))


def tokens(length: int, vocabulary: int) -> Callable[[Options], InputKind]:
    return lambda options: InputKind((options.whole("tokens", length),), options.whole("vocabulary", vocabulary))


def vision(family: str, build: Callable[[Options], nn.Module], *more: str, shipped: bool = True) -> Architecture:
    return Architecture(family, build, images(224), ("image", "classes", *more), shipped)


def tiny_vision(family: str, build: Callable[[Options], nn.Module], *more: str) -> Architecture:
    return Architecture(family, build, images(32), ("image", "classes", *more))


def text(family: str, build: Callable[[Options], nn.Module], length: int, vocabulary: int, *more: str) -> Architecture:
    return Architecture(family, build, tokens(length, vocabulary), ("tokens", *more))


def vector(options: Options) -> InputKind:
    return InputKind((options.whole("inputs", 784),))


ARCHITECTURES: dict[str, Architecture] = {
    "mlp": Architecture("mlp", mlp, vector, ("inputs", "width", "layers", "classes")),
    "alexnet": vision("alexnet", alexnet),
    "vgg11": vision("vgg", vgg(1, 1, 2, 2, 2), "stem"),
    "vgg16": vision("vgg", vgg(2, 2, 3, 3, 3), "stem"),
    "vgg19": vision("vgg", vgg(2, 2, 4, 4, 4), "stem"),
    "resnet18": vision("resnet", resnet(2, 2, 2, 2), "stem"),
    "resnet18_bottleneck": vision("resnet", resnet(2, 2, 2, 2, bottleneck=True), "stem", shipped=False),
    "resnet34": vision("resnet", resnet(3, 4, 6, 3), "stem"),
    "resnet50": vision("resnet", resnet(3, 4, 6, 3, bottleneck=True), "stem"),
    "resnet101": vision("resnet", resnet(3, 4, 23, 3, bottleneck=True), "stem"),
    "wide_resnet50_2": vision("resnet", resnet(3, 4, 6, 3, bottleneck=True, width=128), "stem"),
    "resnext50_32x4d": vision("resnext", resnet(3, 4, 6, 3, bottleneck=True, groups=32, width=4), "stem"),
    "resnext_small": tiny_vision("resnext", small_resnext, "depth", "cardinality", "width"),
    "pyramidnet": tiny_vision("pyramidnet", pyramidnet, "depth", "alpha"),
    "dpn92": vision("dpn", dual_path, "stem", "blocks", shipped=False),
    "densenet121": vision("densenet", densenet(6, 12, 24, 16), "stem"),
    "densenet161": vision("densenet", densenet(6, 12, 36, 24, growth=48, width=96), "stem"),
    "densenet169": vision("densenet", densenet(6, 12, 32, 32), "stem"),
    "googlenet": vision("googlenet", googlenet, "stem"),
    "squeezenet1_0": vision("squeezenet", squeezenet("1.0"), "stem"),
    "squeezenet1_1": vision("squeezenet", squeezenet("1.1")),
    "shufflenet_v2_x0_5": vision("shufflenet", shufflenet(48, 96, 192, 1024), "stem"),
    "shufflenet_v2_x1_0": vision("shufflenet", shufflenet(116, 232, 464, 1024), "stem"),
    "shufflenet_v2_x2_0": vision("shufflenet", shufflenet(244, 488, 976, 2048), "stem"),
    "mobilenet_v2": vision("mobilenet", mobilenet_v2, "stem", "channels"),
    "mobilenet_v3_small": vision("mobilenet", mobilenet_v3(MOBILENET_V3_SMALL, 1024)),
    "mobilenet_v3_large": vision("mobilenet", mobilenet_v3(MOBILENET_V3_LARGE, 1280)),
    "mnasnet0_5": vision("mnasnet", mnasnet(0.5), "stem"),
    "mnasnet1_0": vision("mnasnet", mnasnet(1.0), "stem"),
    "mnasnet1_3": vision("mnasnet", mnasnet(1.3), "stem"),
    "efficientnet_b0": vision("efficientnet", efficientnet(1.0, 1.0, 0.2)),
    "efficientnet_b2": vision("efficientnet", efficientnet(1.1, 1.2, 0.3)),
    "convnext_tiny": vision("convnext", convnext(3, 3, 9, 3)),
    "convnext_small": vision("convnext", convnext(3, 3, 27, 3)),
    "vit_b_16": vision("vit", vision_transformer(768, 12, 12)),
    "vit_s_16": vision("vit", vision_transformer(384, 12, 6), shipped=False),
    "bert_base": text("bert", encoder(768, 12, 12), 128, BERT_VOCABULARY, "classes"),
    "bert_mini": text("bert", encoder(256, 4, 4), 128, BERT_VOCABULARY, "classes"),
    "gpt2": text("gpt", decoder(768, 12, 12), 256, GPT_VOCABULARY),
    "gpt_mini": text("gpt", decoder(256, 4, 4), 256, GPT_VOCABULARY),
    "lstm": text("lstm", lstm, 128, 10000, "width", "layers", "vocabulary", "directions"),
    "transformer": text("transformer", small_transformer, 200, 10000, "width", "heads", "layers", "vocabulary"),
    "dcgan": Architecture("dcgan", dcgan, lambda options: InputKind((100,)), ("width",)),
    "unet": Architecture("unet", unet, images(256), ("image", "classes", "width")),
}
