#!/usr/bin/env python3
"""Measures deep-learning workloads on one GPU, alone and side by side.

Five kinds of run (solo, pairs, profile, memory, graphs) take a plan file and append one row a
point to a CSV file, so that a run can be stopped at any time and taken up again. The README beside
this file says how to use it; this text says how it is built.

A supervisor, which never touches the GPU, reads the device's counters and starts worker processes.
A worker builds models and runs steps on request, one JSON object a line each way. Whatever goes
wrong in a worker (out of memory, a fault, a hang) ends as the row of one point. All times are
CLOCK_MONOTONIC, which the processes of one machine share.

Nothing here changes clocks, power limits, MIG, compute or persistence mode.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import csv
import ctypes
import dataclasses
import gc
import gzip
import hashlib
import inspect
import io
import itertools
import json
import math
import os
import platform
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence

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

VERSION = "1"
MODES = ("inference", "training")
PRECISIONS = ("fp32", "tf32", "fp16", "bf16")
MIB = 1 << 20


# ---------------------------------------------------------------------------------------------
# Plans: what is to be measured
# ---------------------------------------------------------------------------------------------


class PlanError(ValueError):
    """A plan, or an entry of one, that cannot be used; the message names the thing."""


@dataclass(frozen=True, order=True)
class ModelSpec:
    """A model with its options, written ``resnet18:image=32:classes=10``."""

    name: str
    options: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def parse(text: str) -> "ModelSpec":
        name, *rest = text.strip().split(":")
        if name not in ARCHITECTURES:
            raise PlanError(f"unknown model '{name}': use one of {', '.join(sorted(ARCHITECTURES))}")
        options = dict(part.partition("=")[::2] for part in rest)
        known = ARCHITECTURES[name].options
        for key, value in options.items():
            if key not in known:
                raise PlanError(f"model {name} has no option '{key}': use one of {', '.join(known)}")
            if not re.fullmatch(r"[a-z0-9]+(\.[0-9]+)?", value):
                raise PlanError(f"option {key}='{value}' of model {name} is not a number or a word")
        return ModelSpec(name, tuple(sorted(options.items())))

    def __str__(self) -> str:
        return ":".join([self.name, *(f"{key}={value}" for key, value in self.options)])

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9_.-]", "-", str(self).replace("=", "-").replace(":", "_"))

    @property
    def family(self) -> str:
        return ARCHITECTURES[self.name].family


@dataclass(frozen=True, order=True)
class Job:
    """One workload, written ``resnet50/64/training/tf32`` or ``.../inference/fp32/poisson:0.5``."""

    model: ModelSpec
    batch_size: int
    mode: str
    precision: str
    arrival: str = "closed"

    @staticmethod
    def parse(text: str) -> "Job":
        parts = text.strip().split("/")
        if len(parts) not in (4, 5):
            raise PlanError(f"job '{text.strip()}' is not MODEL/BATCH/MODE/PRECISION[/ARRIVAL]")
        model, batch, mode, precision, *arrival = parts
        return Job.of(model, batch, mode, precision, *arrival)

    @staticmethod
    def of(model: str, batch: str, mode: str, precision: str, arrival: str = "closed") -> "Job":
        if not re.fullmatch(r"[1-9][0-9]{0,6}", batch):
            raise PlanError(f"batch size '{batch}' is not a whole number from 1")
        if mode not in MODES:
            raise PlanError(f"mode '{mode}' is not one of {', '.join(MODES)}")
        if precision not in PRECISIONS:
            raise PlanError(f"precision '{precision}' is not one of {', '.join(PRECISIONS)}")
        if arrival != "closed" and not re.fullmatch(r"poisson:(0\.[0-9]*[1-9][0-9]*|1)", arrival):
            raise PlanError(f"arrival '{arrival}' is not closed or poisson:SHARE with a share in (0, 1]")
        if arrival != "closed" and mode != "inference":
            raise PlanError("Poisson arrivals are for inference only")
        return Job(ModelSpec.parse(model), int(batch), mode, precision, arrival)

    def __str__(self) -> str:
        text = f"{self.model}/{self.batch_size}/{self.mode}/{self.precision}"
        return text if self.arrival == "closed" else f"{text}/{self.arrival}"

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9_.-]", "-", f"{self.model.slug}-{str(self).partition('/')[2]}")

    @property
    def arrival_share(self) -> Optional[float]:
        """Requests a second as a share of what a closed loop reaches; None for a closed loop."""
        return None if self.arrival == "closed" else float(self.arrival.partition(":")[2])


@dataclass(frozen=True, order=True)
class Group:
    """Jobs that run side by side, each with its percentage of the SMs where the plan gives one."""

    jobs: tuple[Job, ...]
    shares: tuple[int, ...] = ()

    def __str__(self) -> str:
        text = " + ".join(map(str, self.jobs))
        return f"{text} @ {' '.join(map(str, self.shares))}" if self.shares else text

    def share(self, member: int) -> int:
        return self.shares[member] if self.shares else 100


class Plan(NamedTuple):
    """The entries of a plan file and, for each line that is no entry, what is wrong with it."""

    entries: list
    complaints: list[str]


def read_plan(path: Path, read_line: Callable[[dict[str, str]], Iterable[Any]], columns: Sequence[str]) -> Plan:
    """Reads a CSV file whose lines stand for entries; bad lines are named and the rest go on."""
    entries: dict[Any, None] = {}
    complaints: list[str] = []
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError(f"{path}: cannot be read: {error}") from error
    reader = csv.DictReader(io.StringIO(text), strict=True)
    missing = [name for name in columns if name not in (reader.fieldnames or [])]
    if missing:
        raise PlanError(f"{path}:1: the columns {', '.join(missing)} are missing")
    try:
        for cells in reader:
            try:
                entries.update(dict.fromkeys(read_line({key: value or "" for key, value in cells.items() if key})))
            except PlanError as error:
                complaints.append(f"{path}:{reader.line_num}: {error}")
    except csv.Error as error:
        complaints.append(f"{path}:{reader.line_num}: {error}; what follows is not read")
    return Plan(list(entries), complaints)


def jobs_of_line(cells: dict[str, str]) -> list[Job]:
    """Every combination of what a line of a solo plan lists."""
    arrivals = cells.get("arrivals", "").split() or ["closed"]
    lists = [cells[name].split() for name in ("batch_sizes", "modes", "precisions")] + [arrivals]
    if not all(lists):
        raise PlanError("batch_sizes, modes and precisions must each list at least one")
    combinations = (Job.of(cells["model"], *values) for values in itertools.product(*lists))
    return list(combinations)


def group_of_line(cells: dict[str, str]) -> list[Group]:
    """The group that a line of a pairs plan names."""
    jobs = tuple(Job.parse(text) for text in cells["jobs"].split("+"))
    if not 2 <= len(jobs) <= 4:
        raise PlanError(f"{len(jobs)} jobs: a group has two to four")
    shares = cells.get("shares", "").split()
    if shares and not (len(shares) == len(jobs) and all(re.fullmatch(r"[1-9][0-9]?|100", s) for s in shares)):
        raise PlanError(f"shares '{cells['shares']}' are not one percentage from 1 to 100 a job")
    return [Group(jobs, tuple(map(int, shares)))]


def read_jobs(path: Path) -> Plan:
    return read_plan(path, jobs_of_line, ("model", "batch_sizes", "modes", "precisions"))


def read_groups(path: Path) -> Plan:
    return read_plan(path, group_of_line, ("jobs",))


def batch_octave(job: Job) -> int:
    return int(math.log2(job.batch_size))


def job_levels(job: Job) -> dict[str, Any]:
    """The factors that a set of solo runs should be balanced over."""
    return {
        "family": job.model.family,
        "model": job.model,
        "mode and precision": (job.mode, job.precision),
        "mode and batch": (job.mode, batch_octave(job)),
        "arrival": job.arrival,
    }


def group_levels(group: Group) -> dict[str, Any]:
    """The factors that a set of groups should be balanced over."""
    modes = tuple(sorted(job.mode for job in group.jobs))
    return {
        "jobs": tuple(sorted(set(group.jobs))),
        "first job": group.jobs[0],
        "last job": group.jobs[-1],
        "modes": (len(group.jobs), modes),
        "tenants": len(group.jobs),
        "shared": bool(group.shares),
    }


def most_informative_first(entries: Sequence[Any], levels_of: Callable[[Any], dict[str, Any]], seed: int) -> list:
    """Orders entries so that every prefix is a balanced design.

    The next entry is always the one whose levels were taken least often so far, each factor's count
    weighted with its number of levels, so that a binary factor does not drown in a factor of
    thirty. Thus one point of every family comes before the second of any, both modes stay near one
    half, and the octaves of the batch size are filled evenly. Ties are broken by a hash of the seed
    and the entry's text: the order is the same on every machine and does not follow the plan's.
    """
    pending = {entry: levels_of(entry) for entry in sorted(entries, key=lambda e: seeded_hash(seed, str(e)))}
    level_counts: dict[str, set] = collections.defaultdict(set)
    for levels in pending.values():
        for factor, level in levels.items():
            level_counts[factor].add(level)
    taken: collections.Counter = collections.Counter()
    order = []
    while pending:
        entry = min(pending, key=lambda e: sum(taken[item] * len(level_counts[item[0]]) for item in pending[e].items()))
        taken.update(pending.pop(entry).items())
        order.append(entry)
    return order


def seeded_hash(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed}:{text}".encode()).hexdigest()


# ---------------------------------------------------------------------------------------------
# Models
# ---------------------------------------------------------------------------------------------


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


def build_model(spec: ModelSpec, device: str) -> BuiltModel:
    """Builds on the device, so that no time goes into drawing weights on the CPU."""
    architecture = ARCHITECTURES[spec.name]
    options = Options(spec.options)
    shipped = architecture.in_torchvision and torchvision is not None and set(options) <= {"image", "classes"}
    with torch_device(device):
        module = torchvision_model(spec.name, options) if shipped else architecture.build(options)
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


# -- perceptrons and early convolutional networks


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


# -- residual networks


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


# -- networks that concatenate


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


# -- networks for small devices


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


# -- ConvNeXt, transformers, recurrent networks


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


class Attention(nn.Module):
    """Self-attention; fused where this PyTorch has a fused one."""

    def __init__(self, width: int, heads: int, causal: bool = False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        n, t, width = x.shape
        q, k, v = self.project(x).reshape(n, t, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        return self.out(self.mix(q, k, v).transpose(1, 2).reshape(n, t, width))

    def mix(self, q, k, v):
        if hasattr(F, "scaled_dot_product_attention") and not torch.onnx.is_in_onnx_export():
            return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if self.causal:
            hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
            scores = scores.masked_fill(hidden, float("-inf"))
        return scores.softmax(-1) @ v


def transformer_layer(width: int, heads: int, inner: int, causal: bool, norm_first: bool) -> nn.Module:
    attention = Attention(width, heads, causal)
    feed = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))
    if norm_first:
        return nn.Sequential(
            Residual(nn.Sequential(nn.LayerNorm(width), attention)), Residual(nn.Sequential(nn.LayerNorm(width), feed))
        )
    return nn.Sequential(Residual(attention, after=nn.LayerNorm(width)), Residual(feed, after=nn.LayerNorm(width)))


class TokenEmbedding(nn.Module):
    """Sum of the embeddings of a token and of its position."""

    def __init__(self, vocabulary: int, positions: int, width: int, normed: bool):
        super().__init__()
        self.token, self.position = nn.Embedding(vocabulary, width), nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width) if normed else nn.Identity()

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        return self.norm(self.token(tokens) + self.position(places))


class FirstToken(nn.Module):
    def forward(self, x):
        return x[:, 0]


def encoder(width: int, layers: int, heads: int) -> Callable[[Options], nn.Module]:
    """BERT [Devlin et al. 2019] with its pooler and a classifier of two classes."""

    def build(options: Options) -> nn.Module:
        body = [transformer_layer(width, heads, 4 * width, False, False) for _ in range(layers)]
        pooler = [FirstToken(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, options.whole("classes", 2))]
        return nn.Sequential(TokenEmbedding(BERT_VOCABULARY, 512, width, True), *body, *pooler)

    return build


def decoder(width: int, layers: int, heads: int) -> Callable[[Options], nn.Module]:
    """GPT-2 [Radford et al. 2019]; the last layer shares the embedding's weights."""

    def build(options: Options) -> nn.Module:
        embedding = TokenEmbedding(GPT_VOCABULARY, 1024, width, False)
        body = [transformer_layer(width, heads, 4 * width, True, True) for _ in range(layers)]
        last = nn.Linear(width, GPT_VOCABULARY, bias=False)
        last.weight = embedding.token.weight
        return nn.Sequential(embedding, *body, nn.LayerNorm(width), last)

    return build


def small_transformer(options: Options) -> nn.Module:
    width, vocabulary = options.whole("width", 64), options.whole("vocabulary", 10000)
    heads, layers = options.whole("heads", 4), options.whole("layers", 2)
    body = [transformer_layer(width, heads, 4 * width, True, False) for _ in range(layers)]
    embedding = TokenEmbedding(vocabulary, options.whole("tokens", 200), width, False)
    return nn.Sequential(embedding, *body, nn.Linear(width, vocabulary))


class LanguageModel(nn.Module):
    """Embedding, LSTM, linear layer over the vocabulary."""

    def __init__(self, vocabulary: int, width: int, layers: int, both_ways: bool):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.recurrent = nn.LSTM(width, width, layers, batch_first=True, bidirectional=both_ways)
        self.out = nn.Linear(width * (2 if both_ways else 1), vocabulary)

    def forward(self, tokens):
        return self.out(self.recurrent(self.embedding(tokens))[0])


def lstm(options: Options) -> nn.Module:
    width, layers = options.whole("width", 512), options.whole("layers", 2)
    return LanguageModel(options.whole("vocabulary", 10000), width, layers, options.get("directions") == "2")


class VisionTransformer(nn.Module):
    def __init__(self, image: int, width: int, layers: int, heads: int, classes: int):
        super().__init__()
        self.patches = nn.Conv2d(3, width, 16, 16)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.position = nn.Parameter(torch.randn(1, (image // 16) ** 2 + 1, width) * 0.02)
        body = [transformer_layer(width, heads, 4 * width, False, True) for _ in range(layers)]
        self.body = nn.Sequential(*body, nn.LayerNorm(width), FirstToken(), nn.Linear(width, classes))

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.body(torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], 1) + self.position)


def vision_transformer(width: int, layers: int, heads: int) -> Callable[[Options], nn.Module]:
    def build(options: Options) -> nn.Module:
        return VisionTransformer(options.whole("image", 224), width, layers, heads, options.whole("classes", 1000))

    return build


# -- generators


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


BERT_VOCABULARY = 30522
GPT_VOCABULARY = 50257


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


# ---------------------------------------------------------------------------------------------
# Graphs: ONNX without weights
# ---------------------------------------------------------------------------------------------

LENGTH_DELIMITED = 2
MODEL_GRAPH, GRAPH_INITIALIZER = 7, 5
TENSOR_NAME, TENSOR_RAW_DATA, TENSOR_EXTERNAL_DATA, TENSOR_DATA_LOCATION = 8, 9, 13, 14
TENSOR_DATA_FIELDS = (4, 5, 6, 7, TENSOR_RAW_DATA, 10, 11)
SMALL_TENSOR_BYTES = 2048  # what a shape computation may need stays in the graph


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def write_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class WireField(NamedTuple):
    """One field of a protobuf message: its number, the whole of it, and its content."""

    number: int
    whole: memoryview
    content: memoryview


def wire_fields(data: memoryview) -> Iterator[WireField]:
    """The fields of a message [Protocol Buffers Encoding]."""
    at = 0
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            content = at
            _, at = read_varint(data, at)
        elif kind == LENGTH_DELIMITED:
            length, at = read_varint(data, at)
            content, at = at, at + length
        elif kind in (1, 5):
            content, at = at, at + (8 if kind == 1 else 4)
        else:
            raise ValueError(f"wire type {kind} at byte {start}")
        yield WireField(key >> 3, data[start:at], data[content:at])


def wire_message(number: int, content: bytes) -> bytes:
    return write_varint(number << 3 | LENGTH_DELIMITED) + write_varint(len(content)) + content


def without_weights(model: bytes) -> bytes:
    """The same ONNX model with its weights declared as lying in a file that nobody needs."""
    out = bytearray()
    for part in wire_fields(memoryview(model)):
        out += wire_message(MODEL_GRAPH, graph_without_weights(part.content)) if part.number == MODEL_GRAPH else part.whole
    return bytes(out)


def graph_without_weights(graph: memoryview) -> bytes:
    out = bytearray()
    for part in wire_fields(graph):
        if part.number == GRAPH_INITIALIZER and len(part.content) > SMALL_TENSOR_BYTES:
            out += wire_message(GRAPH_INITIALIZER, tensor_without_data(part.content))
        else:
            out += part.whole
    return bytes(out)


def tensor_without_data(tensor: memoryview) -> bytes:
    length = sum(len(part.content) for part in wire_fields(tensor) if part.number in TENSOR_DATA_FIELDS)
    kept = b"".join(bytes(p.whole) for p in wire_fields(tensor) if p.number not in (*TENSOR_DATA_FIELDS, 13, 14))
    entries = (("location", "weights.bin"), ("length", str(length)))
    external = b"".join(
        wire_message(TENSOR_EXTERNAL_DATA, wire_message(1, key.encode()) + wire_message(2, value.encode()))
        for key, value in entries
    )
    return kept + external + write_varint(TENSOR_DATA_LOCATION << 3) + write_varint(1)


def export_onnx(built: BuiltModel) -> bytes:
    """The model as the exporter writes it for inference, with a symbolic batch."""
    target = io.BytesIO()
    settings: dict[str, Any] = dict(
        input_names=["input"], output_names=["output"], dynamic_axes={"input": {0: "batch"}, "output": {0: "batch"}},
        opset_version=17,
    )  # fmt: skip
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        settings["dynamo"] = False  # the tracing exporter, which every release so far has
    with torch.no_grad():
        for tensor in itertools.chain(built.module.parameters(), built.module.buffers()):
            if tensor.is_floating_point():
                tensor.uniform_(0.5, 1.5)  # else the exporter stores tensors of equal value, such as zeros, once
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(built.module.eval(), (built.input.sample(2),), target, **settings)
    return target.getvalue()


def graph_file(spec: ModelSpec, implementation: str) -> str:
    return f"graphs/{spec.slug}.{implementation}.onnx.gz"


def write_graph(spec: ModelSpec, folder: Path) -> str:
    """Exports a model below a folder and returns the file's path relative to it."""
    built = build_model(spec, "cpu")
    name = graph_file(spec, built.implementation)
    content = gzip.compress(without_weights(export_onnx(built)), 9, mtime=0)
    write_whole(folder / name, content)
    return name


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that it is either there in full or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    draft.write_bytes(content)
    os.replace(draft, path)


# ---------------------------------------------------------------------------------------------
# Workers: one job, step by step
# ---------------------------------------------------------------------------------------------

STEPS_IN_FLIGHT = {"training": 2, "inference": 1}
FIRST_STEPS = 3


def monotonic() -> float:
    return time.clock_gettime(time.CLOCK_MONOTONIC)


class JobRunner:
    """A prepared job: ``step`` starts one step and returns how to wait for its end.

    Inference takes one request at a time: upload, forward pass, answer copied back. Training keeps
    two steps in flight, as a loop that reads its loss one step late does. fp16 and bf16 mean
    converted weights for inference and automatic mixed precision for training.
    """

    def __init__(self, job: Job, device: str):
        self.job, self.device = job, device
        self.half = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(job.precision)
        set_matrix_precision(job.precision)
        built = build_model(job.model, device)
        self.implementation = built.implementation
        self.module = built.module
        self.parameters = sum(p.numel() for p in built.module.parameters())
        self.answer_bytes: Optional[int] = None
        self.host = built.input.sample(job.batch_size, torch.Generator().manual_seed(1))
        self._prepare_training() if job.mode == "training" else self._prepare_inference()
        if device == "cuda":
            self.host = self.host.pin_memory()

    def _prepare_inference(self) -> None:
        self.module.eval().requires_grad_(False)
        if self.half:
            self.module.to(self.half)
            self.host = self.host.to(self.half) if self.host.is_floating_point() else self.host

    def _prepare_training(self) -> None:
        self.module.train()
        fused = {"foreach": True} if "foreach" in inspect.signature(torch.optim.SGD).parameters else {}
        if self.job.model.family in ("bert", "gpt", "vit", "transformer", "convnext"):
            self.optimizer: torch.optim.Optimizer = torch.optim.AdamW(self.module.parameters(), 1e-4)
        else:
            self.optimizer = torch.optim.SGD(self.module.parameters(), 1e-3, momentum=0.9, **fused)
        self.scaler = gradient_scaler(self.device, self.job.precision == "fp16" and self.device == "cuda")
        self.targets: Optional[torch.Tensor] = None

    def step(self) -> Callable[[], None]:
        return self._training_step() if self.job.mode == "training" else self._inference_step()

    def _inference_step(self) -> Callable[[], None]:
        with torch.inference_mode():
            answer = self.module(self.host.to(self.device, non_blocking=True))
            answer = answer[:, -1] if answer.dim() == 3 else answer
            self.answer_bytes = answer.numel() * answer.element_size()
            answer.to("cpu")  # waits for the device
        return lambda: None

    def _training_step(self) -> Callable[[], None]:
        batch = self.host.to(self.device, non_blocking=True)
        self.optimizer.zero_grad(set_to_none=True)
        with mixed_precision(self.device, self.half):
            outputs = self.module(batch)
        loss = self._loss(outputs.float())
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        if self.device != "cuda":
            return lambda: None
        end = torch.cuda.Event()
        end.record()
        return end.synchronize

    def _loss(self, outputs: torch.Tensor) -> torch.Tensor:
        """Cross entropy over the classes; over the last axis for sequences; binary for one class."""
        if outputs.dim() == 3:
            outputs = outputs.flatten(0, 1)
        if outputs.shape[1] == 1:
            return F.binary_cross_entropy_with_logits(outputs, torch.ones_like(outputs))
        if self.targets is None:
            shape = (outputs.shape[0], *outputs.shape[2:])
            self.targets = torch.randint(outputs.shape[1], shape, device=outputs.device)
        return F.cross_entropy(outputs, self.targets)


def set_matrix_precision(precision: str) -> None:
    """TF32 for tf32 and for what mixed precision leaves in 32 bits; true fp32 for fp32."""
    torch.backends.cuda.matmul.allow_tf32 = precision != "fp32"
    torch.backends.cudnn.allow_tf32 = precision != "fp32"


def mixed_precision(device: str, half: Optional[torch.dtype]):
    if half is None:
        return contextlib.nullcontext()
    return torch.autocast(device, dtype=half)


def gradient_scaler(device: str, enabled: bool):
    if hasattr(torch.amp, "GradScaler"):
        return torch.amp.GradScaler(device, enabled=enabled)
    return torch.cuda.amp.GradScaler(enabled=enabled)


class Step(NamedTuple):
    """When a step was asked for, begun and done, in seconds of the monotonic clock."""

    arrived: float
    begun: float
    done: float


@dataclass(frozen=True)
class Window:
    """The time in which steps count. They run from now on, and on until enough have counted."""

    begin: float
    end: float
    least_steps: int = 1
    latest_end: float = 0.0


def run_steps(runner: JobRunner, window: Window, arrivals: Optional[Iterator[float]] = None) -> list[Step]:
    """Runs steps until the window is over; in a closed loop unless arrivals are given."""
    depth = STEPS_IN_FLIGHT[runner.job.mode]
    done: list[Step] = []
    flying: collections.deque = collections.deque()
    arrived = monotonic()
    while not is_over(window, done):
        arrived = next(arrivals) if arrivals else monotonic()
        sleep_until(arrived)
        flying.append((arrived, monotonic(), runner.step()))
        if len(flying) >= depth:
            done.append(land(flying.popleft()))
    done.extend(land(step) for step in flying)
    return done


def land(step: tuple[float, float, Callable[[], None]]) -> Step:
    arrived, begun, wait = step
    wait()
    return Step(arrived, begun, monotonic())


def is_over(window: Window, done: list[Step]) -> bool:
    now = monotonic()
    counted = sum(step.begun >= window.begin for step in done[-window.least_steps :])
    return now >= window.end and (counted >= window.least_steps or now >= window.latest_end)


def sleep_until(moment: float) -> None:
    wait = moment - monotonic()
    if wait > 0:
        time.sleep(wait)


def poisson_arrivals(rate: float, begin: float, seed: int) -> Iterator[float]:
    generator = random.Random(seed)
    moment = begin
    while True:
        moment += generator.expovariate(rate)
        yield moment


def quantile(values: Sequence[float], share: float) -> Optional[float]:
    """The smallest value that at least this share of the values does not exceed."""
    if not values:
        return None
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def mean(values: Sequence[float]) -> Optional[float]:
    return math.fsum(values) / len(values) if values else None


def step_figures(steps: Sequence[Step], window: Window, batch_size: int) -> dict[str, Any]:
    """What the steps inside a window say.

    A step's own time starts when it began or when its predecessor was done, whichever is later, so
    that steps that overlap in flight are not counted twice.
    """
    inside: list[Step] = []
    times: list[float] = []
    for before, step in zip([None, *steps[:-1]], steps):
        if step.begun >= window.begin and (step.done <= window.end or window.least_steps > 1):
            inside.append(step)
            times.append(step.done - max(step.begun, before.done if before else step.begun))
    end = max([window.end, *(step.done for step in inside)]) if window.least_steps > 1 else window.end
    latencies = [step.done - step.arrived for step in inside]
    return {
        "begin": window.begin,
        "end": end,
        "window_seconds": end - window.begin,
        "steps": len(inside),
        "step_mean_seconds": mean(times),
        "step_p50_seconds": quantile(times, 0.5),
        "step_p99_seconds": quantile(times, 0.99),
        "latency_p50_seconds": quantile(latencies, 0.5),
        "latency_p99_seconds": quantile(latencies, 0.99),
        "throughput_per_second": len(inside) * batch_size / (end - window.begin),
    }


class Span(NamedTuple):
    begin_seconds: float
    end_seconds: float


def kernel_figures(spans: Sequence[Span]) -> dict[str, Any]:
    """Count, mean time, and mean pause between one kernel's end and the next one's begin."""
    ordered = sorted(spans)
    pauses, reached = [], None
    for span in ordered:
        if reached is not None:
            pauses.append(max(0.0, span.begin_seconds - reached))
        reached = span.end_seconds if reached is None else max(reached, span.end_seconds)
    times = [span.end_seconds - span.begin_seconds for span in ordered]
    return {
        "kernels": len(ordered),
        "kernel_mean_seconds": mean(times),
        "kernel_pause_mean_seconds": mean(pauses),
        "active_seconds": math.fsum(times),
    }


def kernel_spans(events: Iterable[Any], device: str) -> list[Span]:
    """The kernels among a profiler's events; on the CPU, the operators that call no others."""
    return [
        Span(event.time_range.start * 1e-6, event.time_range.end * 1e-6)
        for event in events
        if (is_kernel(event) if device == "cuda" else not event.cpu_children)
    ]


def is_kernel(event: Any) -> bool:
    if "CUDA" not in str(event.device_type) or getattr(event, "is_user_annotation", False):
        return False
    return not event.name.startswith(("Memcpy", "Memset", "Optimizer.", "ProfilerStep", "##"))


def profile_kernels(runner: JobRunner, device: str) -> dict[str, Any]:
    from torch.profiler import ProfilerActivity, profile

    device_only, both = [ProfilerActivity.CUDA], [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    for activities in (device_only, both) if device == "cuda" else ([ProfilerActivity.CPU],):
        synchronize(device)
        with profile(activities=activities) as profiler:
            runner.step()()
            synchronize(device)
        spans = kernel_spans(profiler.events(), device)
        if spans:
            return kernel_figures(spans)
    raise RuntimeError("the profiler saw no kernels")


def synchronize(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


class WorkerService:
    """Answers requests, one JSON object a line, until its input ends."""

    def __init__(self, device: str):
        self.device = device
        self.runner: Optional[JobRunner] = None
        self.requests: dict[str, Callable[..., dict[str, Any]]] = {
            "describe": self.describe,
            "prepare": self.prepare,
            "run": self.run,
            "kernels": self.kernels,
            "counters": self.counters,
            "transfers": self.transfers,
            "export": self.export,
            "release": self.release,
        }

    def answer(self, line: str) -> dict[str, Any]:
        """Whatever goes wrong is an answer too: this is the edge of the process."""
        number = None
        try:
            request = json.loads(line)
            number = request.pop("number", None)
            return {"number": number, "ok": self.requests[request.pop("do")](**request)}
        except Exception as error:  # noqa: BLE001
            failure = describe_failure(error)
        self.release_quietly()  # only now do the failed frames no longer hold tensors
        return {"number": number, "failure": failure}

    def describe(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "torchvision": getattr(torchvision, "__version__", None),
        }
        if self.device == "cuda":
            properties = torch.cuda.get_device_properties(0)
            torch.empty(1, device="cuda")
            found.update(
                device_name=properties.name,
                visible_multiprocessors=properties.multi_processor_count,
                cuda=torch.version.cuda,
                cudnn=torch.backends.cudnn.version(),
                l2_bytes=getattr(properties, "L2_cache_size", None),
            )
        return found

    def prepare(self, job: str) -> dict[str, Any]:
        self.release()
        if self.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        self.runner = runner = JobRunner(Job.parse(job), self.device)
        for _ in range(FIRST_STEPS):
            runner.step()()
        times: list[float] = []
        while not times or (len(times) < 20 and math.fsum(times) < 0.2):
            begun = monotonic()
            runner.step()()
            times.append(monotonic() - begun)
        return {
            "implementation": runner.implementation,
            "parameters": runner.parameters,
            "step_seconds": quantile(times, 0.5),
            "input_bytes": runner.host.numel() * runner.host.element_size(),
            "output_bytes": runner.answer_bytes,
        }

    def run(self, begin: float, end: float, least_steps: int = 1, latest_end: float = 0.0, rate: float = 0.0, seed: int = 1):
        runner = self._runner()
        window = Window(begin, end, least_steps, latest_end)
        arrivals = poisson_arrivals(rate, monotonic(), seed) if rate else None
        figures = step_figures(run_steps(runner, window, arrivals), window, runner.job.batch_size)
        if self.device == "cuda":
            figures["allocator_peak_bytes"] = torch.cuda.max_memory_allocated()
            figures["allocator_reserved_bytes"] = torch.cuda.max_memory_reserved()
        return figures

    def kernels(self) -> dict[str, Any]:
        return profile_kernels(self._runner(), self.device)

    def counters(self) -> dict[str, Any]:
        """One step between the profiler's start and stop marks, for a counter tool around us."""
        runner = self._runner()
        synchronize(self.device)
        torch.cuda.cudart().cudaProfilerStart()
        runner.step()()
        synchronize(self.device)
        torch.cuda.cudart().cudaProfilerStop()
        return {}

    def transfers(self, size_bytes: int, repeats: int = 20) -> dict[str, Any]:
        """Median seconds to move so many bytes to the device and back, from pinned memory."""
        here = torch.zeros(size_bytes, dtype=torch.uint8)
        here = here.pin_memory() if self.device == "cuda" else here
        there = torch.empty_like(here, device=self.device)
        return {
            "upload_seconds": quantile([self._timed(there, here) for _ in range(repeats)], 0.5),
            "download_seconds": quantile([self._timed(here, there) for _ in range(repeats)], 0.5),
        }

    def _timed(self, target: torch.Tensor, source: torch.Tensor) -> float:
        synchronize(self.device)
        begun = monotonic()
        target.copy_(source, non_blocking=True)
        synchronize(self.device)
        return monotonic() - begun

    def export(self, model: str, folder: str) -> dict[str, Any]:
        return {"graph": write_graph(ModelSpec.parse(model), Path(folder))}

    def release(self) -> dict[str, Any]:
        self.runner = None
        gc.collect()
        if self.device == "cuda":
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
        return {}

    def release_quietly(self) -> None:
        """After a failure; a context that is broken for good is told by the failure itself."""
        with contextlib.suppress(RuntimeError):
            self.release()

    def _runner(self) -> JobRunner:
        if self.runner is None:
            raise RuntimeError("no job is prepared")
        return self.runner


def describe_failure(error: BaseException) -> dict[str, str]:
    message = " ".join(str(error).split()) or type(error).__name__
    return {"status": failure_status(error, message), "message": f"{type(error).__name__}: {message}"[:300]}


def failure_status(error: BaseException, message: str) -> str:
    memory = ("out of memory", "not enough memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")
    if isinstance(error, MemoryError) or any(text in message for text in memory):
        return "out-of-memory"
    unsupported = ("not implemented for", "not supported", "unsupported", "could not create a primitive")
    if any(text in message for text in unsupported):
        return "unsupported"
    return "broken-device" if "CUDA error" in message or "CUDNN_STATUS" in message else "error"


def serve(device: str) -> int:
    """The main loop of a worker; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if device == "cpu":
        torch.set_num_threads(1)
    service = WorkerService(device)
    for line in sys.stdin:
        print(json.dumps(service.answer(line)), file=answers, flush=True)
    return 0


# ---------------------------------------------------------------------------------------------
# Devices: what their counters say
# ---------------------------------------------------------------------------------------------


class Reading(NamedTuple):
    """One look at the device's counters; None where a counter is not supported."""

    seconds: float
    utilization_percent: Optional[float]
    memory_utilization_percent: Optional[float]
    used_memory_bytes: Optional[int]
    power_watts: Optional[float]
    sm_clock_megahertz: Optional[float]


@dataclass(frozen=True)
class DeviceFacts:
    """What does not change while we measure."""

    product: str
    memory_bytes: int
    driver: Optional[str] = None
    power_limit_watts: Optional[float] = None
    max_sm_clock_megahertz: Optional[float] = None
    mig_enabled: bool = False


class DeviceError(RuntimeError):
    """The device, or the library that reads its counters, is not there."""


class NvmlMemory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class NvmlUtilization(ctypes.Structure):
    _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]


def nvml_library() -> Any:
    """NVML by ctypes, else the library that an installed pynvml finds."""
    for name in ("libnvidia-ml.so.1", "libnvidia-ml.so"):
        with contextlib.suppress(OSError):
            return ctypes.CDLL(name)
    try:
        import pynvml

        pynvml.nvmlInit()
        return pynvml.nvmlLib
    except Exception as error:  # noqa: BLE001  pynvml has its own hierarchy, and it may be absent
        raise DeviceError(f"NVML cannot be loaded (libnvidia-ml.so.1, pynvml): {error}") from error


class NvmlDevice:
    """One GPU as NVML sees it; reads only. A counter that is not supported reads as None."""

    GRAPHICS_CLOCK_SM = 1

    def __init__(self, library: Any, index: int):
        self.library = library
        self.handle = ctypes.c_void_p()
        code = library.nvmlInit_v2()
        if code:
            raise DeviceError(f"NVML does not start: error {code}")
        code = library.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(self.handle))
        if code:
            raise DeviceError(f"GPU {index} is not there: NVML error {code}")

    def _get(self, function: str, *arguments: Any) -> bool:
        call = getattr(self.library, function, None)
        return call is not None and call(self.handle, *arguments) == 0

    def _number(self, function: str, *arguments: Any) -> Optional[int]:
        value = ctypes.c_uint()
        return value.value if self._get(function, *arguments, ctypes.byref(value)) else None

    def read(self) -> Reading:
        utilization, memory = NvmlUtilization(), NvmlMemory()
        has_utilization = self._get("nvmlDeviceGetUtilizationRates", ctypes.byref(utilization))
        has_memory = self._get("nvmlDeviceGetMemoryInfo", ctypes.byref(memory))
        milliwatts = self._number("nvmlDeviceGetPowerUsage")
        return Reading(
            monotonic(),
            float(utilization.gpu) if has_utilization else None,
            float(utilization.memory) if has_utilization else None,
            memory.used if has_memory else None,
            milliwatts / 1000 if milliwatts is not None else None,
            self._number("nvmlDeviceGetClockInfo", self.GRAPHICS_CLOCK_SM),
        )

    def facts(self) -> DeviceFacts:
        name, driver, memory = ctypes.create_string_buffer(96), ctypes.create_string_buffer(96), NvmlMemory()
        self._get("nvmlDeviceGetName", name, 96)
        self.library.nvmlSystemGetDriverVersion(driver, 96)
        self._get("nvmlDeviceGetMemoryInfo", ctypes.byref(memory))
        limit = self._number("nvmlDeviceGetEnforcedPowerLimit")
        mig, pending = ctypes.c_uint(), ctypes.c_uint()
        has_mig = self._get("nvmlDeviceGetMigMode", ctypes.byref(mig), ctypes.byref(pending))
        return DeviceFacts(
            name.value.decode(errors="replace") or "unknown",
            memory.total,
            driver.value.decode(errors="replace") or None,
            limit / 1000 if limit is not None else None,
            self._number("nvmlDeviceGetMaxClockInfo", self.GRAPHICS_CLOCK_SM),
            has_mig and mig.value == 1,
        )


class CpuStandIn:
    """Stands in for a GPU where there is none: the CPU time and memory of the worker processes.

    It has no memory utilization, power or clock, so the path of counters that are not supported is
    walked too.
    """

    SPAN_SECONDS = 0.1

    def __init__(self, process_ids: Callable[[], Iterable[int]]):
        self.process_ids = process_ids
        self.history: collections.deque = collections.deque()
        self.ticks_per_second = os.sysconf("SC_CLK_TCK")
        self.page_bytes = os.sysconf("SC_PAGE_SIZE")

    def read(self) -> Reading:
        now, ticks, pages = monotonic(), 0, 0
        for process_id in self.process_ids():
            with contextlib.suppress(OSError, IndexError, ValueError):
                cells = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
                ticks += int(cells[11]) + int(cells[12])
                pages += int(cells[21])
        self.history.append((now, ticks))
        while len(self.history) > 2 and self.history[1][0] <= now - self.SPAN_SECONDS:
            self.history.popleft()
        then, before = self.history[0]
        busy = (ticks - before) / self.ticks_per_second / (now - then) if now > then else 0.0
        return Reading(now, min(100.0, max(0.0, 100 * busy)), None, pages * self.page_bytes, None, None)

    def facts(self) -> DeviceFacts:
        memory = os.sysconf("SC_PHYS_PAGES") * self.page_bytes
        return DeviceFacts("fake GPU: worker processes on the CPU", memory)


def product(pattern: str, name: str, least_gib: int = 0, most_gib: int = 1024) -> tuple[str, int, int, str]:
    return pattern, least_gib, most_gib, name


# The catalogue's ids; where it means one form factor only, the others keep their product's name.
CATALOGUE = (
    product(r"^fake GPU", "fake-gpu"),
    product(r"Tesla K80", "k80"),
    product(r"P100-PCIE", "p100-16gb", 14),
    product(r"V100-SXM2", "v100-16gb", 0, 20),
    product(r"V100-SXM2", "v100-32gb", 21),
    product(r"\bT4\b", "t4"),
    product(r"GTX 1080$", "rtx-1080"),
    product(r"RTX 2080 Ti$", "rtx-2080ti"),
    product(r"RTX 2080$", "rtx-2080"),
    product(r"RTX 3080$", "rtx-3080", 0, 10),
    product(r"RTX 3090$", "rtx-3090"),
    product(r"\bA10$", "a10"),
    product(r"A100-SXM4", "a100-40gb", 0, 45),
    product(r"A100-SXM4", "a100-80gb", 46),
    product(r"\bL4$", "l4"),
    product(r"\bL40S$", "l40s"),
    product(r"H100 80GB HBM3", "h100-80gb"),
    product(r"\bH200$", "h200-141gb"),
    product(r"\bB200$", "b200"),
)


def device_id(facts: DeviceFacts) -> str:
    """The device's id in the project's catalogue, else one made of its product name."""
    gib = facts.memory_bytes / (1 << 30)
    for pattern, least, most, name in CATALOGUE:
        if re.search(pattern, facts.product) and least <= gib <= most + 1 and not facts.mig_enabled:
            return name
    made = re.sub(r"[^a-z0-9]+", "-", facts.product.lower()).strip("-") or "unknown"
    return f"{made}-mig" if facts.mig_enabled else made


class Sampler(threading.Thread):
    """Reads the device at a steady pace, in the supervisor, so that no worker is disturbed."""

    def __init__(self, device: Any, period_seconds: float):
        super().__init__(daemon=True)
        self.device, self.period = device, period_seconds
        self.readings: collections.deque = collections.deque(maxlen=int(3600 / period_seconds))
        self.stopped = threading.Event()

    def run(self) -> None:
        due = monotonic()
        while not self.stopped.is_set():
            self.readings.append(self.device.read())
            due = max(due + self.period, monotonic())
            self.stopped.wait(max(0.0, due - monotonic()))

    def stop(self) -> None:
        self.stopped.set()
        if self.is_alive():
            self.join(timeout=5)

    def between(self, begin: float, end: float) -> list[Reading]:
        return [reading for reading in list(self.readings) if begin <= reading.seconds <= end]


class TimedValue(NamedTuple):
    value: float
    seconds: float


def timed_values(readings: Sequence[Reading], end: float, counter: str) -> list[TimedValue]:
    """Each reading of a counter with how long it held: until the next one, the last until the end."""
    ends = [reading.seconds for reading in readings[1:]] + [end]
    pairs = ((getattr(reading, counter), until - reading.seconds) for reading, until in zip(readings, ends))
    return [TimedValue(float(value), max(0.0, held)) for value, held in pairs if value is not None]


def weighted_mean(values: Sequence[TimedValue]) -> Optional[float]:
    total = math.fsum(item.seconds for item in values)
    return math.fsum(item.value * item.seconds for item in values) / total if total > 0 else None


def weighted_quantile(values: Sequence[TimedValue], share: float) -> Optional[float]:
    """The smallest value that the counter did not exceed for at least this share of the time."""
    total = math.fsum(item.seconds for item in values)
    passed = 0.0
    for item in sorted(values):
        passed += item.seconds
        if total > 0 and passed >= share * total * (1 - 1e-12):
            return item.value
    return None


def series_figures(readings: Sequence[Reading], end: float) -> dict[str, Any]:
    """What the device's counters say about a window."""
    utilization = timed_values(readings, end, "utilization_percent")
    return {
        "samples": len(readings),
        "utilization_mean_percent": weighted_mean(utilization),
        "utilization_p50_percent": weighted_quantile(utilization, 0.5),
        "utilization_p95_percent": weighted_quantile(utilization, 0.95),
        "memory_utilization_mean_percent": weighted_mean(timed_values(readings, end, "memory_utilization_percent")),
        "power_mean_watts": weighted_mean(timed_values(readings, end, "power_watts")),
        "sm_clock_mean_megahertz": weighted_mean(timed_values(readings, end, "sm_clock_megahertz")),
    }


def peak_used(readings: Sequence[Reading]) -> Optional[int]:
    return max((r.used_memory_bytes for r in readings if r.used_memory_bytes is not None), default=None)


# ---------------------------------------------------------------------------------------------
# The supervisor's tools: workers, MPS, files, time
# ---------------------------------------------------------------------------------------------


class PointFailure(Exception):
    """Why a point has no measurement; becomes the status and the message of its row."""

    def __init__(self, status: str, message: str):
        super().__init__(message)
        self.status, self.message = status, message


class BudgetOver(Exception):
    """The time was over in the middle of a point, which is therefore left for the next run."""


class Worker:
    """A worker process and the two pipes to it."""

    def __init__(self, device: str, environment: dict[str, str]):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, os.path.abspath(__file__), "worker", device],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={**os.environ, **environment}, start_new_session=True,
        )  # fmt: skip
        self.answers: queue.Queue = queue.Queue()
        self.sent = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        for line in self.process.stdout or ():
            self.answers.put(line)
        self.answers.put(None)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def send(self, do: str, **arguments: Any) -> None:
        self.sent += 1
        try:
            print(json.dumps({"number": self.sent, "do": do, **arguments}), file=self.process.stdin, flush=True)
        except OSError as error:
            raise PointFailure("error", f"the worker is gone ({self.last_words()}): {error}") from error

    def receive(self, timeout_seconds: float) -> dict[str, Any]:
        """The answer to the last request; a worker that is late or broken for good is ended."""
        end = monotonic() + timeout_seconds
        answer: dict[str, Any] = {}
        while answer.get("number") != self.sent:  # what a failed point has left unread is skipped
            answer = self._next_answer(max(0.1, end - monotonic()), timeout_seconds)
        if "failure" not in answer:
            return answer["ok"]
        if answer["failure"]["status"] == "broken-device":
            self.kill()
        raise PointFailure(**answer["failure"])

    def _next_answer(self, wait_seconds: float, timeout_seconds: float) -> dict[str, Any]:
        try:
            line = self.answers.get(timeout=wait_seconds)
        except queue.Empty:
            self.kill()
            raise PointFailure("timeout", f"no answer within {timeout_seconds:.0f} s") from None
        if line is None:
            self.process.wait(timeout=10)
            raise PointFailure("error", f"the worker ended with {self.process.returncode}: {self.last_words()}")
        return json.loads(line)

    def ask(self, timeout_seconds: float, do: str, **arguments: Any) -> dict[str, Any]:
        self.send(do, **arguments)
        return self.receive(timeout_seconds)

    def last_words(self) -> str:
        self.log.seek(max(0, self.log.seek(0, os.SEEK_END) - 300))
        return " ".join(self.log.read().decode(errors="replace").split()) or "it said nothing"

    def kill(self) -> None:
        if self.alive:
            self.process.kill()
        self.process.wait(timeout=30)

    def close(self) -> None:
        """Lets the worker end by itself, so that its memory is given back in order."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=8)
        except subprocess.TimeoutExpired:
            self.kill()
        self.log.close()


class MpsDaemon:
    """CUDA's multi-process service under a folder of our own; nothing else on the machine sees it."""

    CONTROL = "nvidia-cuda-mps-control"

    def __init__(self, folder: Path):
        self.environment = {
            "CUDA_MPS_PIPE_DIRECTORY": str(folder / "pipe"),
            "CUDA_MPS_LOG_DIRECTORY": str(folder / "log"),
        }
        for path in self.environment.values():
            Path(path).mkdir(parents=True, exist_ok=True)

    def start(self) -> Optional[str]:
        """Starts the daemon; says why where it cannot."""
        if shutil.which(self.CONTROL) is None:
            return f"{self.CONTROL} is not installed"
        try:
            self._control(["-d"], "")
        except (OSError, subprocess.SubprocessError) as error:
            return f"{self.CONTROL} does not start: {error}"
        return None

    def stop(self) -> None:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            self._control([], "quit\n")

    def _control(self, arguments: list[str], text: str) -> None:
        subprocess.run(
            [self.CONTROL, *arguments], input=text, text=True, check=True, timeout=20, capture_output=True,
            env={**os.environ, **self.environment},
        )  # fmt: skip

    def worker_environment(self, share: int) -> dict[str, str]:
        return {**self.environment, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE": str(share)}


class RowFile:
    """A CSV file that grows by whole rows; each is on disk before the next point starts."""

    def __init__(self, path: Path, row_type: type):
        self.path = path
        self.columns = [item.name for item in dataclasses.fields(row_type)]
        path.parent.mkdir(parents=True, exist_ok=True)
        self._drop_torn_line()
        if not path.exists() or path.stat().st_size == 0:
            self._append(self.columns)
        elif self._header() != self.columns:
            raise DeviceError(f"{path}:1: was written by another version; name another folder with --out")

    def _header(self) -> list[str]:
        with self.path.open(newline="", encoding="utf-8") as stream:
            return next(csv.reader(stream), [])

    def _drop_torn_line(self) -> None:
        """A run that was killed while writing leaves the beginning of a line."""
        if self.path.exists():
            content = self.path.read_bytes()
            if content and not content.endswith(b"\n"):
                os.truncate(self.path, content.rfind(b"\n") + 1)

    def rows(self) -> list[dict[str, str]]:
        with self.path.open(newline="", encoding="utf-8") as stream:
            return list(csv.DictReader(stream))

    def append(self, *rows: Any) -> None:
        self._append(*([cell(getattr(row, name)) for name in self.columns] for row in rows))

    def _append(self, *lines: Sequence[str]) -> None:
        with self.path.open("a", newline="", encoding="utf-8") as stream:
            csv.writer(stream, lineterminator="\n").writerows(lines)
            stream.flush()
            os.fsync(stream.fileno())


def cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


class Budget:
    """How much time there is, and how long a point takes by what points took so far."""

    def __init__(self, seconds: Optional[float], first_guess: float):
        self.begun = monotonic()
        self.end = math.inf if seconds is None else self.begun + seconds
        self.guess = first_guess

    @property
    def left(self) -> float:
        return self.end - monotonic()

    @property
    def used(self) -> float:
        return monotonic() - self.begun

    def has_room(self) -> bool:
        return self.left >= self.guess

    def learn(self, took: float) -> None:
        self.guess = 0.7 * self.guess + 0.3 * took


@dataclass(frozen=True)
class Settings:
    """How runs are done; the device sheet repeats them."""

    out: Path
    gpu: int
    fake: bool
    window_seconds: float
    settle_seconds: float
    sample_seconds: float
    point_seconds: float
    seed: int
    retry_errors: bool
    use_mps: bool
    count_kernels: bool
    device_name: Optional[str] = None

    @property
    def device(self) -> str:
        return "cpu" if self.fake else "cuda"


class WorkerKey(NamedTuple):
    """Which worker: its number among those that run together, and its share under MPS, if any."""

    number: int = 0
    share_percent: Optional[int] = None


FIRST_WORKER = WorkerKey()


class Bench:
    """The device, its sampler and the workers of one session."""

    def __init__(self, settings: Settings, budget: Budget):
        self.settings, self.budget = settings, budget
        self.session = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        self.exporter: Optional[Worker] = None
        self.workers: dict[WorkerKey, Worker] = {}  # the one used last stands last
        self.mps: Optional[MpsDaemon] = None
        self.mps_objection = "not asked for"
        self.scratch: Optional[Path] = None
        counters = CpuStandIn(self._process_ids) if settings.fake else NvmlDevice(nvml_library(), settings.gpu)
        self.facts = counters.facts()
        self.device_id = settings.device_name or device_id(self.facts)
        self.sampler = Sampler(counters, settings.sample_seconds)
        self.sampler.start()
        self.idle = self._idle_readings()
        self.baseline_bytes = 0 if settings.fake else peak_used(self.idle)

    def _process_ids(self) -> list[int]:
        return [worker.process.pid for worker in list(self.workers.values())]

    def _idle_readings(self) -> list[Reading]:
        begun = monotonic()
        time.sleep(max(0.2, self.settings.settle_seconds))
        return self.sampler.between(begun, monotonic())

    def worker(self, key: WorkerKey = FIRST_WORKER) -> Worker:
        """The worker of this key, started where there is none or it has ended."""
        found = self.workers.pop(key, None)
        if found is None or not found.alive:
            share = self.mps.worker_environment(key.share_percent) if self.mps and key.share_percent else {}
            found = Worker(self.settings.device, {**self._visible_device(), **share})
        self.workers[key] = found
        return found

    def _visible_device(self) -> dict[str, str]:
        return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": str(self.settings.gpu)}

    def make_room(self, keys: Sequence[WorkerKey]) -> None:
        """Ends the workers that were idle longest: each holds a context, starting one takes seconds."""
        for key in [key for key, worker in self.workers.items() if not worker.alive]:
            self.workers.pop(key).close()
        most = 8 if self.facts.memory_bytes > 30 * 1024 * MIB else 4
        idle = [key for key in self.workers if key not in keys]
        surplus = max(0, len(idle) + len(keys) - most)
        self.close_workers(keep=[*keys, *idle[surplus:]])

    def close_workers(self, keep: Iterable[WorkerKey] = ()) -> None:
        kept = set(keep)
        for key in [key for key in self.workers if key not in kept]:
            self.workers.pop(key).close()

    def start_mps(self) -> None:
        """Tries MPS with a worker of half a device: it must see about half of the multiprocessors."""
        if not self.settings.use_mps or self.settings.fake:
            self.mps_objection = "a fake GPU has none" if self.settings.fake else "switched off by --no-mps"
            return
        self.scratch = Path(tempfile.mkdtemp(prefix="collector-"))
        daemon = MpsDaemon(self.scratch)
        self.mps_objection = daemon.start() or ""
        if self.mps_objection:
            return
        try:
            whole = self._multiprocessors(daemon, 100)
            half = self._multiprocessors(daemon, 50)
        except PointFailure as failure:
            self.mps_objection = f"a worker under MPS fails: {failure.message}"
        else:
            if half >= whole:
                self.mps_objection = f"a share of 50 % still sees {half} of {whole} multiprocessors"
        if self.mps_objection:
            daemon.stop()
        else:
            self.mps = daemon

    def _multiprocessors(self, daemon: MpsDaemon, share: int) -> int:
        worker = Worker("cuda", {**self._visible_device(), **daemon.worker_environment(share)})
        try:
            return worker.ask(60, "describe")["visible_multiprocessors"]
        finally:
            worker.close()

    def close(self) -> None:
        self.close_workers()
        if self.exporter:
            self.exporter.close()
        if self.mps:
            self.mps.stop()
        self.sampler.stop()
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def timeout(self) -> float:
        return min(self.settings.point_seconds, max(1.0, self.budget.left))

    def above_baseline(self, used_bytes: Optional[int]) -> Optional[int]:
        """What is used beyond the idle device; not known where either is not."""
        if used_bytes is None or self.baseline_bytes is None:
            return None
        return max(0, used_bytes - self.baseline_bytes)

    def record(self, file: "RowFile", rows: Sequence[Any]) -> None:
        """Appends a point's rows, unless it was the budget that ended the point."""
        if self.budget.left <= 1.0 and any(row.status == "timeout" for row in rows):
            raise BudgetOver
        file.append(*rows)


def say(text: str) -> None:
    print(text, flush=True)


def measure_points(bench: Bench, points: Sequence[Any], measure: Callable[[Any], str]) -> int:
    """Measures one point after the other while there is time; the number of points that were left."""
    for number, point in enumerate(points):
        if not bench.budget.has_room():
            say(f"budget used: {len(points) - number} of {len(points)} points are left for the next run")
            return len(points) - number
        begun = monotonic()
        try:
            outcome = measure(point)
        except BudgetOver:
            say(f"budget used during {point}: {len(points) - number} of {len(points)} points are left")
            return len(points) - number
        bench.budget.learn(monotonic() - begun)
        say(f"[{number + 1}/{len(points)}] {bench.budget.used:.0f} s  {point}  {outcome}")
    return 0


def pending(entries: Sequence[Any], rows: RowFile, column: str, retry_errors: bool) -> list:
    """The entries that have no row yet; with retries, those too whose rows all tell of an error."""
    final = {row[column] for row in rows.rows() if not (retry_errors and row["status"] in ("error", "timeout"))}
    return [entry for entry in entries if str(entry) not in final]


# ---------------------------------------------------------------------------------------------
# solo
# ---------------------------------------------------------------------------------------------


@dataclass
class SoloRow:
    """One job alone on the device. Empty cells were not measured."""

    session: str
    device: str
    job: str
    model: str
    family: str
    batch_size: int
    mode: str
    precision: str
    arrival: str
    status: str = "ok"
    message: str = ""
    implementation: Optional[str] = None
    graph: Optional[str] = None
    parameters: Optional[int] = None
    arrival_rate_per_second: Optional[float] = None
    window_seconds: Optional[float] = None
    steps: Optional[int] = None
    samples: Optional[int] = None
    step_mean_seconds: Optional[float] = None
    step_p50_seconds: Optional[float] = None
    step_p99_seconds: Optional[float] = None
    latency_p50_seconds: Optional[float] = None
    latency_p99_seconds: Optional[float] = None
    throughput_per_second: Optional[float] = None
    utilization_mean_percent: Optional[float] = None
    utilization_p50_percent: Optional[float] = None
    utilization_p95_percent: Optional[float] = None
    memory_utilization_mean_percent: Optional[float] = None
    power_mean_watts: Optional[float] = None
    sm_clock_mean_megahertz: Optional[float] = None
    peak_memory_bytes: Optional[int] = None
    device_peak_bytes: Optional[int] = None
    device_baseline_bytes: Optional[int] = None
    device_before_bytes: Optional[int] = None
    allocator_peak_bytes: Optional[int] = None
    allocator_reserved_bytes: Optional[int] = None
    kernels: Optional[int] = None
    kernel_mean_seconds: Optional[float] = None
    kernel_pause_mean_seconds: Optional[float] = None
    active_seconds: Optional[float] = None

    @staticmethod
    def of(bench: Bench, job: Job) -> "SoloRow":
        return SoloRow(
            bench.session, bench.device_id, str(job), str(job.model), job.model.family, job.batch_size, job.mode,
            job.precision, job.arrival,
        )  # fmt: skip


def fill(row: Any, figures: dict[str, Any]) -> None:
    """Takes over the figures that the row has columns for."""
    for name in {item.name for item in dataclasses.fields(row)} & figures.keys():
        setattr(row, name, figures[name])


@contextlib.contextmanager
def failures_told_in(*rows: Any) -> Iterator[None]:
    """A point that fails is a row as well, or the rows of all its members."""
    try:
        yield
    except PointFailure as failure:
        for row in rows:
            row.status, row.message = failure.status, failure.message


def measure_solo(bench: Bench, job: Job) -> SoloRow:
    """Prepares the job, lets it settle, measures a window."""
    row = SoloRow.of(bench, job)
    with failures_told_in(row):
        worker = bench.worker()
        begun = monotonic()
        row.device_before_bytes = peak_used(bench.sampler.between(begun - 0.2, begun))
        prepared = worker.ask(bench.timeout(), "prepare", job=str(job))
        fill(row, prepared)
        row.graph = graph_file(job.model, prepared["implementation"])
        ran = run_window(bench, worker, job, prepared["step_seconds"])
        fill(row, ran)
        row.arrival_rate_per_second = arrival_rate(job, prepared["step_seconds"])
        note_device(bench, row, begun, ran)
        if bench.settings.count_kernels:
            note_kernels(bench, row, worker)
    return row


def arrival_rate(job: Job, step_seconds: float) -> Optional[float]:
    return None if job.arrival_share is None else job.arrival_share / step_seconds


def run_window(bench: Bench, worker: Worker, job: Job, step_seconds: float) -> dict[str, Any]:
    settings = bench.settings
    rate = arrival_rate(job, step_seconds) or 0.0
    window = window_of_steps(settings, monotonic() + settings.settle_seconds)
    return worker.ask(bench.timeout(), "run", rate=rate, seed=settings.seed, **window)


def window_of_steps(settings: Settings, begin: float) -> dict[str, Any]:
    """A window that is prolonged, within limits, until three steps are in it."""
    end = begin + settings.window_seconds
    return {"begin": begin, "end": end, "least_steps": 3, "latest_end": end + 4 * settings.window_seconds}


def note_device(bench: Bench, row: SoloRow, begun: float, ran: dict[str, Any]) -> None:
    """The device's counters: the window for rates, everything since the beginning for the peak."""
    fill(row, series_figures(bench.sampler.between(ran["begin"], ran["end"]), ran["end"]))
    row.device_peak_bytes = peak_used(bench.sampler.between(begun, ran["end"]))
    row.device_baseline_bytes = bench.baseline_bytes
    row.peak_memory_bytes = bench.above_baseline(row.device_peak_bytes)


def note_kernels(bench: Bench, row: SoloRow, worker: Worker) -> None:
    """A profiler that fails costs the kernel columns, not the point."""
    try:
        fill(row, worker.ask(bench.timeout(), "kernels"))
    except PointFailure as failure:
        row.message = f"kernels not counted: {failure.message}"


def summary(row: Any, *figures: str) -> str:
    return f"{row.status}: {row.message}" if row.status != "ok" else "ok  " + "  ".join(figures)


def shown(name: str, value: Optional[float], unit: float, unit_name: str) -> str:
    return f"{name} -" if value is None else f"{name} {value / unit:.1f} {unit_name}"


def solo(bench: Bench, plan: Path) -> int:
    rows = RowFile(bench.settings.out / "solo.csv", SoloRow)
    jobs = ordered(read_jobs(plan), job_levels, bench.settings.seed)

    def measure(job: Job) -> str:
        row = measure_solo(bench, job)
        bench.record(rows, [row])
        return summary(
            row,
            shown("util", row.utilization_mean_percent, 1, "%"),
            shown("peak", row.peak_memory_bytes, MIB, "MiB"),
            shown("step", row.step_p50_seconds, 1e-3, "ms"),
        )

    left = measure_points(bench, pending(jobs, rows, "job", bench.settings.retry_errors), measure)
    bench.close_workers()
    export_graphs(bench, rows)
    return left


def ordered(plan: Plan, levels_of: Callable[[Any], dict[str, Any]], seed: int) -> list:
    for complaint in plan.complaints:
        print(complaint, file=sys.stderr)
    return most_informative_first(plan.entries, levels_of, seed)


def export_graphs(bench: Bench, rows: RowFile) -> None:
    """Exports what the rows name and is not there yet, on the CPU, after all measuring."""
    named = {row["model"]: row["graph"] for row in rows.rows() if row["graph"]}
    missing = [model for model, graph in sorted(named.items()) if not (bench.settings.out / graph).exists()]
    export_models(bench, missing)


def export_models(bench: Bench, models: Sequence[str]) -> None:
    for number, model in enumerate(models):
        if bench.budget.left < 5:
            say(f"budget used: {len(models) - number} graphs are left; 'collect.py graphs' writes them")
            return
        if bench.exporter is None or not bench.exporter.alive:
            bench.exporter = Worker("cpu", {"CUDA_VISIBLE_DEVICES": ""})
        try:
            answer = bench.exporter.ask(bench.timeout(), "export", model=model, folder=str(bench.settings.out))
            say(f"graph {answer['graph']}")
        except PointFailure as failure:
            print(f"{model}: no graph: {failure.message}", file=sys.stderr)


def graphs(bench: Bench, plan: Optional[Path]) -> int:
    """Exports the graphs of a plan's models, or of the rows that are there; needs no GPU."""
    if plan is None:
        export_graphs(bench, RowFile(bench.settings.out / "solo.csv", SoloRow))
        return 0
    models = sorted({str(job.model) for job in ordered(read_jobs(plan), job_levels, bench.settings.seed)})
    written = bench.settings.out / "graphs"
    have = {path.name.rsplit(".", 3)[0] for path in written.glob("*.onnx.gz")}
    export_models(bench, [model for model in models if ModelSpec.parse(model).slug not in have])
    return 0


# ---------------------------------------------------------------------------------------------
# pairs
# ---------------------------------------------------------------------------------------------


@dataclass
class PairRow:
    """One member of a group that ran side by side."""

    session: str
    device: str
    group: str
    member: int
    tenants: int
    job: str
    share_percent: Optional[int]
    mps: str
    status: str = "ok"
    message: str = ""
    window_seconds: Optional[float] = None
    steps: Optional[int] = None
    solo_step_mean_seconds: Optional[float] = None
    step_mean_seconds: Optional[float] = None
    step_p50_seconds: Optional[float] = None
    step_p99_seconds: Optional[float] = None
    latency_p99_seconds: Optional[float] = None
    slowdown: Optional[float] = None
    solo_utilization_mean_percent: Optional[float] = None
    samples: Optional[int] = None
    utilization_mean_percent: Optional[float] = None
    memory_utilization_mean_percent: Optional[float] = None
    power_mean_watts: Optional[float] = None
    sm_clock_mean_megahertz: Optional[float] = None
    device_peak_bytes: Optional[int] = None
    allocator_peak_bytes: Optional[int] = None


@dataclass
class SeriesRow:
    """The device while a group ran."""

    group: str
    seconds: float
    utilization_percent: Optional[float]
    memory_utilization_percent: Optional[float]
    used_memory_bytes: Optional[int]
    power_watts: Optional[float]
    sm_clock_megahertz: Optional[float]


@dataclass(frozen=True)
class Member:
    """A job of a group with its worker."""

    job: Job
    share: Optional[int]
    worker: Worker
    step_seconds: float


class PairBench:
    """Measures groups; each job's solo run is measured once a session and share."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.rows = RowFile(bench.settings.out / "pairs.csv", PairRow)
        self.series = RowFile(bench.settings.out / "pairs-series.csv", SeriesRow)
        self.solo_runs: dict[tuple[Job, Optional[int]], dict[str, Any]] = {}

    def measure(self, group: Group) -> str:
        rows = [self._row(group, member) for member in range(len(group.jobs))]
        with failures_told_in(*rows):
            self._require_shares(group)
            members = self._prepare(group)
            alone = [self._solo(members, i) for i in range(len(members))]
            together, readings = self._together(members)
            self._note(rows, alone, together, readings)
        self.bench.record(self.rows, rows)
        return self._summary(rows)

    def _row(self, group: Group, member: int) -> PairRow:
        share = group.share(member) if group.shares else None
        mps = "shares" if group.shares else "off"
        job = str(group.jobs[member])
        return PairRow(
            self.bench.session, self.bench.device_id, str(group), member, len(group.jobs), job, share, mps
        )

    def _require_shares(self, group: Group) -> None:
        if group.shares and self.bench.mps is None:
            raise PointFailure("unsupported", f"no MPS shares: {self.bench.mps_objection}")

    def _prepare(self, group: Group) -> list[Member]:
        """One worker a member; others may stay, idle and empty, for another group."""
        bench = self.bench
        keys = [WorkerKey(i, group.share(i) if group.shares else None) for i in range(len(group.jobs))]
        bench.make_room(keys)
        workers = [bench.worker(key) for key in keys]
        for worker in list(bench.workers.values()):
            worker.ask(bench.timeout(), "release")
        members = []
        for job, key, worker in zip(group.jobs, keys, workers):
            prepared = worker.ask(bench.timeout(), "prepare", job=str(job))
            members.append(Member(job, key.share_percent, worker, prepared["step_seconds"]))
        return members

    def _solo(self, members: list[Member], index: int) -> dict[str, Any]:
        member = members[index]
        key = (member.job, member.share)
        if key not in self.solo_runs:
            ran = run_window(self.bench, member.worker, member.job, member.step_seconds)
            readings = self.bench.sampler.between(ran["begin"], ran["end"])
            self.solo_runs[key] = {**ran, **series_figures(readings, ran["end"])}
        return self.solo_runs[key]

    def _together(self, members: list[Member]) -> tuple[list[dict[str, Any]], list[Reading]]:
        """All run until the common window is over; only steps inside it count."""
        settings = self.bench.settings
        begin = monotonic() + settings.settle_seconds + 0.1
        end = begin + settings.window_seconds
        for member in members:
            rate = arrival_rate(member.job, member.step_seconds) or 0.0
            member.worker.send("run", begin=begin, end=end, rate=rate, seed=settings.seed)
        failures, together = [], []
        for member in members:
            try:
                together.append(member.worker.receive(self.bench.timeout()))
            except PointFailure as failure:
                failures.append(failure)
        if failures:
            raise failures[0]
        return together, self.bench.sampler.between(begin, end)

    def _note(self, rows, alone, together, readings) -> None:
        device = series_figures(readings, together[0]["end"])
        for row, before, ran in zip(rows, alone, together):
            fill(row, {**device, **ran})
            row.device_peak_bytes = peak_used(readings)
            row.solo_step_mean_seconds = before["step_mean_seconds"]
            row.solo_utilization_mean_percent = before["utilization_mean_percent"]
            if not row.steps:
                row.status, row.message = "too-slow", "no step began and ended inside the window"
            elif before["step_mean_seconds"]:
                row.slowdown = row.step_mean_seconds / before["step_mean_seconds"]
        begin = readings[0].seconds if readings else 0.0
        series = (SeriesRow(rows[0].group, **{**r._asdict(), "seconds": r.seconds - begin}) for r in readings)
        self.series.append(*series)

    @staticmethod
    def _summary(rows: list[PairRow]) -> str:
        told = next((row for row in rows if row.status != "ok"), rows[0])
        return summary(told, "slowdown " + " ".join(f"{row.slowdown:.2f}" if row.slowdown else "-" for row in rows))


def pairs(bench: Bench, plan: Path) -> int:
    measured = PairBench(bench)
    groups = ordered(read_groups(plan), group_levels, bench.settings.seed)
    if any(group.shares for group in groups):
        bench.start_mps()
        say("MPS shares: yes" if bench.mps else f"MPS shares: no, {bench.mps_objection}")
    waiting = pending(groups, measured.rows, "group", bench.settings.retry_errors)
    return measure_points(bench, waiting, measured.measure)


# ---------------------------------------------------------------------------------------------
# profile
# ---------------------------------------------------------------------------------------------

IGNITER_GRID = tuple(itertools.product((1, 16, 32), (10, 50, 100)))  # with two runs beside another: 11 points
INSS_GRID = tuple(itertools.product((1, 2, 8, 32), (20, 40, 50, 80)))  # four batches, four shares
NEIGHBOUR_BATCH = 16
MOST_NEIGHBOURS = 5
SHARES_IN_ORDER = (100, 50, 10, 20, 80, 40, 33, 25)  # a share is set when a worker starts, so one after the other
COUNTER_METRICS = {
    "l2_utilization_percent": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_utilization_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
}
COUNTER_TIME = "gpu__time_duration.sum"


@dataclass(frozen=True, order=True)
class ProfilePoint:
    """A model at a batch and a share, beside copies of itself."""

    model: ModelSpec
    precision: str
    batch_size: int
    share_percent: int
    neighbours: int = 0

    def __str__(self) -> str:
        beside = f" beside {self.neighbours}" if self.neighbours else ""
        return f"{self.job} @ {self.share_percent}{beside}"

    @property
    def job(self) -> Job:
        return Job(self.model, self.batch_size, "inference", self.precision)


@dataclass
class ProfilePointRow:
    """One point of a model's profile; what the planner's coefficients are fitted from."""

    session: str
    device: str
    point: str
    model: str
    precision: str
    batch_size: int
    share_percent: int
    neighbours: int
    mps: str
    status: str = "ok"
    message: str = ""
    steps: Optional[int] = None
    step_mean_seconds: Optional[float] = None
    step_p50_seconds: Optional[float] = None
    step_p99_seconds: Optional[float] = None
    active_seconds: Optional[float] = None
    kernels: Optional[int] = None
    kernel_pause_mean_seconds: Optional[float] = None
    input_bytes: Optional[int] = None
    output_bytes: Optional[int] = None
    upload_seconds: Optional[float] = None
    download_seconds: Optional[float] = None
    samples: Optional[int] = None
    utilization_mean_percent: Optional[float] = None
    memory_utilization_mean_percent: Optional[float] = None
    power_mean_watts: Optional[float] = None
    sm_clock_mean_megahertz: Optional[float] = None
    peak_memory_bytes: Optional[int] = None
    allocator_peak_bytes: Optional[int] = None
    l2_utilization_percent: Optional[float] = None
    dram_utilization_percent: Optional[float] = None


def profile_points(
    models: Sequence[tuple[ModelSpec, str]], with_shares: bool, most_tenants: int = MOST_NEIGHBOURS
) -> list[ProfilePoint]:
    """Both papers' grids and two to five copies side by side; whole device only where shares cannot be set."""
    points = []
    for model, precision in models:
        grid = sorted({*IGNITER_GRID, *INSS_GRID}) if with_shares else [(b, 100) for b in (1, 2, 8, 16, 32)]
        points += [ProfilePoint(model, precision, batch, share) for batch, share in grid]
        for tenants in range(2, most_tenants + 1):
            share = (50 if tenants == 2 else 100 // tenants) if with_shares else 100
            points.append(ProfilePoint(model, precision, NEIGHBOUR_BATCH, share, tenants - 1))
    return points


def profile_levels(point: ProfilePoint) -> dict[str, Any]:
    return {
        "model": (point.model, point.precision),
        "batch": point.batch_size,
        "share": point.share_percent,
        "neighbours": point.neighbours,
    }


class ProfileBench:
    """Measures profile points and writes what follows from them."""

    def __init__(self, bench: Bench):
        self.bench = bench
        self.rows = RowFile(bench.settings.out / "profile-points.csv", ProfilePointRow)
        self.counter_objection: Optional[str] = None

    def measure(self, point: ProfilePoint) -> str:
        row = ProfilePointRow(
            self.bench.session, self.bench.device_id, str(point), str(point.model), point.precision, point.batch_size,
            point.share_percent, point.neighbours, "shares" if self.bench.mps else "off",
        )  # fmt: skip
        with failures_told_in(row):
            self._measure(point, row)
        self.bench.record(self.rows, [row])
        step = shown("step", row.step_p50_seconds, 1e-3, "ms")
        return summary(row, step, shown("power", row.power_mean_watts, 1, "W"))

    def _measure(self, point: ProfilePoint, row: ProfilePointRow) -> None:
        bench, settings = self.bench, self.bench.settings
        share = point.share_percent if bench.mps else None
        keys = [WorkerKey(i, share) for i in range(MOST_NEIGHBOURS)]
        bench.close_workers(keep=keys)
        workers = [bench.worker(key) for key in keys[: point.neighbours + 1]]
        for worker in workers:
            worker.ask(bench.timeout(), "release")
        begun = monotonic()
        prepared = [worker.ask(bench.timeout(), "prepare", job=str(point.job)) for worker in workers]
        window = window_of_steps(settings, monotonic() + settings.settle_seconds + 0.1)
        extra = settings.settle_seconds + 1.0  # the neighbours go on while the first one's kernels are looked at
        workers[0].send("run", **window)
        for worker in workers[1:]:
            worker.send("run", begin=window["begin"], end=window["end"] + extra)
        ran = workers[0].receive(bench.timeout())
        self._note_window(row, begun, prepared[0], ran)
        if settings.count_kernels:
            note_kernels(bench, row, workers[0])  # type: ignore[arg-type]
        for worker in workers[1:]:
            worker.receive(bench.timeout())
        if point.neighbours == 0:
            self._note_transfers(row, workers[0])
            self._note_counters(row, point)

    def _note_window(self, row: ProfilePointRow, begun: float, prepared: dict, ran: dict) -> None:
        sampler = self.bench.sampler
        fill(row, {**prepared, **ran, **series_figures(sampler.between(ran["begin"], ran["end"]), ran["end"])})
        row.peak_memory_bytes = self.bench.above_baseline(peak_used(sampler.between(begun, ran["end"])))

    def _note_transfers(self, row: ProfilePointRow, worker: Worker) -> None:
        fill(row, worker.ask(self.bench.timeout(), "transfers", size_bytes=row.input_bytes or 1))

    def _note_counters(self, row: ProfilePointRow, point: ProfilePoint) -> None:
        """L2 and DRAM along one row and one column of iGniter's grid, while a counter tool works."""
        wanted = point.share_percent == 100 or (point.batch_size, point.share_percent) in ((16, 10), (16, 50))
        if self.counter_objection is None and wanted:
            figures, self.counter_objection = read_counters(self.bench, point)
            fill(row, figures)
            if self.counter_objection:
                say(f"L2 and DRAM counters: no, {self.counter_objection}")


def read_counters(bench: Bench, point: ProfilePoint) -> tuple[dict[str, float], Optional[str]]:
    """One step under Nsight Compute, clocks left alone; else why there is none."""
    tool = shutil.which("ncu")
    if bench.settings.fake or tool is None:
        return {}, "a fake GPU has none" if bench.settings.fake else "ncu is not installed"
    command = [
        tool, "--clock-control", "none", "--profile-from-start", "off", "--csv", "--page", "raw", "--metrics",
        ",".join([COUNTER_TIME, *COUNTER_METRICS.values()]), sys.executable, os.path.abspath(__file__), "worker", "cuda",
    ]  # fmt: skip
    share = bench.mps.worker_environment(point.share_percent) if bench.mps else {}
    requests = [{"do": "prepare", "job": str(point.job)}, {"do": "counters"}]
    try:
        done = subprocess.run(
            command, input="".join(json.dumps(r) + "\n" for r in requests), capture_output=True, text=True,
            timeout=bench.timeout(), env={**os.environ, "CUDA_VISIBLE_DEVICES": str(bench.settings.gpu), **share},
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError) as error:
        return {}, f"ncu fails: {error}"[:200]
    figures = counter_figures(done.stdout)
    return figures, None if figures else f"ncu shows no counters: {' '.join((done.stdout + done.stderr).split())[-200:]}"


def counter_figures(output: str) -> dict[str, float]:
    """Counters over all kernels, each weighted with its time, from ncu's raw CSV page."""
    lines = [line for line in output.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    totals: collections.Counter = collections.Counter()
    for row in rows:
        try:
            seconds = float(row[COUNTER_TIME].replace(",", ""))
            values = {name: float(row[metric].replace(",", "")) for name, metric in COUNTER_METRICS.items()}
        except (KeyError, ValueError, AttributeError):
            continue  # the line of units, or a kernel without counters
        totals["time"] += seconds
        for name, value in values.items():
            totals[name] += value * seconds
    return {name: totals[name] / totals["time"] for name in COUNTER_METRICS} if totals["time"] else {}


# -- coefficients


@dataclass(frozen=True)
class Fit:
    """Coefficients by the names of the profile file, and the names of those that are missing."""

    values: dict[str, float]
    missing: tuple[str, ...]


def number(row: dict[str, str], column: str) -> float:
    return float(row[column]) if row[column] else math.nan


def straight_line(points: Iterable[tuple[float, float]]) -> Optional[tuple[float, float]]:
    """Slope and intercept by least squares; None without two different abscissae."""
    known = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)]
    if len({x for x, _ in known}) < 2:
        return None
    mean_x, mean_y = (math.fsum(values) / len(known) for values in zip(*known))
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, y in known) / math.fsum((x - mean_x) ** 2 for x, _ in known)
    return slope, mean_y - slope * mean_x


def slope_through_origin(points: Iterable[tuple[float, float]]) -> Optional[float]:
    known = [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y) and x > 0]
    return math.fsum(x * y for x, y in known) / math.fsum(x * x for x, _ in known) if known else None


def fit_active_time(points: Sequence[tuple[int, int, float]]) -> Optional[dict[str, float]]:
    """k1 to k5 of k_act(b, r) = (k1·b² + k2·b + k3)/(r + k4) + k5 [iGniter, equation 11].

    For a given k4 the other four are linear, so k4 is searched over and the rest solved for
    (variable projection). Residuals are relative; k4 is at least 0.
    """
    times = torch.tensor([t for _, _, t in points], dtype=torch.float64)
    batches = torch.tensor([float(b) for b, _, _ in points], dtype=torch.float64)
    shares = torch.tensor([float(r) for _, r, _ in points], dtype=torch.float64)
    if len(points) < 6 or len(set(batches.tolist())) < 3 or len(set(shares.tolist())) < 3:
        return None

    def solve(k4: float) -> tuple[float, list[float]]:
        parts = [batches**2 / (shares + k4), batches / (shares + k4), 1 / (shares + k4), torch.ones_like(times)]
        rows = torch.stack(parts, 1) / times[:, None]
        found = torch.linalg.lstsq(rows, torch.ones_like(times)[:, None], driver="gelsd").solution
        return float(((rows @ found)[:, 0] - 1).square().sum()), found[:, 0].tolist()

    best = min([0.0] + [0.01 * 1.1**i for i in range(100)], key=lambda k4: solve(k4)[0])
    k1, k2, k3, k5 = solve(best)[1]
    return {"k1": k1, "k2": k2, "k3": k3, "k4": best, "k5": k5}


def fit_workload(rows: Sequence[dict[str, str]], idle_watts: Optional[float]) -> Fit:
    """A workload's coefficients from its rows, in milliseconds and percent as the profile file has them."""
    good = [row for row in rows if row["status"] == "ok"]
    alone = [row for row in good if row["neighbours"] == "0"]
    active = [(int(r["batch_size"]), int(r["share_percent"]), 1e3 * number(r, "active_seconds")) for r in alone]
    active = [point for point in active if point[2] > 0]
    values: dict[str, float] = fit_active_time(active) or {}
    values.update(fit_demand(alone, idle_watts))
    values.update(fit_kernels(alone))
    sensitivity = fit_cache_sensitivity(good)
    if sensitivity is not None:
        values["cache_sensitivity"] = sensitivity
    return Fit(values, tuple(name for name in WORKLOAD_COEFFICIENTS if name not in values))


def requests_per_second(row: dict[str, str]) -> float:
    seconds = number(row, "active_seconds")
    return int(row["batch_size"]) / seconds if seconds > 0 else math.nan


def fit_demand(alone: Sequence[dict[str, str]], idle_watts: Optional[float]) -> dict[str, float]:
    """Power above idle and L2 utilization as lines over the requests a second."""
    values: dict[str, float] = {}
    idle = math.nan if idle_watts is None else idle_watts
    power = straight_line((requests_per_second(r), number(r, "power_mean_watts") - idle) for r in alone)
    cache = straight_line((requests_per_second(r), number(r, "l2_utilization_percent")) for r in alone)
    if power:
        values["power_slope"], values["power_intercept_watts"] = power
    if cache:
        values["l2_slope"], values["l2_intercept_percent"] = cache
    return values


def fit_kernels(alone: Sequence[dict[str, str]]) -> dict[str, float]:
    """Kernels, their scheduling delay together, and the bytes of a sample, from the smallest whole-device run."""
    whole = sorted((int(r["batch_size"]), r) for r in alone if r["share_percent"] == "100" and r["kernels"])
    if not whole:
        return {}
    batch, row = whole[0]
    kernels = number(row, "kernels")
    values = {"kernels": kernels, "input_bytes": number(row, "input_bytes") / batch}
    if row["output_bytes"]:
        values["output_bytes"] = number(row, "output_bytes") / batch
    if row["kernel_pause_mean_seconds"]:
        values["scheduling_ms"] = 1e3 * number(row, "kernel_pause_mean_seconds") * kernels
    return values


def fit_cache_sensitivity(good: Sequence[dict[str, str]]) -> Optional[float]:
    """Growth of the active time beside one equal neighbour, over that neighbour's L2 utilization."""

    def at(neighbours: str) -> Optional[dict[str, str]]:
        found = (r for r in good if (r["neighbours"], r["batch_size"], r["share_percent"]) == (neighbours, "16", "50"))
        return next(found, None)

    alone, beside = at("0"), at("1")
    if alone is None or beside is None:
        return None
    growth = number(beside, "active_seconds") / number(alone, "active_seconds") - 1
    slope = slope_through_origin([(number(alone, "l2_utilization_percent"), growth)])
    return None if slope is None else max(0.0, slope)


def fit_device(rows: Sequence[dict[str, str]], known: dict[str, Optional[float]]) -> Fit:
    """The device's coefficients; α_f and the scheduling delay come from the runs with neighbours."""
    values = {name: value for name, value in known.items() if value is not None}
    good = [row for row in rows if row["status"] == "ok" and row["kernel_pause_mean_seconds"]]
    alone = {(r["model"], r["precision"]): r for r in good if r["neighbours"] == "0" and r["share_percent"] == "100"}
    delays = []
    for row in (r for r in good if r["neighbours"] != "0" and (r["model"], r["precision"]) in alone):
        solo_pause = number(alone[row["model"], row["precision"]], "kernel_pause_mean_seconds")
        delays.append((1.0 + int(row["neighbours"]), 1e3 * (number(row, "kernel_pause_mean_seconds") - solo_pause)))
    line = straight_line(delays)
    if line and rows and any(r["mps"] == "shares" for r in rows):
        values["scheduling_slope_ms"], values["scheduling_intercept_ms"] = line
    slope = fit_frequency_slope(good, values)
    if slope is not None:
        values["frequency_slope_mhz_per_watt"] = slope
    return Fit(values, tuple(name for name in DEVICE_COEFFICIENTS if name not in values))


def fit_frequency_slope(good: Sequence[dict[str, str]], known: dict[str, float]) -> Optional[float]:
    """Clock lost for each watt that the tenants would draw together beyond the limit.

    The demand is idle power and as many times the solo draw at the same batch as there are tenants.
    """
    if not {"max_power_watts", "max_frequency_mhz", "idle_power_watts"} <= known.keys():
        return None
    idle, limit, highest = (known[k] for k in ("idle_power_watts", "max_power_watts", "max_frequency_mhz"))
    drawn = {(r["model"], r["share_percent"]): number(r, "power_mean_watts") - idle for r in good if r["neighbours"] == "0"}
    points = []
    for row in (r for r in good if r["neighbours"] != "0"):
        own = drawn.get((row["model"], row["share_percent"]), math.nan)
        points.append((idle + (1 + int(row["neighbours"])) * own - limit, number(row, "sm_clock_mean_megahertz") - highest))
    slope = slope_through_origin(points)
    return None if slope is None else min(0.0, slope)


WORKLOAD_COEFFICIENTS = (
    "k1", "k2", "k3", "k4", "k5", "cache_sensitivity", "power_slope", "power_intercept_watts", "l2_slope",
    "l2_intercept_percent", "kernels", "scheduling_ms", "input_bytes", "output_bytes",
)  # fmt: skip
DEVICE_COEFFICIENTS = (
    "max_power_watts", "max_frequency_mhz", "idle_power_watts", "pcie_bytes_per_ms", "frequency_slope_mhz_per_watt",
    "scheduling_slope_ms", "scheduling_intercept_ms", "share_unit_percent",
)  # fmt: skip


def profile_line(kind: str, name: str, fit: Fit, order: Sequence[str], more: str = "") -> str:
    """A line of the profile file; a comment that names what is missing where it is incomplete."""
    cells = " ".join(f"{key}={exact(fit.values[key])}" for key in order if key in fit.values)
    line = " ".join(part for part in (kind, name, more, cells) if part)
    return line if not fit.missing else f"# incomplete, missing {', '.join(fit.missing)}: {line}"


def exact(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def profile_text(bench: Bench, rows: Sequence[dict[str, str]], transfers: Optional[dict[str, float]]) -> str:
    """The profile file of everything measured so far."""
    idle = weighted_mean(timed_values(bench.idle, bench.idle[-1].seconds if bench.idle else 0.0, "power_watts"))
    known = {
        "max_power_watts": bench.facts.power_limit_watts,
        "max_frequency_mhz": bench.facts.max_sm_clock_megahertz,
        "idle_power_watts": idle,
        "pcie_bytes_per_ms": transfers and PCIE_PROBE_BYTES / (1e3 * transfers["upload_seconds"]),
        "share_unit_percent": 2.5,
    }
    lines = ["cotenant-profiles 1", f"# measured by collect.py {VERSION} on {bench.facts.product}, session {bench.session}"]
    lines.append(profile_line("device", bench.device_id, fit_device(rows, known), DEVICE_COEFFICIENTS))
    by_model = collections.defaultdict(list)
    for row in rows:
        by_model[f"{ModelSpec.parse(row['model']).slug}-{row['precision']}"].append(row)
    for name, own in sorted(by_model.items()):
        fit = fit_workload(own, idle)
        lines.append(profile_line("workload", name, fit, WORKLOAD_COEFFICIENTS, f"device={bench.device_id}"))
    return "\n".join(lines) + "\n"


PCIE_PROBE_BYTES = 64 * MIB


def profile(bench: Bench, plan: Path) -> int:
    models = sorted({(job.model, job.precision) for job in ordered(read_jobs(plan), job_levels, bench.settings.seed)})
    bench.start_mps()
    say("MPS shares: yes" if bench.mps else f"MPS shares: no, {bench.mps_objection}; without them k1 to k5 cannot be fitted")
    measured = ProfileBench(bench)
    transfers = None
    try:
        transfers = bench.worker().ask(bench.timeout(), "transfers", size_bytes=PCIE_PROBE_BYTES, repeats=5)
    except PointFailure as failure:
        print(f"PCIe bandwidth: {failure.message}", file=sys.stderr)
    most_tenants = 2 if bench.settings.fake else MOST_NEIGHBOURS
    points = profile_points(models, bench.mps is not None, most_tenants)
    points = most_informative_first(points, profile_levels, bench.settings.seed)
    points.sort(key=lambda point: (point.neighbours > 0, SHARES_IN_ORDER.index(point.share_percent), point.neighbours))
    points = pending(points, measured.rows, "point", bench.settings.retry_errors)
    left = measure_points(bench, points, measured.measure)
    text = profile_text(bench, measured.rows.rows(), transfers)
    write_whole(bench.settings.out / f"{bench.device_id}.profiles", text.encode())
    for line in text.splitlines():
        if line.startswith("# incomplete"):
            say(line[2:].partition(": ")[0] + f" for {line.partition(': ')[2].split()[1]}")
    return left


# ---------------------------------------------------------------------------------------------
# memory
# ---------------------------------------------------------------------------------------------


@dataclass
class MemoryRow:
    """The used-memory series of one job, from before its process starts until after it has ended."""

    session: str
    device: str
    job: str
    status: str = "ok"
    message: str = ""
    series: Optional[str] = None
    samples: Optional[int] = None
    context_at_seconds: Optional[float] = None
    ramp_at_seconds: Optional[float] = None
    steady_at_seconds: Optional[float] = None
    finish_at_seconds: Optional[float] = None
    end_at_seconds: Optional[float] = None
    peak_memory_bytes: Optional[int] = None


def measure_memory(bench: Bench, job: Job) -> MemoryRow:
    row = MemoryRow(bench.session, bench.device_id, str(job))
    begun = monotonic()
    with failures_told_in(row):
        live_once(bench, job, row, begun)
    bench.close_workers()
    time.sleep(bench.settings.settle_seconds)
    row.end_at_seconds = monotonic() - begun
    readings = [r for r in bench.sampler.between(begun, monotonic()) if r.used_memory_bytes is not None]
    row.samples = len(readings)
    if readings:
        row.series = f"series/{job.slug}.csv"
        row.peak_memory_bytes = max(0, (peak_used(readings) or 0) - (bench.baseline_bytes or 0))
        write_whole(bench.settings.out / row.series, series_text(readings, bench.facts.memory_bytes).encode())
    elif row.status == "ok":
        row.status, row.message = "unsupported", "the device does not tell its used memory"
    return row


def live_once(bench: Bench, job: Job, row: MemoryRow, begun: float) -> None:
    """A process's whole life: context, model and first steps, steady state, end."""
    settings = bench.settings
    time.sleep(settings.settle_seconds)
    row.context_at_seconds = monotonic() - begun
    worker = bench.worker()
    worker.ask(bench.timeout(), "describe")
    row.ramp_at_seconds = monotonic() - begun
    worker.ask(bench.timeout(), "prepare", job=str(job))
    row.steady_at_seconds = monotonic() - begun
    now = monotonic()
    worker.ask(bench.timeout(), "run", begin=now, end=now + settings.window_seconds)
    row.finish_at_seconds = monotonic() - begun


def series_text(readings: Sequence[Reading], capacity_bytes: int) -> str:
    """The series as 'cotenant forecast --series' reads it."""
    offset = time.time() - monotonic()
    lines = ["timestamp_seconds,used_memory_bytes,capacity_bytes"]
    lines += [f"{r.seconds + offset:.6f},{r.used_memory_bytes},{capacity_bytes}" for r in readings]
    return "\n".join(lines) + "\n"


def memory(bench: Bench, plan: Path) -> int:
    bench.close_workers()  # no context but the job's own may be in the series
    rows = RowFile(bench.settings.out / "memory.csv", MemoryRow)
    jobs = ordered(read_jobs(plan), job_levels, bench.settings.seed)

    def measure(job: Job) -> str:
        row = measure_memory(bench, job)
        bench.record(rows, [row])
        return summary(row, shown("peak", row.peak_memory_bytes, MIB, "MiB"))

    return measure_points(bench, pending(jobs, rows, "job", bench.settings.retry_errors), measure)


# ---------------------------------------------------------------------------------------------
# Device sheet, archive, command line
# ---------------------------------------------------------------------------------------------


def device_sheet(bench: Bench) -> dict[str, Any]:
    """What ran where: the device, the software and the settings."""
    idle = series_figures(bench.idle, bench.idle[-1].seconds if bench.idle else 0.0)
    return {
        "collector": VERSION,
        "session": bench.session,
        "device": bench.device_id,
        "facts": dataclasses.asdict(bench.facts),
        "idle": {**idle, "used_memory_bytes": bench.baseline_bytes},
        "machine": {"processor": processor(), "cores": os.cpu_count(), "kernel": platform.release()},
        "settings": {k: v for k, v in dataclasses.asdict(bench.settings).items() if k not in ("out", "device_name")},
        "software": describe_software(bench),
    }


def describe_software(bench: Bench) -> dict[str, Any]:
    try:
        return bench.worker().ask(max(60.0, bench.timeout()), "describe")
    except PointFailure as failure:
        raise DeviceError(f"no worker can use the device: {failure.message}") from failure


def processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def smi_report() -> str:
    """nvidia-smi's full report without what identifies one card; empty where there is none."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(["nvidia-smi", "-q"], capture_output=True, text=True, timeout=30)
        return smi_secrets_removed(done.stdout)
    return ""


def smi_secrets_removed(report: str) -> str:
    secret = r"^(\s*(?:[\w ]*UUID|Serial Number|Board ID|GPU PDI|Module ID|Bus Id)\s*:).*$"
    return re.sub(secret, r"\1 removed", report, flags=re.M)


def write_sheet(bench: Bench) -> None:
    """One sheet a session, so that slices on different days stay apart."""
    folder = bench.settings.out / "device"
    write_whole(folder / f"{bench.session}.json", (json.dumps(device_sheet(bench), indent=1) + "\n").encode())
    report = "" if bench.settings.fake else smi_report()
    if report:
        write_whole(folder / f"{bench.session}.nvidia-smi.txt", report.encode())


def archive(folder: Path, target: Path) -> None:
    """Everything below the folder as one compressed tar."""
    draft = target.with_name(target.name + ".part")
    with tarfile.open(draft, "w:gz") as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.resolve() not in (draft.resolve(), target.resolve()):
                tar.add(path, arcname=f"{folder.resolve().name}/{path.relative_to(folder)}")
    os.replace(draft, target)
    say(f"{target}: {target.stat().st_size / MIB:.1f} MiB")


RUNS: dict[str, Callable[..., int]] = {"solo": solo, "pairs": pairs, "profile": profile, "memory": memory, "graphs": graphs}


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="collect.py", description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    texts = {
        "solo": "each job of a plan alone",
        "pairs": "groups of two to four jobs side by side",
        "profile": "what the fleet planner needs to know of a model and the device",
        "memory": "used memory over a job's whole life",
        "graphs": "ONNX graphs without weights of a plan's models; needs no GPU",
    }
    for name, text_of_command in texts.items():
        add_run_options(commands.add_parser(name, help=text_of_command, description=text_of_command), name)
    order = commands.add_parser("order", help="prints a plan in the order in which it is measured")
    order.add_argument("--plan", type=Path, required=True)
    order.add_argument("--seed", type=int, default=1)
    pack = commands.add_parser("archive", help="packs a folder into one tar")
    pack.add_argument("--out", type=Path, required=True, help="the folder with the results")
    pack.add_argument("--archive", type=Path, required=True, help="the tar to write")
    commands.add_parser("worker").add_argument("device", choices=("cuda", "cpu"))
    return parser


def add_run_options(parser: argparse.ArgumentParser, name: str) -> None:
    positive = positive_number
    parser.add_argument("--plan", type=Path, required=name != "graphs", help="CSV file; see plans/")
    parser.add_argument("--out", type=Path, required=True, help="folder for the results; what is there is not measured again")
    parser.add_argument("--budget-seconds", type=positive, help="stop in time (default: when the plan is done)")
    parser.add_argument("--archive", type=Path, help="pack the folder into this tar at the end")
    gpu_help = "index as nvidia-smi shows it (default: the first of CUDA_VISIBLE_DEVICES, else 0)"
    parser.add_argument("--gpu", type=int, default=default_gpu(), help=gpu_help)
    parser.add_argument("--device-name", help="the device's id in the project's catalogue, where it is not found by itself")
    parser.add_argument("--window-seconds", type=positive, default=3.0, help="measured time of a point (default 3)")
    parser.add_argument("--settle-seconds", type=positive, default=1.2, help="steady running before it (default 1.2)")
    parser.add_argument("--sample-hertz", type=positive, default=50.0, help="readings a second, at least 20 (default 50)")
    parser.add_argument("--point-seconds", type=positive, default=120.0, help="a point that takes longer is given up")
    parser.add_argument("--seed", type=int, default=1, help="order of points and arrivals (default 1)")
    parser.add_argument("--retry-errors", action="store_true", help="measure points again that ended in an error")
    parser.add_argument("--no-mps", action="store_true", help="do not try to start an MPS daemon")
    parser.add_argument("--no-kernels", action="store_true", help="do not count kernels")
    parser.add_argument("--fake-gpu", action="store_true", help="the CPU in place of a GPU, with tiny windows: a rehearsal")


def default_gpu() -> int:
    first = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip()
    return int(first) if first.isdecimal() else 0


def positive_number(text_of_number: str) -> float:
    value = float(text_of_number)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text_of_number} is not above 0")
    return value


def settings_of(options: argparse.Namespace) -> Settings:
    if options.sample_hertz < 20:
        raise PlanError(f"--sample-hertz must be at least 20, is {options.sample_hertz:g}")
    if not 0 <= options.gpu < 64:
        raise PlanError(f"--gpu must be an index from 0, is {options.gpu}")
    if options.device_name is not None and not re.fullmatch(r"[a-z0-9][a-z0-9-]*", options.device_name):
        raise PlanError(f"--device-name must be lower-case letters, digits and hyphens, is '{options.device_name}'")
    fake = options.fake_gpu or options.command == "graphs"
    return Settings(
        options.out, options.gpu, fake, min(0.3, options.window_seconds) if fake else options.window_seconds,
        0.1 if fake else options.settle_seconds, 1 / options.sample_hertz, options.point_seconds, options.seed,
        options.retry_errors, not options.no_mps, not options.no_kernels, options.device_name,
    )  # fmt: skip


def measure_all(options: argparse.Namespace) -> int:
    settings = settings_of(options)
    budget = Budget(options.budget_seconds, settings.window_seconds + settings.settle_seconds + 3.0)
    bench = Bench(settings, budget)
    try:
        if options.command != "graphs":
            write_sheet(bench)
        say(f"{options.command} on {bench.device_id} ({bench.facts.product}), results in {settings.out}")
        warn_of_others(bench)
        left = RUNS[options.command](bench, options.plan)
        say("done" if left == 0 else f"{left} points are left: the same command goes on")
    finally:
        bench.close()
        if options.archive:
            archive(settings.out, options.archive)
    return 0


def warn_of_others(bench: Bench) -> None:
    busy = [r.utilization_percent for r in bench.idle if r.utilization_percent is not None]
    if busy and max(busy) > 0 and not bench.settings.fake:
        say(f"warning: the GPU is up to {max(busy):.0f} % busy before we begin: something else runs on it")


def print_order(options: argparse.Namespace) -> int:
    header = options.plan.read_text(encoding="utf-8").partition("\n")[0]
    is_groups = header.split(",")[0].strip() == "jobs"
    plan, levels = (read_groups(options.plan), group_levels) if is_groups else (read_jobs(options.plan), job_levels)
    for entry in ordered(plan, levels, options.seed):
        print(entry)
    return 1 if plan.complaints else 0


def stop_politely(*_: Any) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str]) -> int:
    options = command_line().parse_args(arguments)
    if options.command == "worker":
        return serve(options.device)
    signal.signal(signal.SIGTERM, stop_politely)
    try:
        if options.command == "order":
            return print_order(options)
        if options.command == "archive":
            archive(options.out, options.archive)
            return 0
        return measure_all(options)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read our output has had enough
        return 0
    except (PlanError, DeviceError, OSError) as error:
        print(f"collect.py: {error}", file=sys.stderr)
        return 2 if isinstance(error, PlanError) else 1
    except KeyboardInterrupt:
        print("collect.py: stopped; the same command goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
